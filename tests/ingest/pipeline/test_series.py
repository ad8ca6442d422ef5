"""Monthly files of one shape are one table; each row knows its file."""

from collections.abc import Callable
from datetime import date
from pathlib import Path

import duckdb
import pytest

from ingest.report import IngestReport
from ingest.store import IngestSettings, Store

pytestmark = pytest.mark.slow

Ingest = Callable[..., IngestReport]
Opened = Callable[[], Store]

JANUARY = "day,sku,qty\n2026-01-05,007,5\n2026-01-06,008,7\n"
FEBRUARY = "day,sku,qty\n2026-02-05,007,11\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "months"
    root.mkdir()
    (root / "sales_2026-01.csv").write_text(JANUARY)
    (root / "sales_2026-02.csv").write_text(FEBRUARY)
    return root


def rows(store: Store, query: str) -> list[tuple[object, ...]]:
    assert store.warehouse is not None
    with duckdb.connect(str(store.warehouse), read_only=True) as connection:
        return connection.execute(query).fetchall()


BY_FILE = "SELECT source_file, count(*), sum(qty)::INT FROM sales GROUP BY 1 ORDER BY 1"


def test_files_that_differ_in_their_month_are_one_table(
    ingest: Ingest, opened: Opened, folder: Path
) -> None:
    report = ingest(folder)
    store = opened()
    table = store.catalog.table("sales")
    assert [t.name for t in store.catalog.tables] == ["sales"]
    assert table is not None
    assert (table.rows, table.source) == (3, "months/sales_*.csv")
    assert (table.data_from, table.data_to) == (date(2026, 1, 5), date(2026, 2, 5))
    assert report.tables.added == 1
    assert rows(store, BY_FILE) == [
        ("months/sales_2026-01.csv", 2, 12),
        ("months/sales_2026-02.csv", 1, 11),
    ]


def test_a_month_that_comes_later_is_added_and_a_second_run_changes_nothing(
    ingest: Ingest, opened: Opened, folder: Path
) -> None:
    february = folder / "sales_2026-02.csv"
    february.unlink()
    ingest(folder)
    february.write_text(FEBRUARY)
    assert ingest(folder).tables.added == 1
    again = ingest(folder)
    assert (again.tables.any(), again.tables.unchanged) == (False, 1)
    assert [row[1] for row in rows(opened(), BY_FILE)] == [2, 1]


def test_a_changed_month_replaces_its_own_rows_only(
    ingest: Ingest, opened: Opened, folder: Path
) -> None:
    ingest(folder)
    (folder / "sales_2026-02.csv").write_text(FEBRUARY + "2026-02-06,009,1.5\n")
    report = ingest(folder)
    assert (report.tables.added, report.tables.updated, report.tables.deleted) == (0, 1, 0)
    totals = rows(
        opened(), "SELECT source_file, sum(qty)::VARCHAR FROM sales GROUP BY 1 ORDER BY 1"
    )
    assert [total for _, total in totals] == ["12.0", "12.5"]


def test_a_month_that_is_removed_takes_its_rows_along_and_the_last_one_the_table(
    ingest: Ingest, opened: Opened, folder: Path
) -> None:
    ingest(folder)
    (folder / "sales_2026-01.csv").unlink()
    assert ingest(folder).tables.updated == 1
    assert rows(opened(), BY_FILE) == [("months/sales_2026-02.csv", 1, 11)]
    last = folder / "sales_2026-02.csv"
    last.unlink()
    assert ingest(last).tables.deleted == 1
    assert opened().catalog.tables == ()


def test_a_month_of_another_shape_stays_apart_and_is_reported(
    ingest: Ingest, opened: Opened, folder: Path
) -> None:
    (folder / "sales_2026-03.csv").write_text("day,sku,amount\n2026-03-05,007,100\n")
    report = ingest(folder)
    assert report.to_json()["apart"] == [
        "months/sales_2026-03.csv is not in sales: it lacks qty; it also has amount"
    ]
    assert sorted(t.name for t in opened().catalog.tables) == ["sales", "sales_2026_03"]
    (folder / "sales_2026-03.csv").write_text("day,sku,qty\n2026-03-05,007,100\n")
    assert ingest(folder).to_json()["apart"] == []
    assert len(rows(opened(), BY_FILE)) == 3


def test_a_month_whose_figures_are_no_numbers_stays_apart(
    ingest: Ingest, opened: Opened, folder: Path
) -> None:
    (folder / "sales_2026-03.csv").write_text(
        "day,sku,qty\n2026-03-05,007,about 3\n2026-03-06,008,4\n"
    )
    assert "its column qty is VARCHAR, there BIGINT" in ingest(folder).apart[0]
    assert len(rows(opened(), BY_FILE)) == 2


def test_a_broken_month_leaves_its_earlier_rows(
    ingest: Ingest, opened: Opened, folder: Path
) -> None:
    ingest(folder)
    (folder / "sales_2026-02.csv").write_text('day,sku,qty\n2026-02-05,"007,11\n')
    assert len(ingest(folder).tables.failed) == 1
    assert [row[1] for row in rows(opened(), BY_FILE)] == [2, 1]


def test_quarantined_cells_of_a_month_name_its_file_and_go_with_it(
    ingest: Ingest, opened: Opened, folder: Path
) -> None:
    lines = "".join(f"2026-03-05,{i:04},{i}\n" for i in range(1, 200))
    (folder / "sales_2026-03.csv").write_text(f"day,sku,qty\n{lines}2026-03-06,0900,n.b.\n")
    cell = ingest(folder).quarantined[0]
    assert (cell.table, cell.source, cell.row) == ("sales", "months/sales_2026-03.csv", 201)
    table = opened().catalog.table("sales")
    assert table is not None and table.column("qty").quarantined == 1  # type: ignore[union-attr]
    (folder / "sales_2026-03.csv").unlink()
    assert ingest(folder).quarantined == ()


