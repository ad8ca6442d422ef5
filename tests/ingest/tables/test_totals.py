from collections.abc import Callable

import duckdb
import pytest

from ingest.tables import TableImport
from ingest.tables.totals import is_total

Take = Callable[..., TableImport]


@pytest.mark.parametrize(
    "label",
    [
        "合計",
        "総合計",
        "合 計",
        "合计",
        "总计",
        "Total",
        "GRAND TOTAL",
        "税込合計",
        "合計金額",
        "合計(税込)",
    ],
)
def test_a_word_for_a_total_with_figures_is_a_total(label: str) -> None:
    assert is_total([label, "", "12", "1,300"])


@pytest.mark.parametrize(
    "label", ["小計", "小计", "Subtotal", "Sub-total", "東京 小計", "東京小計"]
)
def test_a_word_for_a_part_with_figures_is_a_total(label: str) -> None:
    assert is_total([label, "", "12"])


@pytest.mark.parametrize(
    "row",
    [["Total", "France", "20"], ["合計", "東京"], ["時計", "12"], ["設計", "5"], ["会計", "7"]],
)
def test_a_name_that_looks_like_one_is_none(row: list[str]) -> None:
    assert not is_total(row)


def test_subtotals_between_the_rows_are_left_out_and_said(
    take: Take, connection: duckdb.DuckDBPyConnection
) -> None:
    text = "店舗,商品,数量\n東京,A,5\n東京 小計,,5\n大阪,B,7\n小計,,7\n総合計,,12\n"
    table = take(text).tables[0]
    assert connection.execute("SELECT sum(数量)::INT FROM sales").fetchone() == (12,)
    assert table.rows == 2
    assert list(table.notes) == [
        "Total row 3 was left out, for it adds up other rows: 東京 小計 | 5",
        "Total row 5 was left out, for it adds up other rows: 小計 | 7",
        "Total row 6 was left out, for it adds up other rows: 総合計 | 12",
    ]


def test_many_subtotals_are_counted_not_listed(take: Take) -> None:
    text = "店舗,商品,数量\n" + "".join(f"東京,A{i},5\n小計,,5\n" for i in range(8)) + "大阪,B,1\n"
    notes = take(text).tables[0].notes
    assert len(notes) == 6
    assert notes[-1] == "3 more rows that add up others were left out, the last in row 17."


@pytest.mark.parametrize(
    "row",
    [
        "全社計,6,600",
        "総額,,600",
        "Sum,6,600",
        "【合計】,6,600",
        "总 计,6,600",
        "本月合计,6,600",
        "Total for Tokyo,6,600",
        ",6,600",
        "合計,6,600\n平均,2,200",
        "合計,6,600\n※ 税抜,,\n作成者：経理,,",
    ],
)
def test_a_last_row_that_adds_up_all_others_is_left_out_whatever_it_is_called(
    take: Take, connection: duckdb.DuckDBPyConnection, row: str
) -> None:
    table = take(f"商品,数量,金額\nA,1,100\nB,2,200\nC,3,300\n{row}\n").tables[0]
    assert connection.execute("SELECT sum(金額)::INT FROM sales").fetchone() == (600,)
    assert (table.rows, table.warnings) == (3, ())


def test_a_total_with_a_remark_in_another_column_is_left_out(take: Take) -> None:
    table = take("商品,数量,備考\nA,1,ok\nB,2,ok\n合計,3,検算済\n").tables[0]
    assert (table.rows, table.warnings) == (2, ())


def test_a_total_with_a_mean_price_and_a_rounded_share_is_left_out(take: Take) -> None:
    # 300 + 300 + 301 = 901; the shares 33.3 + 33.3 + 33.4 = 100; a price between 100 and 101.
    table = take(
        "商品,単価,金額,構成比\nA,100,300,33.3\nB,100,300,33.3\nC,101,301,33.4\n合計,100.3,901,100\n"
    ).tables[0]
    assert table.rows == 3


def test_a_row_named_total_that_adds_up_nothing_stays_and_is_warned_of(
    take: Take, connection: duckdb.DuckDBPyConnection
) -> None:
    table = take("brand,qty\nShell,100\nBP,200\nTotal,50\n").tables[0]
    assert connection.execute("SELECT sum(qty)::INT FROM sales").fetchone() == (350,)
    assert table.warnings == (
        "1 row may add up other rows, so that a sum may count them twice (row 4: Total | 50)",
    )


def test_a_brand_named_total_is_part_of_the_total(take: Take) -> None:
    table = take("brand,qty\nShell,100\nTotal,50\nBP,200\nGrand total,350\n").tables[0]
    assert table.rows == 3


@pytest.mark.parametrize("rows", ["A,5\n,5\n", "A,1\n,3\nB,2\n", "A,1\n,1\nB,2\n"])
def test_a_row_without_its_name_is_no_total_by_chance(take: Take, rows: str) -> None:
    assert take(f"商品,数量\n{rows}").tables[0].rows == rows.count("\n")


def test_a_total_of_more_groups_than_one_can_count_is_left_out(take: Take) -> None:
    text = "店舗,商品,数量\n" + "".join(f"店{i},A,2\n店{i},B,3\n小計,,5\n" for i in range(80))
    assert take(f"{text}総合計,,400\n").tables[0].rows == 160
