"""Joins: proposed by names, proved on the data.

A join goes from many to one: the right column is unique, and every value on the left is found
there. Names only decide what is tried and, where several targets hold, which one is meant.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import duckdb

from ingest.catalog.similarity import join_score
from ingest.catalog.terms import synonyms
from ingest.store.records import Catalog, ColumnRecord, JoinRecord, TableRecord
from ingest.tables.staging import quoted

_INTEGERS = frozenset(
    ["BIGINT", "INTEGER", "SMALLINT", "TINYINT", "HUGEINT", "UBIGINT", "UINTEGER"]
)
_KEYS = _INTEGERS | {"VARCHAR", "UUID"}


class _Candidate(NamedTuple):
    score: float
    join: JoinRecord


def draft_catalog(connection: duckdb.DuckDBPyConnection, tables: Sequence[TableRecord]) -> Catalog:
    """The catalog of `tables`, which must be in the connection's current schema."""
    joins: list[JoinRecord] = []
    for table in tables:
        for column in table.columns:
            candidates = sorted(_candidates(table, column, tables), key=lambda c: -c.score)
            best = _best(connection, candidates)
            if best is not None:
                joins.append(best)
    named = tuple(t.model_copy(update={"synonyms": synonyms(t.name)}) for t in tables)
    return Catalog(tables=named, joins=tuple(_one_way(joins)))


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
