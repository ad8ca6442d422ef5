"""As of when: the days of the stock that a query reads."""

from collections.abc import Iterator
from datetime import date

from sqlglot import exp, parse_one
from sqlglot.errors import SqlglotError
from sqlglot.optimizer.scope import Scope

from ingest.store import Catalog, TableRecord
from tools.errors import ToolError
from tools.sql.doubts import Ask, behind, probe, quoted
from tools.sql.guard import CheckedQuery
from tools.sql.multiplied import Joined
from tools.sql.read_days import dated_conditions, days_query
from tools.sql.sources import conditions, scopes_of, sources_of
from tools.sql.stock import is_series
from tools.sql.unfold import unfolded

Days = tuple[date, date]


def stock_notes(query: CheckedQuery, catalog: Catalog, ask: Ask) -> Iterator[str]:
    """One note for each stock table of the query; the warehouse is asked only where the query's
    text does not tell the day."""
    for name in query.tables:
        table = catalog.table(name)
        if table is None:
            continue
        if is_series(table):
            days = _days(query, table, catalog, ask)
            if days is not None:
                yield _said(table, *days)
        elif _reads_undated_stock(query, table):
            yield f"stock as in {table.source}, which gives no date ({table.name})"


def _said(table: TableRecord, first: date, last: date) -> str:
    if first == last:
        return f"stock as of {last.isoformat()} ({table.name})"
    return f"stock of {first.isoformat()} to {last.isoformat()} ({table.name})"


def _reads_undated_stock(query: CheckedQuery, table: TableRecord) -> bool:
    if table.date_column is not None:
        return False
    used = {column for name, column in query.columns if name == table.name}
    return any(c.measure == "stock" and c.name in used for c in table.columns)


def _days(query: CheckedQuery, table: TableRecord, catalog: Catalog, ask: Ask) -> Days | None:
    """The first and the last day read; all that the table has where that cannot be told."""
    whole = (table.data_from or table.data_to, table.data_to)
    named = sorted(filter(None, (_day(v) for t, _, v in query.date_filters if t == table.name)))
    found: list[Days] = []
    try:
        tree = parse_one(query.sql, dialect="duckdb")
        if len(named) == 1 and _is_read_once(tree, table):
            return (named[0], named[0]) if _has_rows(table, named[0], ask) else None
        asked = days_query(tree, table, catalog)
        found = _rows(asked, ask) if asked is not None else []
        if not found:
            folded = unfolded(tree, catalog)
            tree = folded[0] if len(folded) == 1 else tree
            scopes = scopes_of(tree)
            found = [d for scope in scopes for d in _read(tree, scope, table, catalog, ask)]
    except (SqlglotError, RecursionError, ToolError):
        found = []
    if found:
        return min(d for d, _ in found), max(d for _, d in found)
    return (whole[0], whole[1]) if whole[0] is not None and whole[1] is not None else None


def _is_read_once(tree: exp.Expr, table: TableRecord) -> bool:
    readers = [t for t in tree.find_all(exp.Table) if t.name.lower() == table.name.lower()]
    return len(readers) == 1 and tree.find(exp.Or, exp.Not, exp.Case) is None


def _rows(asked: str, ask: Ask) -> list[Days]:
    """The days that a query gives; none where it finds none, or cannot be asked."""
    try:
        rows = ask(asked).rows
    except ToolError:
        return []
    days = [(_day(str(first)), _day(str(last))) for first, last in rows]
    return [(first, last) for first, last in days if first is not None and last is not None]


def _has_rows(table: TableRecord, day: date, ask: Ask) -> bool:
    """Whether there is stock of that day: of one without, nothing is as of then."""
    column = exp.column(quoted(table.date_column or ""))
    there = exp.EQ(this=exp.cast(column, "DATE"), expression=exp.Literal.string(day.isoformat()))
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
    if not isinstance(select, exp.Select) or table.date_column is None:
        return
    sources = sources_of(scope, catalog)
    shape = Joined(sources)
    dated = table.date_column.lower()
    for alias, source in sources.items():
        columns = {c.name.lower() for c in scope.columns if shape.place(c) is not None}
        if source.record is not table or (columns <= {dated} and not select.is_star):
            continue
        if not conditions(select) and table.data_from and table.data_to:
            yield table.data_from, table.data_to
            continue
        column = exp.column(quoted(table.date_column), table=quoted(alias))
        ends = (exp.Min(this=column.copy()), exp.Max(this=column.copy()))
        some = exp.GT(this=exp.Count(this=column.copy()), expression=exp.Literal.number(0))
        found = _rows(probe(tree, select, outputs=ends, having=some), ask)
        yield from found or _of_dates(tree, select, ends, table, ask)


def _of_dates(
    tree: exp.Expr, select: exp.Select, ends: tuple[exp.Expr, ...], table: TableRecord, ask: Ask
) -> list[Days]:
    """The days looked at where no row meets the other conditions: "none" is as of then."""
    made = behind(tree, select, dated_conditions(select, table.date_column or ""))
    made.set("expressions", list(ends))
    return _rows(made.sql(dialect="duckdb", comments=False), ask)


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text[:10])
    except ValueError:
        return None
