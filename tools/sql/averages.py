"""A sum of stock over days that is divided by how many days they are: an average, and right.

`SUM(on_hand) / 30.0` over thirty days says how much lay there on a day. The divisor is compared
with the days that the rows hold; a tenth either way is a month taken as thirty days.
"""

from collections.abc import Iterator

from sqlglot import exp

from tools.sql.calls import Call

AROUND = (exp.Paren, exp.Cast, exp.TryCast, exp.Round, exp.Mul, exp.Coalesce, exp.Ceil, exp.Floor)
TOLERANCE = "0.1"


def divisors_of(tree: exp.Expr, call: Call) -> list[exp.Expr]:
    """What a sum is divided by, wherever it is read; none where it stands as it is somewhere."""
    return _divisors(tree, _whole(call))


def _whole(call: Call) -> exp.Expr:
    """The aggregate with its FILTER and its window."""
    node: exp.Expr = call.node
    if isinstance(node.parent, exp.Filter):
        node = node.parent
    return node.parent if isinstance(node.parent, exp.Window) else node


def _outer(node: exp.Expr) -> tuple[exp.Expr, exp.Expr | None]:
    """The node with what only shapes it, and what stands around that."""
    around = node.parent
    while isinstance(around, AROUND):
        node, around = around, around.parent
    return node, around


def is_of_rows(divisor: exp.Expr) -> bool:
    """A mean of the rows themselves: divided by their COUNT."""
    return any(
        not isinstance(count.this, exp.Distinct) and count.find_ancestor(exp.Subquery) is None
        for count in divisor.find_all(exp.Count)
    )


def is_share(call: Call) -> bool:
    """One side of a division by a sum of the same column: of the same days, the days cancel."""
    child, around = _outer(_whole(call))
    if not isinstance(around, exp.Div):
        return False
    other = around.right if around.left is child else around.left
    columns = {c.name.lower() for c in call.value.find_all(exp.Column)}
    sums = other.find_all(exp.Sum)
    return any({c.name.lower() for c in s.find_all(exp.Column)} & columns for s in sums)


def other_days(divisor: exp.Expr, date: exp.Expr) -> exp.Expr:
    """The condition that a group holds more days, or fewer, than it is divided by."""
    days = exp.Count(this=exp.Distinct(expressions=[date.copy()]))
    by = exp.paren(divisor.copy())
    apart = exp.Abs(this=exp.Sub(this=days, expression=by.copy()))
    allowed = exp.Mul(this=by, expression=exp.Literal.number(TOLERANCE))
    return exp.GT(this=apart, expression=allowed)


def is_own_frame(call: Call) -> bool:
    """`SUM(x) OVER (… ROWS BETWEEN 1 PRECEDING AND 1 PRECEDING)`: the row before."""
    spec = _spec(call)
    if spec is None:
        return False
    first, last = ((spec.args.get(end), spec.args.get(f"{end}_side")) for end in ("start", "end"))
    return first == last


def is_moving_average(call: Call, divisor: exp.Expr) -> bool:
    """`SUM(x) OVER (… ROWS 6 PRECEDING) / 7`: divided by as many rows as its frame has."""
    spec = _spec(call)
    if spec is None:
        return False
    rows, by = _number(spec.args.get("start")), _number(divisor)
    return rows is None or by is None or rows + 1 == by


def _spec(call: Call) -> exp.WindowSpec | None:
    around = call.node.parent
    around = around.parent if isinstance(around, exp.Filter) else around
    spec = around.args.get("spec") if isinstance(around, exp.Window) else None
    return spec if isinstance(spec, exp.WindowSpec) else None


def _number(node: object) -> float | None:
    is_number = isinstance(node, exp.Literal) and not node.is_string
    return float(node.name) if isinstance(node, exp.Literal) and is_number else None


def _divisors(tree: exp.Expr, node: exp.Expr, depth: int = 0) -> list[exp.Expr]:
    child, around = _outer(node)
    if isinstance(around, exp.Div):
        return [_meant(tree, around.right)] if around.left is child else []
    if isinstance(around, exp.Alias):
        child, around = around, around.parent
    if not isinstance(around, exp.Select) or around is tree or depth == 3:
        return []
    readers = list(_readers(tree, around, child.alias_or_name))
    found = [_divisors(tree, reader, depth + 1) for reader in readers]
    return [d for one in found for d in one] if found and all(found) else []


def _readers(tree: exp.Expr, step: exp.Select, name: str) -> Iterator[exp.Column]:
    for column in tree.find_all(exp.Column):
        if column.name.lower() == name.lower() and column.find_ancestor(exp.Select) is not step:
            yield column


def _meant(tree: exp.Expr, divisor: exp.Expr) -> exp.Expr:
    """A column of a step as the count that the step gives under that name."""
    while isinstance(divisor, exp.Paren | exp.Cast | exp.Nullif):
        divisor = divisor.this
    if isinstance(divisor, exp.Column):
        for alias in tree.find_all(exp.Alias):
            if alias.alias.lower() == divisor.name.lower() and alias.find(exp.Count) is not None:
                count: exp.Expr = alias.this
                return count.copy()
    return divisor
