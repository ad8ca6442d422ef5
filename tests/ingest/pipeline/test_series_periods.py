"""Files without dates take the period in their names; files whose periods overlap stay apart."""

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
Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    root = tmp_path / "months"
    root.mkdir()

    def save(**files: str) -> Path:
        for name, text in files.items():
            (root / f"{name.replace('__', '-')}.csv").write_text(text, encoding="utf-8")
        return root

    return save


def rows(store: Store, query: str) -> list[tuple[object, ...]]:
    assert store.warehouse is not None
    with duckdb.connect(str(store.warehouse), read_only=True) as connection:
        return connection.execute(query).fetchall()


BY_PERIOD = "SELECT source_period, sum(stock_qty)::INT FROM snap GROUP BY 1 ORDER BY 1"
JANUARY, FEBRUARY = "sku,stock_qty\nA,60\nB,40\n", "sku,stock_qty\nA,50\nB,40\n"


def test_stock_files_without_a_date_are_dated_by_their_names(
    ingest: Ingest, opened: Opened, write: Write
) -> None:
    report = ingest(write(snap_20260131=JANUARY, snap_2026__02=FEBRUARY))
    store = opened()
    table = store.catalog.table("snap")
    assert table is not None
    assert (table.snapshot, table.date_column) == (True, "source_period")
    assert (table.data_from, table.data_to) == (date(2026, 1, 31), date(2026, 2, 28))
    assert table.primary_key == ("sku", "source_period")
    assert rows(store, BY_PERIOD) == [(date(2026, 1, 31), 100), (date(2026, 2, 28), 90)]
    assert any("source_period is the last day of the period" in n.note for n in report.notes)


def test_a_later_month_a_changed_one_and_a_removed_one_keep_the_periods(
    ingest: Ingest, opened: Opened, write: Write
) -> None:
    root = write(snap_2026__01=JANUARY, snap_2026__02=FEBRUARY)
    ingest(root)
    ingest(write(snap_2026__03="sku,stock_qty\nA,7\n", snap_2026__02="sku,stock_qty\nA,8\n"))
    (root / "snap_2026-01.csv").unlink()
    ingest(root)
    assert rows(opened(), BY_PERIOD) == [(date(2026, 2, 28), 8), (date(2026, 3, 31), 7)]


@pytest.mark.parametrize(
    ("head", "day", "dated"),
    [
        ("day", "2026-0{}-05", "day"),
        ("expiry_date", "2027-0{}-05", "source_period"),
        ("updated_at", "2026-0{}-05", "source_period"),
        ("last_received", "2025-1{}-05", "source_period"),
    ],
)
def test_only_a_date_of_when_stock_was_counted_stands_for_the_period(
    ingest: Ingest, opened: Opened, write: Write, head: str, day: str, dated: str
) -> None:
    one, two = (f"{head},sku,stock_qty\n{day.format(m)},A,{m}\n" for m in (1, 2))
    ingest(write(snap_2026__01=one, snap_2026__02=two))
    table = opened().catalog.table("snap")
    assert table is not None
    assert (table.date_column, table.snapshot) == (dated, True)
    assert (table.column("source_period") is None) == (dated == "day")


def test_without_a_year_there_is_no_date_and_stock_warns(
    ingest: Ingest, opened: Opened, write: Write
) -> None:
    ingest(write(在庫_1月="品名,数量\n机,5\n", 在庫_2月="品名,数量\n机,4\n"))
    table = opened().catalog.table("在庫")
    assert table is not None and table.column("source_period") is None
    assert "the stock of 2 files that give no date" in table.warnings[0]


def test_a_column_of_that_name_in_the_files_stays_as_it_is(
    ingest: Ingest, opened: Opened, write: Write
) -> None:
    one, two = (f"source_period,stock_qty\n{name},1\n" for name in ("early", "late"))
    ingest(write(snap_2026__01=one, snap_2026__02=two))
    found = rows(opened(), "SELECT source_period FROM snap ORDER BY 1")
    assert found == [("early",), ("late",)]


MONTHS = {f"over_2026__0{m}": f"day,qty\n2026-0{m}-05,{m}\n" for m in (1, 2, 3)}
QUARTER = "day,qty\n2026-02-05,2\n2026-01-05,1\n2026-03-05,3\n"


@pytest.mark.parametrize("name", ["over_2026__Q1", "over_2026", "over_2026H1", "over_20260301"])
def test_a_file_over_the_same_days_is_a_table_of_its_own_and_says_so(
    ingest: Ingest, opened: Opened, write: Write, name: str
) -> None:
    report = ingest(write(**MONTHS, **{name: QUARTER}))
    source = f"months/{name.replace('__', '-')}.csv"
    assert report.apart[0].startswith(f"{source} is not in over: its period overlaps that of ")
    store = opened()
    assert rows(store, "SELECT sum(qty)::INT FROM over") == [(6,)]
    table, apart = store.catalog.table("over"), store.catalog.tables[1]
    assert table is not None and (apart.source, apart.apart_from) == (source, "over")
    assert store.catalog.warnings_of(table) == (f"{apart.apart}; see table {apart.name}",)


def test_the_warning_goes_with_the_file(ingest: Ingest, opened: Opened, write: Write) -> None:
    root = write(**MONTHS, over_2026__Q1=QUARTER)
    ingest(root)
    (root / "over_2026-Q1.csv").unlink()
    assert ingest(root).apart == ()
    (table,) = opened().catalog.tables
    assert opened().catalog.warnings_of(table) == ()


def test_quarters_beside_months_are_one_table_apart(
    ingest: Ingest, opened: Opened, write: Write
) -> None:
    more = {f"over_2026__0{m}": f"day,qty\n2026-0{m}-05,{m}\n" for m in (4, 5, 6)}
    later = "day,qty\n2026-04-05,4\n2026-05-05,5\n2026-06-05,6\n2026-06-06,0\n"
    quarters = {"over_2026__Q1": QUARTER, "over_2026__Q2": later}
    report = ingest(write(**MONTHS, **more, **quarters))
    assert len(report.apart) == 1 and "over_2026-Q1.csv and 1 more are not in" in report.apart[0]
    store = opened()
    assert [t.rows for t in store.catalog.tables] == [6, 7]
    for table in store.catalog.tables:
        assert rows(store, f"SELECT sum(qty)::INT FROM {table.name}") == [(21,)]


def test_a_note_that_several_files_have_is_said_once(
    ingest: Ingest, opened: Opened, write: Write
) -> None:
    body = "day,qty\n2026-0{0}-05,1\n2026-0{0}-06,2\n合計,3\n"
    root = write(**{f"sales_2026__0{m}": body.format(m) for m in (1, 2, 3)})
    notes = [n.note for n in ingest(root, settings=IngestSettings()).notes]
    assert len(notes) == 2
    assert notes[1].startswith("months/sales_2026-01.csv and 2 more: ")
