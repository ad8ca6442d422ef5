"""What tables are called in other languages."""

import pytest

from ingest.catalog.terms import synonyms


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


@pytest.mark.parametrize("name", ["", "在庫", "lead_time_zzz"])
def test_what_is_no_term_of_trade_has_no_synonyms(name: str) -> None:
    assert synonyms(name) == ()
