"""As of when: the days of the stock that a query reads."""

from collections.abc import Iterator

from sqlglot import exp, parse_one
from sqlglot.errors import SqlglotError
from sqlglot.optimizer.scope import Scope

from ingest.store import Catalog, TableRecord
from tools.errors import ToolError
from tools.sql.doubts import Ask, behind, probe, quoted
from tools.sql.guard import CheckedQuery
from tools.sql.levels import dates_of, is_by_day, is_month_end, moment, when
from tools.sql.multiplied import Joined
from tools.sql.read_days import dated_conditions, days_query
from tools.sql.sources import conditions, scopes_of, sources_of
from tools.sql.stock import is_series
from tools.sql.unfold import unfolded

Days = tuple[str, str]
"""The first and the last, as `when` says them."""


def stock_notes(query: CheckedQuery, catalog: Catalog, ask: Ask) -> Iterator[str]:
    """One note for each stock table of the query; the warehouse is asked only where the query's
    text does not tell the day."""
    for name in query.tables:
        table = catalog.table(name)
        if table is None:
            continue
        if is_series(table):
            read = _stock_read(query, table)
            days = _days(query, table, catalog, ask) if read or table.snapshot else None
            if days is not None:
                yield _said(table, read, *days)
        elif _reads_undated_stock(query, table):
            yield f"stock as in {table.source}, which gives no date ({table.name})"


def _said(table: TableRecord, read: list[str], first: str, last: str) -> str:
    if first == last:
        end = " (month end)" if is_month_end(last, table, read) else ""
        return f"stock as of {last}{end} ({table.name})"
    return f"stock of {first} to {last} ({table.name})"


def _stock_read(query: CheckedQuery, table: TableRecord) -> list[str]:
    used = {column for name, column in query.columns if name == table.name}
    return [c.name for c in table.columns if c.measure == "stock" and c.name in used]


def _reads_undated_stock(query: CheckedQuery, table: TableRecord) -> bool:
    return not dates_of(table) and bool(_stock_read(query, table))


def _days(query: CheckedQuery, table: TableRecord, catalog: Catalog, ask: Ask) -> Days | None:
    """The first and the last day read; all that the table has where that cannot be told."""
    named = [v for t, _, v in query.date_filters if t == table.name and is_by_day(table)]
    named = [day for value in named if (day := when(table, value)) is not None]
    found: list[Days] | None = []
    try:
        tree = parse_one(query.sql, dialect="duckdb")
        if len(named) == 1 and _is_read_once(tree, table):
            return (named[0], named[0]) if _has_rows(table, named[0], ask) else None
        asked = days_query(tree, table, catalog)
        found = _rows(asked, table, ask) if asked is not None else []
        if not found:
            folded = unfolded(tree, catalog)
            tree = folded[0] if len(folded) == 1 else tree
            scopes = scopes_of(tree)
            found = [d for scope in scopes for d in _read(tree, scope, table, catalog, ask)]
            if not found and not is_by_day(table) and _picks_period(tree, table):
                found = None
    except (SqlglotError, RecursionError, ToolError):
        found = []
    if found:
        return min(d for d, _ in found), max(d for _, d in found)
    return None if found is None else _whole(table, ask)


def _whole(table: TableRecord, ask: Ask) -> Days | None:
    first, last = when(table, table.data_from or table.data_to), when(table, table.data_to)
    if first is not None and last is not None and dates_of(table) == (table.date_column,):
        return first, last
    held = moment(table, table.name)
    ends = exp.select(exp.Min(this=held), exp.Max(this=held.copy()))
    asked = ends.from_(exp.table_(quoted(table.name))).sql(dialect="duckdb")
    return next(iter(_rows(asked, table, ask)), None) if table.period else None


def _picks_period(tree: exp.Expr, table: TableRecord) -> bool:
    return any(dated_conditions(select, table) for select in tree.find_all(exp.Select))


def _is_read_once(tree: exp.Expr, table: TableRecord) -> bool:
    readers = [t for t in tree.find_all(exp.Table) if t.name.lower() == table.name.lower()]
    return len(readers) == 1 and tree.find(exp.Or, exp.Not, exp.Case) is None


def _rows(asked: str, table: TableRecord, ask: Ask) -> list[Days]:
    """The days that a query gives; none where it finds none, or cannot be asked."""
    try:
        rows = ask(asked).rows
    except ToolError:
        return []
    days = [(when(table, first), when(table, last)) for first, last in rows]
    return [(first, last) for first, last in days if first is not None and last is not None]


def _has_rows(table: TableRecord, day: str, ask: Ask) -> bool:
    """Whether there is stock of that day: of one without, nothing is as of then."""
    column = exp.column(quoted(dates_of(table)[0]))
    there = exp.EQ(this=exp.cast(column, "DATE"), expression=exp.Literal.string(day))
    looked = exp.select("1").from_(exp.table_(quoted(table.name))).where(there).limit(1)
    try:
        return ask(looked.sql(dialect="duckdb")).row_count > 0
    except ToolError:
        return True


def _read(
    tree: exp.Expr, scope: Scope, table: TableRecord, catalog: Catalog, ask: Ask
) -> Iterator[Days]:
    """The days of the table's rows that one SELECT meets. One that only looks a date up (its
    MAX) reads no stock."""
    select = scope.expression
    if not isinstance(select, exp.Select) or not dates_of(table):
        return
    sources = sources_of(scope, catalog)
    shape = Joined(sources)
    dated = {name.lower() for name in dates_of(table)}
    for alias, source in sources.items():
        columns = {c.name.lower() for c in scope.columns if shape.place(c) is not None}
        if source.record is not table or (columns <= dated and not select.is_star):
            continue
        whole = None if conditions(select) else _whole(table, ask)
        if whole is not None:
            yield whole
            continue
        column = moment(table, alias)
        ends = (exp.Min(this=column.copy()), exp.Max(this=column.copy()))
        some = exp.GT(this=exp.Count(this=column.copy()), expression=exp.Literal.number(0))
        found = _rows(probe(tree, select, outputs=ends, having=some), table, ask)
        yield from found or _of_dates(tree, select, ends, table, ask)


def _of_dates(
    tree: exp.Expr, select: exp.Select, ends: tuple[exp.Expr, ...], table: TableRecord, ask: Ask
) -> list[Days]:
    """The days looked at where no row meets the other conditions: "none" is as of then."""
    made = behind(tree, select, dated_conditions(select, table))
    made.set("expressions", list(ends))
    return _rows(made.sql(dialect="duckdb", comments=False), table, ask)
