"""One query that runs, over the tables that a failed one was about."""

from sqlglot import exp

from ingest.store import Catalog, ColumnRecord, JoinRecord, TableRecord
from tools.sql.dividers import NUMBERS, dividers_of
from tools.sql.names import nearest
from tools.sql.renames import is_key_name
from tools.sql.rewrite import quote_identifiers

ALIASES = ("a", "b")


def example(sql: str, catalog: Catalog) -> str | None:
    """A figure by a text column; over a proved join where the query names two such tables.

    None where the text names no table, nor anything like one.
    """
    tables = _named(sql, catalog)
    if not tables:
        return None
    for join in catalog.joins:
        ends = [t for name in (join.left_table, join.right_table) for t in tables if t.name == name]
        if len(ends) == 2 and ends[0] is not ends[1]:
            return _text(_joined(ends[0], ends[1], join))
    return _text(_grouped(tables[0], None, _number(tables[0], catalog)))


def _named(sql: str, catalog: Catalog) -> list[TableRecord]:
    """The tables whose names the text holds; else the one most like a word of it."""
    low = sql.lower()
    found = [t for t in catalog.tables if t.name.lower() in low]
    if found:
        return sorted(found, key=lambda t: low.index(t.name.lower()))
    names = [t.name for t in catalog.tables]
    after = [b for a, b in zip(low.split(), low.split()[1:], strict=False) if a in ("from", "join")]
    like = [name for word in after for name in nearest(word.strip('";,()'), names, 1)]
    record = catalog.table(like[0]) if like else None
    return [record] if record is not None else []


def _joined(left: TableRecord, right: TableRecord, join: JoinRecord) -> exp.Select:
    """Many `left` to one `right`."""
    a, b = ALIASES
    shown = _label(right) or right.column(join.right_column)
    figure = _number(left, Catalog(joins=(join,)))
    on = exp.column(join.left_column, table=a).eq(exp.column(join.right_column, table=b))
    assert shown is not None
    by = exp.column(shown.name, table=b)
    return (
        exp.select(by, _figure(figure, a))
        .from_(exp.to_table(left.name, alias=a))
        .join(exp.to_table(right.name, alias=b), on=on)
        .group_by(by.copy())
    )


def _grouped(table: TableRecord, alias: str | None, figure: ColumnRecord | None) -> exp.Select:
    label = _label(table)
    if label is None:
        return exp.select(_figure(figure, alias)).from_(exp.to_table(table.name))
    by = exp.column(label.name)
    return (
        exp.select(by, _figure(figure, alias)).from_(exp.to_table(table.name)).group_by(by.copy())
    )


def _figure(column: ColumnRecord | None, alias: str | None) -> exp.Expr:
    if column is None:
        return exp.Count(this=exp.Star())
    return exp.Sum(this=exp.column(column.name, table=alias))


def _label(table: TableRecord) -> ColumnRecord | None:
    """A text that several rows share, else any."""
    texts = [c for c in table.columns if c.type == "VARCHAR"]
    shared = [c for c in texts if 1 < c.distinct < table.rows]
    return next(iter(shared or texts), None)


def _number(table: TableRecord, catalog: Catalog) -> ColumnRecord | None:
    """A flow, which may be summed over all rows; None where only the rows may be counted: a year or
    a rank is a number as well."""
    if table.snapshot or any(dividers_of(table)):
        return None
    keys = {*table.primary_key}
    for join in catalog.joins:
        keys |= {c for t, c in _ends(join) if t == table.name}
    flows = (
        c
        for c in table.columns
        if c.type.startswith(NUMBERS)
        and c.name not in keys
        and c.measure == "flow"
        and not is_key_name(c.name)
    )
    return next(flows, None)


def _ends(join: JoinRecord) -> tuple[tuple[str, str], tuple[str, str]]:
    return (join.left_table, join.left_column), (join.right_table, join.right_column)


def _text(query: exp.Select) -> str:
    quote_identifiers(query)
    return query.sql(dialect="duckdb")
