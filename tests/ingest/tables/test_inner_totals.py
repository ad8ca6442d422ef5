"""Rows between the others that add them up: left out where proved, else warned of."""

from collections.abc import Callable

import duckdb
import pytest

from ingest.tables import TableImport
from ingest.tables.totals import total_label

Take = Callable[..., TableImport]


@pytest.mark.parametrize(
    ("cell", "kind"),
    [
        ("合計", "bare"),
        ("小計", "bare"),
        ("计", "bare"),
        ("累計", "bare"),
        ("Grand Total", "bare"),
        ("東京計", "named"),
        ("流動資産合計", "named"),
        ("合計（東京）", "named"),
        ("Tokyo total", "named"),
        ("Total for Tokyo", "named"),
        ("設計", "named"),
        ("会計ソフト", ""),
        ("TotalEnergies", ""),
        ("計画", ""),
    ],
)
def test_a_cell_is_a_bare_or_a_named_total_or_none(cell: str, kind: str) -> None:
    assert total_label(cell) == kind


def test_groups_that_add_up_are_left_out_with_their_total_and_said(
    take: Take, connection: duckdb.DuckDBPyConnection
) -> None:
    table = take(
        '店舗,商品,数量,金額\n東京,A,5,500\n東京,B,6,600\n東京計,,11,"1,100"\n'
        "大阪,C,1,100\n大阪,D,2,▲50\n大阪計,,3,50\n合計,,14,1150\n京都,E,3,300\n"
    ).tables[0]
    assert connection.execute("SELECT sum(数量)::INT, sum(金額)::INT FROM sales").fetchone() == (
        5 + 6 + 1 + 2 + 3,
        500 + 600 + 100 - 50 + 300,
    )
    assert (table.rows, table.warnings) == (5, ())
    assert table.notes == (
        "Total row 4 was left out, for it adds up other rows: 東京計 | 11 | 1,100",
        "Total row 7 was left out, for it adds up other rows: 大阪計 | 3 | 50",
        "Total row 8 was left out, for it adds up other rows: 合計 | 14 | 1150",
    )


def test_a_total_before_its_parts_is_left_out_too(take: Take) -> None:
    table = take(
        "年,区分,人数\n2020,合計,30\n2020,男,10\n2020,女,20\n2021,合計,50\n2021,男,25\n2021,女,25\n"
    ).tables[0]
    assert table.rows == 4
    assert [note[:12] for note in table.notes] == ["Total row 2 ", "Total row 5 "]


def test_a_label_behind_other_words_counts(take: Take) -> None:
    table = take(
        "月,担当,数量\n1月,佐藤,5\n1月,鈴木,6\n1月,小計,11\n2月,佐藤,4\n2月,鈴木,2\n"
    ).tables[0]
    assert (table.rows, table.warnings) == (4, ())


def test_a_total_that_does_not_add_up_stays_and_is_warned_of(
    take: Take, connection: duckdb.DuckDBPyConnection
) -> None:
    table = take("品名,数量\n机,5\n棚,6\n合計,99\n箱,2\n").tables[0]
    assert connection.execute("SELECT sum(数量)::INT FROM sales").fetchone() == (112,)
    assert table.warnings == (
        "1 row may add up other rows, so that a sum may count them twice (row 4: 合計 | 99)",
    )


def test_accounts_that_add_up_others_stay_and_are_warned_of(take: Take) -> None:
    table = take("科目,金額\n現金,5\n預金,6\n流動資産計,11\n建物,2\n土地,3\n").tables[0]
    assert table.rows == 5
    assert table.warnings == (
        "1 row holds the sums of other rows, so that a sum may count them twice "
        "(row 4: 流動資産計 | 11)",
    )


@pytest.mark.parametrize(
    "rows",
    [
        "Total,France,30\nShell,UK,10\nBP,US,20\n",  # a brand, although 10 + 20 = 30
        "時計,東京,5\n会計,大阪,5\n箱,京都,1\n",
        "机,Total,5\n棚,IKEA,6\n",
    ],
)
def test_a_name_that_looks_like_a_total_is_neither_left_out_nor_warned_of(
    take: Take, rows: str
) -> None:
    table = take(f"品名,地域,数量\n{rows}").tables[0]
    assert (table.rows, table.warnings) == (rows.count("\n"), ())


def test_one_row_equal_to_a_total_proves_nothing_but_a_blank_beside_it_does(take: Take) -> None:
    assert take("品名,数量\n机,5\n合計,5\n箱,1\n").tables[0].rows == 3
    assert (
        take("店舗,品名,数量\n東京,机,5\n東京計,,5\n大阪,箱,1\n", name="b.csv").tables[0].rows == 2
    )


@pytest.mark.slow
def test_a_large_file_is_cleared_of_its_totals_as_a_small_one(
    take: Take, connection: duckdb.DuckDBPyConnection
) -> None:
    shops = [f"店舗{i:04}" for i in range(4000)]
    rows = "".join(
        f"{s},りんごジュース,2,300\n{s},みかんジュース,3,400\n{s}計,,5,700\n" for s in shops
    )
    assert len(rows.encode()) > 256 * 1024
    table = take(f"店舗,商品,数量,金額\n{rows}").tables[0]
    assert table.rows == 8000
    assert connection.execute("SELECT sum(数量)::INT FROM sales").fetchone() == (4000 * 5,)
    assert table.notes[-1].startswith("3995 more rows that add up others were left out, the last")
