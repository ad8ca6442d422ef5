from pathlib import Path

import pytest

from tests.bench.tables import Result, Run, measure, summary, write_orders

SIZE = 100_000_000


def test_the_fastest_run_of_each_reader_and_the_highest_peak_count() -> None:
    runs = [
        Run("duckdb", 2.0, 3.0, 900_000_000, 10),
        Run("zaiko", 10.0, 12.0, 150_000_000, 10),
        Run("duckdb", 1.0, 3.0, 100_000_000, 10),
        Run("zaiko", 4.0, 12.0, 250_000_000, 10),
    ]
    result = summary(runs, SIZE)
    assert (result.duckdb, result.ours) == (100.0, 25.0)
    assert (result.ratio, result.memory) == (0.25, 2.5)
    assert result.missed() == []


@pytest.mark.parametrize(
    ("ours", "peak", "said"),
    [(24.0, 250_000_000, "0.24 of DuckDB's rate"), (30.0, 300_000_000, "memory 3.0 times")],
)
def test_a_bound_that_does_not_hold_is_said(ours: float, peak: int, said: str) -> None:
    missed = Result(SIZE, 100.0, ours, peak).missed()
    assert len(missed) == 1
    assert said in missed[0]


def test_both_readers_find_the_rows_that_were_written(tmp_path: Path) -> None:
    path = tmp_path / "orders.csv"
    rows = write_orders(path, 300_000)
    assert path.stat().st_size >= 300_000
    found = [measure(reader, path) for reader in ("duckdb", "zaiko")]
    assert [run.rows for run in found] == [rows, rows]
    assert found[1].quarantined == 0
    assert all(run.seconds > 0 and run.peak > 0 for run in found)
