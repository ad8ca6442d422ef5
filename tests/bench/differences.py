"""In what the shape of an answer's query differs from that of the gold query."""

from collections.abc import Iterable, Iterator, Set
from datetime import date, timedelta

from tests.bench.conditions import Filter, Pair
from tests.bench.shapes import Shape

_DAY = timedelta(days=1)

Difference = tuple[str, str]
"""A kind and what differs."""


def strong(gold: Shape, answer: Shape) -> Iterator[Difference]:
    """In the order in which they tell most."""
    yield from _tables(gold, answer)
    yield from _joins(gold, answer)
    yield from _filters(gold, answer)
    yield from _aggregates(gold, answer)
    missing = [c for c in dict.fromkeys(gold.selected) if c not in answer.selected]
    if missing and "*" not in (*gold.selected, *answer.selected):
        yield "wrong column", f"not shown: {', '.join(missing)}"


def weak(gold: Shape, answer: Shape) -> Iterator[Difference]:
    """What often makes no difference, in the same order."""
    if gold.optional - gold.without != answer.optional - answer.without:
        told = ", ".join(sorted(gold.optional ^ answer.optional))
        yield "wrong join", f"an outer join in one query only: {told}"
    if answer.self_joined != gold.self_joined:
        twice, asked = _told(answer.self_joined), _told(gold.self_joined)
        yield "wrong join", f"{twice} joined with itself, gold {asked}"
    for f in sorted(gold.filters ^ answer.filters):
        if _is_null_test(f):
            side = "missing" if f in gold.filters else "added"
            kind = "missing filter" if f in gold.filters else "extra filter"
            yield kind, f"filter {side}: {f}"
    if gold.groups != answer.groups:
        yield "wrong aggregate", f"grouped by {_told(answer.groups)}, gold by {_told(gold.groups)}"
    if gold.distinct != answer.distinct:
        yield "wrong aggregate", f"DISTINCT {'missing' if gold.distinct else 'added'}"


def _tables(gold: Shape, answer: Shape) -> Iterator[Difference]:
    missing, extra = gold.tables - answer.tables, answer.tables - gold.tables
    if missing and not extra and _only_filter(gold, missing):
        return
    if extra and not missing and _only_filter(answer, extra):
        return
    if missing and extra:
        yield "wrong table", f"{_told(extra)} read instead of {_told(missing)}"
    elif missing:
        yield _alone(gold, missing, "not")
    elif extra:
        yield _alone(answer, extra, "also")


def _alone(shape: Shape, tables: set[str], how: str) -> Difference:
    """Tables of one query only: of which no column is used but to join or to show, a join."""
    if any(_table(column) in tables for use, column in shape.uses if use != "shown"):
        return "wrong table", f"table {how} read: {_told(tables)}"
    return "wrong join", f"table {how} joined: {_told(tables)}"


def _only_filter(shape: Shape, tables: set[str]) -> bool:
    """Whether these tables are there for a filter only, which is the difference then."""
    uses = {table: {use for use, c in shape.uses if _table(c) == table} for table in tables}
    return all("filter" in found and "figure" not in found for found in uses.values())


def _joins(gold: Shape, answer: Shape) -> Iterator[Difference]:
    if gold.without != answer.without:
        yield (
            "wrong join",
            f"rows without {_told(answer.without)}, gold without {_told(gold.without)}",
        )
    common = gold.tables & answer.tables - gold.without - answer.without
    missing = _unjoined(gold.pairs, answer.pairs, common)
    extra = _unjoined(answer.pairs, gold.pairs, common)
    if missing or extra:
        yield "wrong join", f"joined on {_pairs(extra)}, gold on {_pairs(missing)}"


def _unjoined(pairs: set[Pair], others: set[Pair], tables: set[str]) -> list[Pair]:
    """The pairs between these tables that the others don't set equal, not even by way of a third."""
    same = representatives(others)
    between = [pair for pair in pairs if all(_table(column) in tables for column in pair)]
    return [pair for pair in between if len({same.get(c, c) for c in pair}) > 1]


def _filters(gold: Shape, answer: Shape) -> Iterator[Difference]:
    asked, given = (_by_column(_plain(s.filters)) for s in (gold, answer))
    missing = [c for c in asked if c not in given]
    extra = [c for c in given if c not in asked]
    other = [c for c in asked if c in given and asked[c] != given[c]]
    periods = [c for c in (*missing, *extra, *other) if _is_period(asked.get(c), given.get(c))]
    for column in periods:
        told, wanted = _and(given.get(column)), _and(asked.get(column))
        yield "wrong period", f"{told or 'no period'}, gold {wanted or 'has none'}"
    moved = [(m, e) for m in missing for e in extra if _tests(asked[m]) & _tests(given[e])]
    for m, e in moved:
        yield "wrong column", f"filter on {_and(given[e])}, gold on {_and(asked[m])}"
    for column in missing:
        if column not in periods and column not in {m for m, _ in moved}:
            yield "missing filter", f"filter missing: {_and(asked[column])}"
    yield from _logic(gold, answer)
    yield from _having(gold, answer, missing=True)
    for column in extra:
        if column not in periods and column not in {e for _, e in moved}:
            yield "extra filter", f"filter added: {_and(given[column])}"
    for column in other:
        if column not in periods:
            yield "wrong value", f"{_and(given[column])}, gold {_and(asked[column])}"
    yield from _having(gold, answer, missing=False)


