"""What a question plainly asks for and the query for it does not do.

Only what words leave no doubt about: a figure or a quoted text that the query has nowhere, a figure
for each of something without groups, both of two values where one is enough, "never" read row by
row, a condition that only sorts. The query mended goes along where that can be told.
"""

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal, InvalidOperation

from sqlglot import exp

from ingest.store import Catalog
from tools.errors import ToolRetry
from tools.sql.names import folded
from tools.sql.sources import conjuncts, is_one_row
from tools.verify.facts import quantities_of

_QUOTED = re.compile(r"[\"“「『]([^\"“”「」『』]{1,60})[\"”」』]")
_EACH = re.compile(
    r"\b(?:for|of|in|by|from|at|to|and|does|do|did|has)? ?(?:each|every)\b|\bper (?!cent)[a-z]"
    r"|每[个家种名位款类]|各(?!種|种|自)|(?:ごと|毎)に",
    re.IGNORECASE,
)
_AVERAGE = re.compile(r"\b(?:average|avg|mean)\b|平均", re.IGNORECASE)
_MEAN = re.compile(r"\baverage\b|\bmean\b|\bat most\b|\bmost\b|平均|最も|最多", re.IGNORECASE)
_BOTH = re.compile(r"\bboth\b.*\band\b|両方|どちらも|いずれも|同时|既.{1,20}又|都有", re.IGNORECASE)
_OR = re.compile(r"\bor\b|または|もしくは|或|か(?!ら)", re.IGNORECASE)
_NEVER = re.compile(
    r"\bnever\b|\bwithout\b|\bnot\b.{0,30}\bany\b|\bno\b(?! more| less)"
    r"|(?:一度も|全く|まったく).*(?:ない|なかった|ません)|从未|从来没有|未曾|没有任何",
    re.IGNORECASE,
)


class OtherShape(ToolRetry):
    """`mended`: the query as the question has it; None where that cannot be told."""

    def __init__(self, kind: str, message: str, hint: str, mended: exp.Expr | None = None) -> None:
        super().__init__(kind, message, hint)
        self.mended = None if mended is None else mended.sql(dialect="duckdb")


def check_shape(tree: exp.Expr, question: str, catalog: Catalog) -> None:
    """Raises `OtherShape` "value_left_out", "no_average", "no_groups", "either_for_both",
    "never_by_row" or "sorted_condition". The question must be one that this query is to answer
    alone."""
    for error in _errors(tree, question, catalog):
        raise error


def _errors(tree: exp.Expr, question: str, catalog: Catalog) -> Iterator[OtherShape]:
    yield from _left_out_text(tree, question)
    yield from _left_out_number(tree, question)
    yield from _no_average(tree, question)
    select = tree if isinstance(tree, exp.Select) else None
    if select is None:
        return
    yield from _no_groups(select, question)
    yield from _either_for_both(select, question)
    yield from _never_by_row(select, question, catalog)
    yield from _sorted_condition(select)


def _left_out_text(tree: exp.Expr, question: str) -> Iterator[OtherShape]:
    said = [folded(literal.name) for literal in tree.find_all(exp.Literal)]
    names = {folded(name.name) for name in tree.find_all(exp.Identifier)}
    for match in _QUOTED.finditer(question):
        value = folded(match[1].strip())
        if value in names or any(v and (v in value or value in v) for v in said):
            continue
        message = f"the question says {match[0]}, the query does not"
        yield OtherShape("value_left_out", message, f"add the condition on '{match[1].strip()}'")


def _left_out_number(tree: exp.Expr, question: str) -> Iterator[OtherShape]:
    used = {_digits(n) for literal in tree.find_all(exp.Literal) for n in _numbers(literal.name)}
    for quantity in quantities_of(question):
        if quantity.word or _digits(quantity.value) in used:
            continue
        message = f"the question says {quantity.text.strip()}, the query does not"
        yield OtherShape("value_left_out", message, f"add the condition with {quantity.value:f}")


