"""How the model sees the catalog: whole while it fits its budget, else the slice that matters."""

import re
from collections.abc import Iterable, Sequence

from ingest.store import Catalog, ColumnRecord, TableRecord
from tools.tokens import estimate_tokens

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
CLOSED_SET = 6
MIN_NAMES = 300
"""Tokens that the names of the tables may always take."""
# Columns whose values are kinds, however few rows there are.
_KIND = re.compile(
    r"status|state$|type|kind|priority|stage|区分|種別|状態|状态|类型", re.IGNORECASE
)
MAX_EXAMPLE_CHARACTERS = 24


def render_catalog(catalog: Catalog, budget: int) -> tuple[str, bool]:
    """The catalog for the system prompt and whether it is whole.

    What is needed least is given up first: sample values, the columns of tables that stand in
    documents (where a search finds them too), the values of small closed sets, then all columns.
    With those gone, the question's own slice (`render_slice`) goes beside the question.
    """
    if not catalog.tables:
        return "There are no tables.", True
    own = [t for t in catalog.tables if t.doc_id is None]
    in_documents = [t for t in catalog.tables if t.doc_id is not None]
    for samples, shown in ((2, catalog.tables), (0, catalog.tables), (0, own), (None, own)):
        text = _tables_and_joins(catalog, shown, samples)
        if in_documents and shown is own:
            names = ", ".join(quoted(t.name) for t in in_documents)
            text += f"\nTables that stand in documents: {names}"
        if estimate_tokens(text) <= budget:
            return text, True
    names = ", ".join(quoted(t.name) for t in catalog.tables)
    text = f"Tables (columns of those that matter are given with the question): {names}"
    if estimate_tokens(text) > max(budget, MIN_NAMES):
        text = f"{len(catalog.tables)} tables; those that matter are given with the question."
    return text, False


def render_slice(catalog: Catalog, tables: Sequence[TableRecord], budget: int) -> str:
    """As many of `tables` (most relevant first) as fit, with the joins among them."""
    chosen: list[TableRecord] = []
    for table in tables:
        text = _tables_and_joins(catalog, [*chosen, table], 0)
        if chosen and estimate_tokens(text) > budget:
            break
        chosen.append(table)
    return _tables_and_joins(catalog, chosen, 0)


def quoted(name: str) -> str:
    return name if _PLAIN.match(name) else '"' + name.replace('"', '""') + '"'


def _tables_and_joins(catalog: Catalog, tables: Iterable[TableRecord], samples: int | None) -> str:
    """`samples` values of an open text column; those of a closed one always, unless None."""
    tables = list(tables)
    names = {t.name for t in tables}
    references = {(j.left_table, j.left_column) for j in catalog.joins}
    lines = ["Tables", *(_table_line(t, samples, references) for t in tables)]
    joins = [
        f"{quoted(j.left_table)}.{quoted(j.left_column)}"
        f" = {quoted(j.right_table)}.{quoted(j.right_column)}"
        for j in catalog.joins
        if j.left_table in names and j.right_table in names
    ]
    return "\n".join([*lines, *(["Joins", *joins] if joins else [])])


def _table_line(table: TableRecord, samples: int | None, references: set[tuple[str, str]]) -> str:
    columns = ", ".join(
        _column(c, table, None if _says_nothing(c, table, references) else samples)
        for c in table.columns
    )
    about = f" {table.description}" if table.description else ""
    return f"{quoted(table.name)} ({table.rows} rows){about}: {columns}"


def _says_nothing(
    column: ColumnRecord, table: TableRecord, references: set[tuple[str, str]]
) -> bool:
    """Codes of another table (W01|W02) tell a model nothing but what it could filter by."""
    refers = (table.name, column.name) in references
    return refers and all(any(c.isdigit() for c in e) for e in column.examples)


def _column(column: ColumnRecord, table: TableRecord, samples: int | None) -> str:
    kind = _SHORT_TYPES.get(
        column.type, "decimal" if column.type.startswith("DEC") else column.type
    )
    parts = [quoted(column.name), kind]
    if column.unit:
        parts.append(column.unit)
    if column.description:
        parts.append(column.description)
    if samples is not None and column.name == table.date_column and table.data_from:
        parts.append(f"{table.data_from}..{table.data_to}")
    elif samples is not None and column.type == "VARCHAR":
        few = 0 < column.distinct <= CLOSED_SET
        closed = few and (table.rows > CLOSED_SET or bool(_KIND.search(column.name)))
        shown = [e for e in column.examples if len(e) <= MAX_EXAMPLE_CHARACTERS]
        parts.append("|".join(shown[: CLOSED_SET if closed else samples]))
    return " ".join(filter(None, parts))