def _logic(gold: Shape, answer: Shape) -> Iterator[Difference]:
    if gold.intersects and not (answer.intersects or answer.reads_twice or answer.having):
        yield "missing filter", "both conditions must hold: INTERSECT missing"
    elif gold.either != answer.either and len(_by_column(gold.filters)) > 1:
        wider = len(answer.either) > len(gold.either)
        columns = _told(set().union(*(gold.either ^ answer.either)))
        kind = "missing filter" if wider else "extra filter"
        told = ("OR", "AND") if wider else ("AND", "OR")
        yield kind, f"{columns} joined by {told[0]}, gold by {told[1]}"


def _having(gold: Shape, answer: Shape, *, missing: bool) -> Iterator[Difference]:
    asked, given = _by_column(gold.having), _by_column(answer.having)
    if missing and asked and not given and not answer.picks - gold.picks:
        yield "missing filter", f"HAVING missing: {_told(map(str, gold.having))}"
    elif not missing and asked and given and gold.having != answer.having:
        told = (_told(map(str, shape.having)) for shape in (answer, gold))
        yield "wrong value", "HAVING {}, gold {}".format(*told)


def _aggregates(gold: Shape, answer: Shape) -> Iterator[Difference]:
    missing = _figures(gold) - answer.aggregates
    extra = _figures(answer) - gold.aggregates
    nested = gold.groups <= answer.groups or answer.groups <= gold.groups
    regrouped = bool(gold.groups) != bool(answer.groups) or not nested
    one_row = bool(extra) and not gold.aggregates and not answer.groups
    if missing or one_row:
        yield "wrong aggregate", f"{_told(extra)}, gold {_told(missing)}"
    if regrouped and not _is_distinct(gold, answer):
        yield "wrong aggregate", f"grouped by {_told(answer.groups)}, gold by {_told(gold.groups)}"
    if gold.picks != answer.picks:
        told = (_told(map(str, s)) for s in (answer.picks - gold.picks, gold.picks - answer.picks))
        yield "wrong aggregate", "{}, gold {}".format(*told)
    if answer.having and not gold.having and not gold.filters:
        yield "wrong aggregate", f"HAVING added: {_told(map(str, answer.having))}"


def _figures(shape: Shape) -> set[str]:
    """Without a MAX or MIN that only picks rows."""
    return shape.aggregates - {f"{f}({p.key})" for f in ("MAX", "MIN") for p in shape.picks}


def _is_distinct(gold: Shape, answer: Shape) -> bool:
    """GROUP BY without a figure is DISTINCT."""
    return not gold.aggregates and not answer.aggregates


def _plain(filters: set[Filter]) -> set[Filter]:
    return {f for f in filters if not _is_null_test(f)}


def _is_null_test(f: Filter) -> bool:
    return f.operator == "IS NOT"


def _by_column(filters: Iterable[Filter]) -> dict[str, set[Filter]]:
    found: dict[str, set[Filter]] = {}
    for one in sorted(map(_whole, filters)):
        for f in one:
            found.setdefault(f.column, set()).add(f)
    return found


def _whole(f: Filter) -> tuple[Filter, ...]:
    """Periods in one spelling: from a day on, before a day."""
    if f.column.startswith("YEAR(") and f.operator == "=" and f.value.isdigit():
        first, after = f"{int(f.value):04}-01-01", f"{int(f.value) + 1:04}-01-01"
        column = f.column[len("YEAR(") : -1]
        return Filter(column, ">=", first), Filter(column, "<", after)
    turned = {"<=": "<", ">": ">="}.get(f.operator)
    if turned is None:
        return (f,)
    try:
        return (Filter(f.column, turned, (date.fromisoformat(f.value) + _DAY).isoformat()),)
    except ValueError:
        return (f,)


def _is_period(*parts: set[Filter] | None) -> bool:
    return any(f.is_period for part in parts for f in part or ())


def _tests(filters: set[Filter]) -> set[tuple[str, str]]:
    return {(f.operator, f.value) for f in filters}


def representatives(pairs: Iterable[Pair], avoided: Set[str] = frozenset()) -> dict[str, str]:
    """For each column that is set equal to another, the one that stands for all of them; if
    possible of no avoided table."""
    groups: list[set[str]] = []
    for pair in pairs:
        met = [group for group in groups if group & pair]
        groups = [group for group in groups if not group & pair]
        groups.append(set(pair).union(*met))
    chosen = {min(group, key=lambda c: (_table(c) in avoided, c)): group for group in groups}
    return {column: name for name, group in chosen.items() for column in group}


def _table(column: str) -> str:
    return column.rpartition(".")[0]


def _and(filters: set[Filter] | None) -> str:
    found = sorted(filters or ())
    if len(found) > 1 and {f.operator for f in found} == {"="}:
        return f"{found[0].column} IN ({', '.join(f.value for f in found)})"
    return " AND ".join(map(str, found))


def _pairs(pairs: list[Pair]) -> str:
    return _told(" = ".join(sorted(pair)) for pair in pairs)


def _told(names: Iterable[str]) -> str:
    return ", ".join(sorted(names)) or "none"
