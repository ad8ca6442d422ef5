"""How well a join or a key that a person declared fits the data."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ingest.store.quoting import quoted
from ingest.store.records import JoinRecord

LOW_SHARE = 0.5
"""A join that finds less than this share of its rows is more likely a mistake than a gap."""


@dataclass(frozen=True)
class JoinMeasure:
    """Of the `rows` of the left table that have a value, `matched` find one on the right."""

    join: JoinRecord
    rows: int
    matched: int

    @property
    def share(self) -> float:
        """From 0 to 1; 1 for a left side without values."""
        return self.matched / self.rows if self.rows else 1.0

    @property
    def text(self) -> str:
        join = self.join
        names = f"{join.left_table}.{join.left_column} = {join.right_table}.{join.right_column}"
        kind = "one to one" if join.one_to_one else "many to one"
        return (
            f"{names}: {self.matched} of {self.rows} rows find their row ({self.share:.0%}), {kind}"
        )

    @property
    def warning(self) -> str:
        """ "" for a join that finds most of its rows."""
        if self.share >= LOW_SHARE:
            return ""
        return self.text + ("; the columns share no value" if not self.matched else "")


def measure_joins(warehouse: Path, joins: Sequence[JoinRecord]) -> Iterator[JoinMeasure]:
    """Measures the joins that a person declared; what ingest drafted is proved on the data."""
    declared = [join for join in joins if not join.drafted]
    if not declared:
        return
    import duckdb  # noqa: PLC0415  Only where a person declared one.

    with duckdb.connect(
        str(warehouse), read_only=True, config={"enable_external_access": "false"}
    ) as connection:
        for join in declared:
            found = connection.execute(_QUERY.format(**_names(join))).fetchone()
            rows, matched = found or (0, 0)
            yield JoinMeasure(join, rows, matched)


def count_distinct(warehouse: Path, table: str, columns: Sequence[str]) -> int:
    """How many rows the columns tell apart, rows with a blank in one of them left out."""
    import duckdb  # noqa: PLC0415  Only where a person declared a key.

    names = [quoted(column) for column in columns]
    filled = " AND ".join(f"{name} IS NOT NULL" for name in names)
    query = (
        f"SELECT count(*) FROM (SELECT DISTINCT {', '.join(names)} FROM {quoted(table)} "
        f"WHERE {filled})"
    )
    with duckdb.connect(
        str(warehouse), read_only=True, config={"enable_external_access": "false"}
    ) as connection:
        (found,) = connection.execute(query).fetchone() or (0,)
        return int(found)


_QUERY = (
    "SELECT count(l.{left_column}), count(l.{left_column}) FILTER (WHERE l.{left_column} IN "
    "(SELECT r.{right_column} FROM {right_table} AS r WHERE r.{right_column} IS NOT NULL)) "
    "FROM {left_table} AS l"
)


def _names(join: JoinRecord) -> dict[str, str]:
    fields = ("left_table", "left_column", "right_table", "right_column")
    return {name: quoted(getattr(join, name)) for name in fields}
