from collections.abc import Callable

import duckdb
import pytest

from ingest.tables import TableImport
from ingest.tables.totals import is_subtotal, is_total

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
def test_a_word_for_a_part_with_figures_is_a_subtotal(label: str) -> None:
    assert is_subtotal([label, "", "12"])


@pytest.mark.parametrize(
    "row",
    [["Total", "France", "20"], ["合計", "東京"], ["時計", "12"], ["設計", "5"], ["会計", "7"]],
)
def test_a_name_that_looks_like_one_is_neither(row: list[str]) -> None:
    assert not is_total(row)
    assert not is_subtotal(row)


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