def _no_average(tree: exp.Expr, question: str) -> Iterator[OtherShape]:
    word = _AVERAGE.search(question)
    if word is None or tree.find(exp.Avg, exp.Div, exp.IntDiv, exp.Median, exp.PercentileCont):
        return
    made = {alias.alias.lower() for alias in tree.find_all(exp.Alias)}
    read = {c.name.lower() for c in tree.find_all(exp.Column)} - made
    if any(_AVERAGE.search(name.replace("_", " ")) for name in read):
        return
    message = f"the question asks for an {word[0]}, the query works none out"
    yield OtherShape("no_average", message, "use AVG(column)")


def _numbers(text: str) -> Iterator[Decimal]:
    for part in re.findall(r"\d+(?:\.\d+)?", text):
        try:
            yield Decimal(part)
        except InvalidOperation:
            continue


def _digits(value: Decimal) -> str:
    """A number without its scale: 50万 is 0.5 where the column counts millions."""
    return f"{abs(value):f}".replace(".", "").strip("0")


def _no_groups(select: exp.Select, question: str) -> Iterator[OtherShape]:
    each = _EACH.search(question)
    if each is None or _MEAN.search(question) or len(select.expressions) != 1:
        return
    if is_one_row(select) and not _reads_steps(select):
        message = f"the question asks for a figure for {each[0].strip()} …, the query gives one"
        yield OtherShape("no_groups", message, "select what it is for and GROUP BY it")


def _reads_steps(select: exp.Select) -> bool:
    return bool(select.args.get("with_")) or select.find(exp.Subquery, exp.Window) is not None


def _either_for_both(select: exp.Select, question: str) -> Iterator[OtherShape]:
    where = select.args.get("where")
    if where is None or not _BOTH.search(question) or select.args.get("group"):
        return
    if any(item.find(exp.AggFunc, exp.Window) for item in select.expressions):
        return
    for part in conjuncts(where.this):
        found = _alternatives(part)
        if found is None or len(found[1]) < 2:
            continue
        column, values = found
        if not _are_joined(values, question):
            continue
        mended = _grouped(select, column, len(values))
        message = (
            f"this finds rows with one of {', '.join(values)}; the question asks for all of them"
        )
        hint = "count the values that each has"
        yield OtherShape("either_for_both", message, hint, mended)


def _are_joined(values: Sequence[str], question: str) -> bool:
    """Whether the question names them all, and nowhere one or the other."""
    text = folded(question)
    places = sorted((text.find(folded(value)), len(folded(value))) for value in values)
    if places[0][0] < 0:
        return False
    ends = [start + length for start, length in places]
    between = [text[end:after] for end, (after, _) in zip(ends, places[1:], strict=False)]
    return not any(_OR.search(part) for part in between)


def _alternatives(part: exp.Expr) -> tuple[exp.Column, list[str]] | None:
    """The column and the texts it may equal: `x = 'a' OR x = 'b'`, `x IN ('a', 'b')`."""
    if isinstance(part, exp.In) and isinstance(part.this, exp.Column):
        if part.expressions and all(isinstance(v, exp.Literal) for v in part.expressions):
            return part.this, [v.name for v in part.expressions]
        return None
    if isinstance(part, exp.Or):
        tests = list(part.flatten())
        if not all(isinstance(t, exp.EQ) and isinstance(t.this, exp.Column) for t in tests):
            return None
        columns = {t.this.sql("duckdb").lower() for t in tests}
        values = [t.expression for t in tests]
        if len(columns) == 1 and all(isinstance(v, exp.Literal) for v in values):
            return tests[0].this, [v.name for v in values]
    return None


def _grouped(select: exp.Select, column: exp.Column, count: int) -> exp.Select:
    made = select.copy()
    made.set("distinct", None)
    made.set("order", None)
    keys = [item.unalias().copy() for item in made.expressions]
    made.set("group", exp.Group(expressions=keys))
    counted = exp.Count(this=exp.Distinct(expressions=[column.copy()]))
    made.set("having", exp.Having(this=counted.eq(count)))
    return made


