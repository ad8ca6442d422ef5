"""The draft: joins proposed by names and proved on the data, and what the columns measure.

A join goes from many to one: the right column is unique, and every value on the left is found
there. Names only decide what is tried and, where several targets hold, which one is meant.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import duckdb

from ingest.catalog.keys import wide_key
from ingest.catalog.levels import level_of, with_levels
from ingest.catalog.measures import currency_of, measure_of, tax_of
from ingest.catalog.metrics import draft_metrics
from ingest.catalog.replenishment import draft_replenishment
from ingest.catalog.similarity import join_score
from ingest.catalog.terms import column_synonyms, synonyms
from ingest.store.quoting import quoted
from ingest.store.records import Catalog, ColumnRecord, JoinRecord, TableRecord

_INTEGERS = frozenset(
    ["BIGINT", "INTEGER", "SMALLINT", "TINYINT", "HUGEINT", "UBIGINT", "UINTEGER"]
)
_KEYS = _INTEGERS | {"VARCHAR", "UUID"}


class _Candidate(NamedTuple):
    score: float
    join: JoinRecord


def draft_catalog(connection: duckdb.DuckDBPyConnection, tables: Sequence[TableRecord]) -> Catalog:
    """The catalog of `tables`, which must be in the connection's current schema."""
    tables = [with_levels(connection, table) for table in tables]
    joins: list[JoinRecord] = []
    for table in tables:
        for column in table.columns:
            candidates = sorted(_candidates(table, column, tables), key=lambda c: -c.score)
            best = _best(connection, candidates)
            if best is not None:
                joins.append(best)
    kept = tuple(_one_way(joins))
    events = event_tables(tables, kept)
    described = tuple(_described(connection, table, kept, events) for table in tables)
    return Catalog(
        tables=described,
        joins=kept,
        metrics=draft_metrics(connection, described, kept),
        replenishment=draft_replenishment(connection, described, kept),
        assumed=("fiscal_year_start",),
    )


def event_tables(tables: Sequence[TableRecord], joins: Sequence[JoinRecord]) -> frozenset[str]:
    """Tables whose rows happened on a day, or are lines of such rows: what they count is a flow."""
    dated = {t.name for t in tables if t.date_column and not t.snapshot}
    lines = {j.left_table for j in joins if j.right_table in dated}
    undated = {t.name for t in tables if not t.date_column}
    return frozenset(dated | (lines & undated))


def _described(
    connection: duckdb.DuckDBPyConnection,
    table: TableRecord,
    joins: Sequence[JoinRecord],
    events: frozenset[str],
) -> TableRecord:
    """The table with what its names and its proved key say of it."""
    key = table.primary_key or wide_key(connection, table)
    references = {j.left_column for j in joins if j.left_table == table.name}
    columns = tuple(
        column.model_copy(
            update={
                "synonyms": column_synonyms(column.name),
                "currency": currency_of(table, column),
                "tax": tax_of(table, column),
                "measure": None
                if column.name in references
                else level_of(table, column) or measure_of(table, column, events),
            }
        )
        for column in table.columns
    )
    told = {"synonyms": synonyms(table.name), "primary_key": key, "columns": columns}
    grain = f"one row a {', '.join(key)}" if key else ""
    return table.model_copy(update={**told, "grain": grain})


def _one_way(joins: list[JoinRecord]) -> Iterator[JoinRecord]:
    """Of two tables that refer to each other by the same columns, the first reference stays."""
    seen: set[tuple[str, str, str, str]] = set()
    for join in joins:
        seen.add((join.left_table, join.left_column, join.right_table, join.right_column))
        if (join.right_table, join.right_column, join.left_table, join.left_column) not in seen:
            yield join


def _candidates(
    table: TableRecord, column: ColumnRecord, tables: Sequence[TableRecord]
) -> Iterator[_Candidate]:
    if column.type not in _KEYS or not column.distinct:
        return
    for other in tables:
        for target in other.columns:
            if (other is table and target is column) or not _holds(column, target, other):
                continue
            score = join_score(table, column, other, target.name)
            if score:
                join = JoinRecord(
                    left_table=table.name,
                    left_column=column.name,
                    right_table=other.name,
                    right_column=target.name,
                    one_to_one=column.distinct == table.rows - column.nulls,
                )
                yield _Candidate(score, join)


def _holds(column: ColumnRecord, target: ColumnRecord, other: TableRecord) -> bool:
    """What the counts alone can tell: types agree, the target is unique and large enough."""
    integers = column.type in _INTEGERS and target.type in _INTEGERS
    unique = target.distinct == other.rows - target.nulls
    return (
        (integers or column.type == target.type) and unique and column.distinct <= target.distinct
    )


def _best(connection: duckdb.DuckDBPyConnection, candidates: list[_Candidate]) -> JoinRecord | None:
    """The proved join of the highest score; none where two equally good ones are proved."""
    proved: list[_Candidate] = []
    for candidate in candidates:
        if proved and candidate.score < proved[0].score:
            break
        if _is_proved(connection, candidate.join):
            proved.append(candidate)
    return proved[0].join if len(proved) == 1 else None


def _is_proved(connection: duckdb.DuckDBPyConnection, join: JoinRecord) -> bool:
    left, right = quoted(join.left_column), quoted(join.right_column)
    missing = connection.execute(
        f"SELECT 1 FROM {quoted(join.left_table)} AS a WHERE a.{left} IS NOT NULL AND NOT EXISTS "
        f"(SELECT 1 FROM {quoted(join.right_table)} AS b WHERE b.{right} = a.{left}) LIMIT 1"
    ).fetchone()
    return missing is None
