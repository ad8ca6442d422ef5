"""Evidence written by hand."""

from collections.abc import Callable, Sequence

import pytest

from tools.evidence import Column, Evidence, Value

Rows = Callable[..., Evidence]
Passage = Callable[..., Evidence]


@pytest.fixture
def rows() -> Rows:
    """`rows("E1", "warehouse VARCHAR, quantity BIGINT", [("東京倉庫", 100)])`."""

    def build(
        evidence_id: str,
        columns: str,
        cells: Sequence[tuple[Value, ...]],
        query: str | None = None,
        row_count: int | None = None,
    ) -> Evidence:
        pairs = [c.strip().rsplit(" ", 1) for c in columns.split(";")]
        return Evidence(
            id=evidence_id,
            kind="rows",
            tool="sql",
            source="stock",
            columns=tuple(Column(name=n, type=t) for n, t in pairs),
            rows=tuple(cells),
            row_count=len(cells) if row_count is None else row_count,
            query=query,
        )

    return build


@pytest.fixture
def passage() -> Passage:
    def build(evidence_id: str, text: str) -> Evidence:
        return Evidence(
            id=evidence_id, kind="chunk", tool="knowledge", source="policy.md", text=text
        )

    return build


@pytest.fixture
def stock(rows: Rows) -> Evidence:
    """Stock in three warehouses: 100 + 80 + 20 = 200."""
    return rows(
        "E1",
        "warehouse VARCHAR; quantity BIGINT",
        [("東京倉庫", 100), ("大阪倉庫", 80), ("福岡倉庫", 20)],
    )


@pytest.fixture
def monthly(rows: Rows) -> Evidence:
    """Sales a month in yen: +23,456 from October to November, 23.456 %."""
    return rows(
        "E2",
        "month DATE; sales DECIMAL(18,2)",
        [
            ("2026-09-01", "80000.00"),
            ("2026-10-01", "100000.00"),
            ("2026-11-01", "123456.00"),
        ],
    )