def test_a_file_that_moves_to_another_folder_leaves_the_table(
    ingest: Ingest, opened: Opened, folder: Path
) -> None:
    ingest(folder)
    (folder / "old").mkdir()
    (folder / "sales_2026-01.csv").rename(folder / "old" / "sales_2026-01.csv")
    ingest(folder)
    assert rows(opened(), BY_FILE) == [("months/sales_2026-02.csv", 1, 11)]
    assert rows(opened(), "SELECT sum(qty)::INT FROM sales_2026_01") == [(12,)]


def test_with_series_off_every_file_is_a_table(
    ingest: Ingest, opened: Opened, folder: Path
) -> None:
    ingest(folder)
    ingest(folder, settings=IngestSettings(series="off"))
    assert [t.name for t in opened().catalog.tables] == ["sales_2026_01", "sales_2026_02"]


def test_a_column_without_values_in_one_month_takes_the_type_of_the_others(
    ingest: Ingest, opened: Opened, folder: Path
) -> None:
    (folder / "sales_2026-02.csv").write_text("day,sku,qty\n2026-02-05,007,\n")
    ingest(folder)
    table = opened().catalog.table("sales")
    assert table is not None
    assert [c.type for c in table.columns] == ["DATE", "VARCHAR", "BIGINT", "VARCHAR"]


def test_the_same_month_under_two_names_is_not_counted_twice(
    ingest: Ingest, opened: Opened, folder: Path
) -> None:
    (folder / "sales_202602.csv").write_text(FEBRUARY)
    report = ingest(folder)
    assert rows(opened(), "SELECT count(*), sum(qty)::INT FROM sales") == [(3, 23)]
    assert "it names the same period as months/sales_2026-02.csv" in report.to_json()["apart"][0]
    (folder / "sales_2026年3月.csv").write_text("day,sku,qty\n2026-03-05,007,2\n")
    ingest(folder)
    assert rows(opened(), "SELECT count(*), sum(qty)::INT FROM sales") == [(4, 25)]


def test_the_second_name_of_a_month_takes_its_place_when_the_first_is_gone(
    ingest: Ingest, opened: Opened, folder: Path
) -> None:
    (folder / "sales_202602.csv").write_text("day,sku,qty\n2026-02-06,007,13\n")
    ingest(folder)
    (folder / "sales_2026-02.csv").unlink()
    ingest(folder)
    assert rows(opened(), BY_FILE) == [
        ("months/sales_2026-01.csv", 2, 12),
        ("months/sales_202602.csv", 1, 13),
    ]


TOKYO = "sku,qty\n007,5\n008,7\n"
OSAKA = "sku,qty\n007,11\n"


@pytest.fixture
def shops(tmp_path: Path) -> Path:
    root = tmp_path / "shops"
    root.mkdir()
    (root / "store_tokyo.csv").write_text(TOKYO)
    (root / "store_osaka.csv").write_text(OSAKA)
    return root


def test_files_of_a_pattern_are_one_table_and_a_second_run_changes_nothing(
    ingest: Ingest, opened: Opened, shops: Path
) -> None:
    settings = IngestSettings(series_patterns=("store_*.csv",))
    ingest(shops, settings=settings)
    again = ingest(shops, settings=settings)
    table = opened().catalog.table("store")
    assert table is not None
    assert (table.rows, table.source) == (3, "shops/store_*.csv")
    assert rows(opened(), "SELECT sum(qty)::INT FROM store") == [(23,)]
    assert (again.tables.unchanged, again.tables.any()) == (1, False)


def test_a_pattern_joins_nothing_of_another_shape_and_says_so(
    ingest: Ingest, opened: Opened, shops: Path
) -> None:
    (shops / "store_kobe.csv").write_text("sku,units\n007,1\n")
    report = ingest(shops, settings=IngestSettings(series_patterns=("store_*.csv",)))
    assert [t.name for t in opened().catalog.tables] == ["store", "store_kobe"]
    assert report.apart == (
        "shops/store_kobe.csv is not in store: it lacks qty; it also has units",
    )


def test_a_pattern_keeps_files_apart_that_their_month_would_join(
    ingest: Ingest, opened: Opened, folder: Path
) -> None:
    ingest(folder)
    assert [t.name for t in opened().catalog.tables] == ["sales"]
    ingest(folder, settings=IngestSettings(series_patterns=("!sales_*.csv",)))
    assert [t.name for t in opened().catalog.tables] == ["sales_2026_01", "sales_2026_02"]
    ingest(folder)
    assert [t.name for t in opened().catalog.tables] == ["sales"]


def test_the_first_pattern_that_fits_decides_and_series_off_leaves_the_others(
    ingest: Ingest, opened: Opened, shops: Path, folder: Path
) -> None:
    (shops / "store_plan.csv").write_text(OSAKA)
    patterns = ("!store_plan.csv", "shops/store_*.csv")
    ingest(shops, folder, settings=IngestSettings(series="off", series_patterns=patterns))
    names = [t.name for t in opened().catalog.tables]
    assert names == ["sales_2026_01", "sales_2026_02", "store", "store_plan"]
    assert rows(opened(), "SELECT sum(qty)::INT FROM store") == [(23,)]


@pytest.mark.parametrize("pattern", ["", "!", " ", "shops/"])
def test_a_pattern_that_names_no_file_is_refused(pattern: str) -> None:
    with pytest.raises(ValueError, match="names no file"):
        IngestSettings(series_patterns=(pattern,))
