"""How the model sees the catalog: whole while it fits its budget, else the slice that matters."""

import re
from collections.abc import Iterable, Sequence

from ingest.store import Catalog, ColumnRecord, TableRecord

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*$")
_SHORT_TYPES = {
    "BIGINT": "int",
    "INTEGER": "int",
    "DOUBLE": "float",
    "VARCHAR": "text",
    "DATE": "date",
    "TIMESTAMP": "timestamp",
    "BOOLEAN": "bool",
}
MAX_EXAMPLES = 6
MAX_EXAMPLE_CHARACTERS = 24


def estimate_tokens(text: str) -> int:
    """About the tokens of a text: 3 ASCII characters or one other character each."""
    ascii_characters = sum(1 for c in text if c.isascii())
    return (ascii_characters + 2) // 3 + (len(text) - ascii_characters)


def render_catalog(catalog: Catalog, budget: int) -> tuple[str, bool]:
    """The catalog for the system prompt and whether it is whole.

    What costs most is given up first: sample values, then columns. With columns gone, the
    question's own slice (`render_slice`) goes beside the question.
    """
    if not catalog.tables:
        return "There are no tables.", True
    for examples in (MAX_EXAMPLES, 2, 0):
        text = _tables_and_joins(catalog, catalog.tables, examples)
        if estimate_tokens(text) <= budget:
            return text, True
    names = ", ".join(quoted(t.name) for t in catalog.tables)
    return f"Tables (columns of those that matter are given with the question): {names}", False


def render_slice(catalog: Catalog, tables: Sequence[TableRecord], budget: int) -> str:
    """As many of `tables` (most relevant first) as fit, with the joins among them."""
    chosen: list[TableRecord] = []
    for table in tables:
        text = _tables_and_joins(catalog, [*chosen, table], 2)
        if chosen and estimate_tokens(text) > budget:
            break
        chosen.append(table)
    return _tables_and_joins(catalog, chosen, 2)


def quoted(name: str) -> str:
    return name if _PLAIN.match(name) else '"' + name.replace('"', '""') + '"'


def _tables_and_joins(catalog: Catalog, tables: Iterable[TableRecord], examples: int) -> str:
    tables = list(tables)
    names = {t.name for t in tables}
    lines = ["Tables", *(_table_line(t, examples) for t in tables)]
    joins = [
        f"{quoted(j.left_table)}.{quoted(j.left_column)}"
        f" = {quoted(j.right_table)}.{quoted(j.right_column)}"
        for j in catalog.joins
        if j.left_table in names and j.right_table in names
    ]
    return "\n".join([*lines, *(["Joins", *joins] if joins else [])])


def _table_line(table: TableRecord, examples: int) -> str:
    columns = ", ".join(_column(c, table, examples) for c in table.columns)
    about = f" {table.description}" if table.description else ""
    return f"{quoted(table.name)} ({table.rows} rows){about}: {columns}"


def _column(column: ColumnRecord, table: TableRecord, examples: int) -> str:
    kind = _SHORT_TYPES.get(
        column.type, "decimal" if column.type.startswith("DEC") else column.type
    )
    parts = [quoted(column.name), kind]
    if column.unit:
        parts.append(column.unit)
    if column.description:
        parts.append(column.description)
    if examples and column.name == table.date_column and table.data_from:
        parts.append(f"{table.data_from}..{table.data_to}")
    elif examples and column.type == "VARCHAR":
        closed = 0 < column.distinct <= examples
        shown = [e for e in column.examples if len(e) <= MAX_EXAMPLE_CHARACTERS]
        parts.append("|".join(shown[: examples if closed else min(2, examples)]))
    return " ".join(filter(None, parts))