def _never_by_row(select: exp.Select, question: str, catalog: Catalog) -> Iterator[OtherShape]:
    where = select.args.get("where")
    if where is None or not _NEVER.search(question) or select.args.get("group"):
        return
    columns = [i.unalias() for i in select.expressions]
    if not columns or not all(isinstance(c, exp.Column) for c in columns):
        return
    parts = [p for p in conjuncts(where.this) if not _is_never_met(p, select, catalog)]
    negative = [(p, positive) for p in parts if (positive := _positive(p)) is not None]
    if len(parts) != 1 or len(negative) != 1 or not _is_repeated(select, columns, catalog):
        return
    part, positive = negative[0]
    denied = {c.name.lower() for c in part.find_all(exp.Column)}
    if not denied or denied & {c.name.lower() for c in columns}:
        return
    message = f"{part.sql('duckdb')} leaves rows out, not who has such a row among others"
    hint = "take all, EXCEPT those that have one"
    yield OtherShape("never_by_row", message, hint, _except(select, positive))


def _is_never_met(part: exp.Expr, select: exp.Select, catalog: Catalog) -> bool:
    """`name IS NULL` of the one table's column that has no NULL: "without" as a model reads it."""
    if not isinstance(part, exp.Is) or not isinstance(part.expression, exp.Null):
        return False
    source = select.args.get("from_")
    record = catalog.table(source.this.name) if source is not None else None
    if record is None or select.args.get("joins") or not isinstance(part.this, exp.Column):
        return False
    column = record.column(part.this.name)
    return column is not None and column.nulls == 0


def _is_repeated(select: exp.Select, columns: Sequence[exp.Expr], catalog: Catalog) -> bool:
    """Whether the same answer may stand in several rows: by a join, or as no key of its table."""
    if select.args.get("joins"):
        return True
    source = select.args.get("from_")
    record = catalog.table(source.this.name) if source is not None else None
    found = [record.column(c.name) for c in columns] if record is not None else []
    return bool(record and found) and all(
        c is not None and 0 < c.distinct < record.rows - c.nulls for c in found if record
    )


def _positive(part: exp.Expr) -> exp.Expr | None:
    """`x <> 'a'` as `x = 'a'`, `NOT (…)` as what it denies; None for anything else."""
    if isinstance(part, exp.NEQ) and isinstance(part.expression, exp.Literal):
        return exp.EQ(this=part.this.copy(), expression=part.expression.copy())
    if isinstance(part, exp.Not):
        inner = part.this.unnest()
        if isinstance(inner, exp.In | exp.EQ | exp.Like | exp.ILike):
            return inner.copy()
    return None


def _except(select: exp.Select, positive: exp.Expr) -> exp.Expr:
    """All that FROM names first, without those that have such a row."""
    everything, having_it = select.copy(), select.copy()
    for made in (everything, having_it):
        made.set("distinct", None)
        made.set("order", None)
        made.set("limit", None)
    everything.set("where", None)
    everything.set("joins", None)
    having_it.set("where", exp.Where(this=positive))
    return exp.except_(everything, having_it)


def _sorted_condition(select: exp.Select) -> Iterator[OtherShape]:
    order, limit = select.args.get("order"), select.args.get("limit")
    for item in order.expressions if order is not None and limit is not None else ():
        test = item.this.unnest()
        if isinstance(test, exp.EQ | exp.Like | exp.ILike | exp.In):
            condition = test.sql("duckdb")
            message = f"ORDER BY {condition} only sorts; rows that do not meet it stay"
            hint = f"put it into WHERE: WHERE {condition}"
            yield OtherShape("sorted_condition", message, hint, _filtered(select, test))


def _filtered(select: exp.Select, test: exp.Expr) -> exp.Select:
    """With the condition in WHERE; nothing else of the order was asked for."""
    made = select.copy()
    made.set("order", None)
    made.set("limit", None)
    return made.where(test.copy())
