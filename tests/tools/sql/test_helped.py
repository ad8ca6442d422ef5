"""A model's query that is helped along: the note says how, the rows are those that were asked for."""

from dataclasses import replace
from typing import Any

import pytest

from ingest.store import ColumnRecord, TableRecord
from tools.base import ToolContext
from tools.errors import ToolRetry
from tools.sql.renames import like_column, own_key
from tools.sql.result import SqlResult
from tools.sql.tool import SqlArguments, SqlTool


@pytest.fixture
def known(context: ToolContext) -> ToolContext:
    """With the count of distinct values, by which a column's values are indexed."""
    store: Any = context.store
    tables = tuple(
        t.model_copy(
            update={"columns": tuple(c.model_copy(update={"distinct": 3}) for c in t.columns)}
        )
        for t in store.catalog.tables
    )
    catalog = store.catalog.model_copy(update={"tables": tables})
    return replace(context, store=replace(store, catalog=catalog))


def _asked(tool: SqlTool, context: ToolContext, question: str, sql: str) -> SqlResult:
    asked = replace(context, question=question, alone=True)
    return tool.run(SqlArguments(query=sql), asked)


def test_the_first_of_an_order_is_one_that_has_a_name(tool: SqlTool, context: ToolContext) -> None:
    # Quantities by city: none 4, Osaka 2; Tokyo 5 and Nagoya 5 are kept out.
    sql = (
        "SELECT city, SUM(quantity) FROM sales WHERE quantity < 5 AND sale_id <> 3 "
        "GROUP BY city ORDER BY SUM(quantity) DESC, city LIMIT 1"
    )
    question = "Which city bought most, of sales under 5 pieces and without sale 3?"
    found = _asked(tool, context, question, sql)
    assert found.rows.rows == (("Osaka", "2"),)
    assert "rows without a city, which come first, were left out" in found.answer_notes
    by_hand = tool.run(SqlArguments(query=sql), context)
    assert by_hand.rows.rows[0][0] is None


def test_a_word_that_no_column_holds_is_not_asked_of_numbers(
    tool: SqlTool, context: ToolContext
) -> None:
    sql = "SELECT SUM(quantity) FROM sales WHERE sale_id = 'Product' AND city = 'Tokyo'"
    found = _asked(tool, context, "How many pieces did Tokyo buy?", sql)
    assert found.rows.rows == (("5",),)
    assert found.answer_notes[0] == (
        "the query was corrected: sale_id = 'Product' was left out: sale_id holds numbers"
    )


def test_a_word_of_another_column_is_not_dropped_but_sent_back(
    tool: SqlTool, known: ToolContext
) -> None:
    sql = "SELECT SUM(quantity) FROM sales WHERE sale_id = 'Tokyo'"
    with pytest.raises(ToolRetry, match="holds numbers, not 'Tokyo'") as caught:
        _asked(tool, known, "How many pieces did Tokyo buy?", sql)
    assert caught.value.kind == "no_number"
    assert caught.value.hint == "'Tokyo' stands in sales.city"


def test_a_word_of_the_question_is_never_left_out(tool: SqlTool, context: ToolContext) -> None:
    sql = "SELECT SUM(quantity) FROM sales WHERE sale_id = 'wholesale'"
    with pytest.raises(ToolRetry, match="holds numbers, not 'wholesale'"):
        _asked(tool, context, "How many pieces were sold wholesale?", sql)


def test_a_value_that_stands_in_another_column_is_named_there(
    tool: SqlTool, known: ToolContext
) -> None:
    sql = "SELECT city FROM sales WHERE product_cd = 'みかん'"
    found = _asked(tool, known, "みかんはどの都市で売れましたか？", sql)
    assert "no row has product_cd = 'みかん'; it stands in products.商品名" in found.notes


def test_an_example_adds_up_no_keys(tool: SqlTool, context: ToolContext) -> None:
    with pytest.raises(ToolRetry) as caught:
        _asked(tool, context, "How much?", "SELECT nothing FROM sales")
    assert "SUM(sale_id)" not in caught.value.hint


def _table(name: str, *columns: str) -> TableRecord:
    records = tuple(ColumnRecord(name=c, type="VARCHAR", original=c) for c in columns)
    return TableRecord(name=name, source=f"{name}.csv", rows=1, columns=records)


INVOICES = _table("invoices", "id", "billing_country", "total")
CUSTOMERS = _table("customers", "id", "country", "companyName", "premise_details")


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("invoice_id", ("invoices", "id")),
        ("customersID", ("customers", "id")),
        ("track_id", None),
        ("id", None),
    ],
)
def test_a_tables_own_key_is_called_by_its_name(name: str, meant: tuple[str, str] | None) -> None:
    found = own_key(name, (INVOICES, CUSTOMERS))
    assert (found and (found[0].name, found[1])) == meant


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("country_name", "country"),
        ("company", "companyName"),
        ("premises_details", "premise_details"),
        ("city", None),
        ("billing", None),
    ],
)
def test_a_column_may_be_called_by_the_same_words(name: str, meant: str | None) -> None:
    found = like_column(name, (INVOICES, CUSTOMERS))
    assert (found and found[1]) == meant
