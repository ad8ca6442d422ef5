"""What tables are called in other languages."""

import pytest

from ingest.catalog.terms import column_synonyms, metric_synonyms, synonyms


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("leads", "线索"),
        ("Customer_Orders", "受注"),
        ("OrderItems", "明細"),
        ("branches", "支店"),
        ("companies", "公司"),
    ],
)
def test_a_table_is_called_by_its_last_word(name: str, expected: str) -> None:
    assert expected in synonyms(name)


@pytest.mark.parametrize(
    ("name", "expected"),
    [("在庫", "inventory"), ("商品マスタ", "product"), ("客户", "customer"), ("仓库表", "倉庫")],
)
def test_a_japanese_or_chinese_name_is_called_in_the_other_languages(
    name: str, expected: str
) -> None:
    assert expected in synonyms(name)
    assert name not in synonyms(name)


@pytest.mark.parametrize(
    ("name", "expected"),
    [("order_quantity", "数量"), ("单价", "price"), ("unitCost", "原価"), ("販売日", "date")],
)
def test_a_column_is_called_by_its_last_word(name: str, expected: str) -> None:
    assert expected in column_synonyms(name)


def test_a_metric_is_called_in_three_languages() -> None:
    assert {"inventory turnover", "在庫回転率", "库存周转率"} <= set(
        metric_synonyms("inventory_turnover")
    )


@pytest.mark.parametrize("name", ["", "謎", "lead_time_zzz"])
def test_what_is_no_term_of_trade_has_no_synonyms(name: str) -> None:
    assert synonyms(name) == ()
