"""The aggregates of a SELECT, and what each of them adds up."""

from collections.abc import Iterator
from dataclasses import dataclass

from sqlglot import exp
from sqlglot.optimizer.scope import Scope

from tools.sql.sources import conjuncts, group_keys

COUNTS = (exp.Count, exp.CountIf)
SPREADS = (
    exp.Median,
    exp.Stddev,
    exp.StddevPop,
    exp.StddevSamp,
    exp.Variance,
    exp.VariancePop,
    exp.Quantile,
    exp.PercentileCont,
    exp.PercentileDisc,
    exp.ApproxQuantile,
)
JUDGED = (exp.Sum, exp.Avg, *COUNTS, *SPREADS)


@dataclass(frozen=True)
class Call:
    """One aggregate of a SELECT: what must not be repeated while it adds up."""

    node: exp.AggFunc
    conditions: tuple[exp.Expr, ...]
    keys: tuple[exp.Expr, ...]

    @property
    def value(self) -> exp.Expr:
        value: exp.Expr = self.node.this
        return value


def calls_of(scope: Scope, *, distinct: bool = False) -> Iterator[Call]:
    """The aggregates of a SELECT with the conditions of their FILTER, and the keys within which
    each adds up; those over DISTINCT values, or the others."""
    select = scope.expression
    keys = group_keys(select) or [] if isinstance(select, exp.Select) else []
    for node in scope.find_all(exp.AggFunc):
        if not isinstance(node, JUDGED) or isinstance(node.this, exp.Distinct) is not distinct:
            continue
        if any(inner is not node for inner in node.find_all(exp.AggFunc)):
            continue
        around = node.parent
        filtered: tuple[exp.Expr, ...] = ()
        if isinstance(around, exp.Filter):
            filtered = tuple(conjuncts(around.expression.this))
            around = around.parent
        own = around.args.get("partition_by") or [] if isinstance(around, exp.Window) else keys
        yield Call(node, filtered, tuple(own))


def terms(node: exp.Expr) -> Iterator[exp.Expr]:
    """What is added up: the parts of sums and differences, and the values of CASE."""
    if isinstance(node, exp.Add | exp.Sub):
        yield from terms(node.left)
        yield from terms(node.right)
    elif isinstance(node, exp.Case):
        for branch in node.args.get("ifs") or ():
            yield from terms(branch.args["true"])
        if node.args.get("default") is not None:
            yield from terms(node.args["default"])
    elif isinstance(node, exp.If):
        yield from terms(node.args["true"])
        if node.args.get("false") is not None:
            yield from terms(node.args["false"])
    elif isinstance(node, exp.Paren | exp.Neg | exp.Cast | exp.Coalesce | exp.Round | exp.Abs):
        yield from terms(node.this)
    else:
        yield node
