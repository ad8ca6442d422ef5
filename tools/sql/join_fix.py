"""What is said of rows that a join repeats, and the fix as SQL."""

from collections.abc import Sequence

from sqlglot import exp

from ingest.store import Catalog
from tools.sql.calls import Call
from tools.sql.multiplied import Joined, Place
from tools.sql.sources import Source, group_keys


def _link(home: Source, repeating: Source, shape: Joined) -> tuple[Place, Place] | None:
    """The equality over which the repeating source is joined: its own column and the other."""
    for place, needs in shape.equalities:
        if place[0] == repeating.alias and len(needs) == 1:
            (other,) = needs
            if other[0] != repeating.alias:
                return place, other
    return None


def message(call: Call, homes: set[str], home: Source, repeating: Source, shape: Joined) -> str:
    link = _link(home, repeating, shape)
    said = call.node.sql(dialect="duckdb")
    if link is None:
        whole = "too large" if isinstance(call.node, exp.Sum | exp.Count) else "wrong"
        return f"{said} is {whole}: {repeating.name} multiplies rows of {home.name}"
    ends = sorted(f"{shape.sources[alias].name}.{column}" for alias, column in link)
    over = " = ".join(ends)
    if len(homes) > 1:
        return f"{over} multiplies rows: it is unique on neither side, so {said} is too large"
    return (
        f"{over} multiplies rows: several of {repeating.name} meet one of {home.name}, "
        f"so {said} takes it several times"
    )


def hint(
    call: Call,
    select: exp.Select,
    homes: set[str],
    home: Source,
    repeating: Source,
    shape: Joined,
    catalog: Catalog,
) -> str:
    ways = []
    names = {home.name, repeating.name}
    link = _link(home, repeating, shape)
    used = {shape.sources[a].name + "." + c for a, c in link} if link is not None else set()
    proved = [
        (f"{j.left_table}.{j.left_column}", f"{j.right_table}.{j.right_column}")
        for j in catalog.joins
        if {j.left_table, j.right_table} == names
    ]
    other = [" = ".join(ends) for ends in proved if {e.lower() for e in ends} != _lower(used)]
    if other:
        ways.append(f"join by {'; '.join(other)}")
    if isinstance(call.node, exp.Count) and len(homes) == 1:
        ways.append(f"COUNT(DISTINCT {call.value.sql(dialect='duckdb')})")
    ways += _rewritten(select, home, repeating, link, shape)
    return ", or ".join(ways)


def _lower(names: set[str]) -> set[str]:
    return {name.lower() for name in names}


def _rewritten(
    select: exp.Select,
    home: Source,
    repeating: Source,
    link: tuple[Place, Place] | None,
    shape: Joined,
) -> Sequence[str]:
    """The fix as SQL: a condition alone as IN, else the many rows added up before the join."""
    if link is None and repeating.is_made:
        return [f"leave {repeating.name} out, or add {home.name} up in a WITH step before it"]
    if link is None and repeating.within:
        return [f"make {repeating.name} one row: an aggregate without GROUP BY, or LIMIT 1"]
    if link is None:
        return [f"aggregate {repeating.name} in a WITH step before joining it"]
    (_, column), (alias, other) = link
    shown = [*select.expressions, *(group_keys(select) or ())]
    if not any(repeating.alias in shape.aliases(part) for part in shown):
        return [f"WHERE {alias}.{other} IN (SELECT {column} FROM {repeating.name} WHERE …)"]
    return [
        f"first WITH m AS (SELECT {column}, SUM(…) AS … FROM {repeating.name} GROUP BY {column}), "
        f"then JOIN m ON m.{column} = {alias}.{other}"
    ]
