from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace
from typing import cast

import pytest

from ingest.store import Catalog, Store
from tools.base import ToolContext
from tools.errors import ToolError, ToolRetry, ToolUnavailable
from tools.evidence import content_hash
from tools.sql.result import SqlResult
from tools.sql.settings import SqlSettings
from tools.sql.tool import SqlArguments, SqlTool
from tools.tokens import estimate_tokens

Ask = Callable[[str], SqlResult]


def failure(ask: Ask, sql: str) -> ToolError:
    with pytest.raises(ToolError) as error:
        ask(sql)
    return error.value


def test_the_evidence_names_tables_rows_and_the_sql_that_ran(ask: Ask) -> None:
    evidence = ask("select city, quantity from sales where sale_id = 3").evidence()[0]
    assert (evidence.kind, evidence.tool, evidence.source) == ("rows", "sql", "sales")
    assert evidence.query == "SELECT city, quantity FROM sales WHERE sale_id = 3"
    assert evidence.locator.startswith("sql ")
    assert evidence.locator.endswith(" · 1 row")
    assert evidence.rows == (("Tokyo", 3),)
    assert evidence.hash == content_hash(evidence.columns, evidence.rows)


def test_the_json_has_the_documented_fields(ask: Ask) -> None:
    assert ask(
        "SELECT day, on_hand FROM stock WHERE product_cd = '0042' ORDER BY day"
    ).to_json() == {
        "columns": [{"name": "day", "type": "DATE"}, {"name": "on_hand", "type": "INTEGER"}],
        "rows": [["2026-03-30", 5], ["2026-03-31", 9]],
        "row_count": 2,
        "truncated": False,
        "notes": ["stock of 2026-03-30 to 2026-03-31 (stock)"],
    }


def test_quarantined_cells_are_counted_for_the_columns_used(ask: Ask) -> None:
    used = ask("SELECT SUM(amount) FROM sales")
    assert used.evidence()[0].excluded_cells == 1
    assert used.evidence()[0].notes == (
        "column amount of table sales leaves out 1 cell: row 7 of sales.csv "
        "(zaiko tables --quarantine sales)",
    )
    assert ask("SELECT SUM(quantity) FROM sales").evidence()[0].excluded_cells == 0


@pytest.mark.parametrize(
    ("sql", "said"),
    [
        ("SELECT SUM(sale_id) FROM sales", ("sale_id of table sales",)),
        (
            "SELECT city, AVG(s.sale_id) AS a FROM sales AS s GROUP BY city",
            ("sale_id of table sales",),
        ),
        ("SELECT SUM(quantity), COUNT(sale_id) FROM sales", ()),
    ],
)
def test_a_sum_of_numbers_that_name_things_is_said(
    ask: Ask, sql: str, said: tuple[str, ...]
) -> None:
    notes = [note for note in ask(sql).answer_notes if "numbers things" in note]
    assert tuple(note.split(" numbers")[0] for note in notes) == said


def test_stock_is_as_of_the_day_that_was_asked_for(ask: Ask) -> None:
    result = ask("SELECT SUM(on_hand) FROM stock WHERE day = DATE '2026-03-30'")
    assert result.rows.rows == (("15",),)
    assert result.answer_notes == ("stock as of 2026-03-30 (stock)",)


@pytest.mark.parametrize(
    ("value", "sql_type", "expected"),
    [
        ("DATE '2026-01-31'", "DATE", "2026-01-31"),
        ("TIMESTAMP '2026-01-31 10:20:30'", "TIMESTAMP", "2026-01-31T10:20:30"),
        ("CAST(1.50 AS DECIMAL(10, 2))", "DECIMAL(10,2)", "1.50"),
        ("CAST(7 AS HUGEINT)", "HUGEINT", "7"),
        ("CAST(7 AS BIGINT)", "BIGINT", 7),
        ("1.5::DOUBLE", "DOUBLE", 1.5),
        ("true", "BOOLEAN", True),
        ("NULL::VARCHAR", "VARCHAR", None),
        ("[1, 2]", "INTEGER[]", "[1, 2]"),
        ("{'a': 1.5::DOUBLE}", "STRUCT(a DOUBLE)", '{"a": 1.5}'),
        ("encode('ab')", "BLOB", "6162"),
        ("0.1::DECIMAL(38, 10) / 3", "DOUBLE", 0.1 / 3),
    ],
)
def test_a_value_becomes_a_json_value(
    value: str, sql_type: str, expected: object, ask: Ask
) -> None:
    rows = ask(f"SELECT {value} AS v").rows
    assert rows.columns[0].type == sql_type
    assert rows.rows[0][0] == expected


def test_nan_and_infinity_become_null_with_a_note(ask: Ask) -> None:
    result = ask("SELECT 'NaN'::DOUBLE AS a, 'inf'::DOUBLE AS b, 1.0::DOUBLE AS c")
    assert result.rows.rows == ((None, None, 1.0),)
    assert any(n.startswith("2 values were NaN") for n in result.notes)


def test_a_query_without_a_table_says_so(ask: Ask) -> None:
    result = ask("SELECT 42 AS answer")
    assert result.evidence()[0].source == ""
    assert any("no table was read" in n for n in result.notes)


def test_all_rows_are_counted_when_only_some_are_kept(context: ToolContext) -> None:
    tool = SqlTool(SqlSettings(rows_kept=3))
    result = tool.run(SqlArguments(query="SELECT sale_id FROM sales ORDER BY 1"), context)
    tool.close()
    assert [r[0] for r in result.rows.rows] == [1, 2, 3]
    assert result.to_json()["row_count"] == 6
    assert result.evidence()[0].truncated
    assert any("6 rows in all; only the first 3 are kept" in n for n in result.notes)


def test_no_match_names_the_stored_values_like_the_one_asked_for(ask: Ask) -> None:
    result = ask("SELECT sale_id FROM sales WHERE city = 'Tokio'")
    assert "0 rows matched" in result.notes
    assert "no row has city = 'Tokio'; stored values like it: 'Tokyo'" in result.notes


def test_a_sum_over_no_row_also_names_the_stored_values(ask: Ask) -> None:
    result = ask("SELECT SUM(quantity) FROM sales WHERE city IN ('TOKYO')")
    assert result.notes == ("no row has city = 'TOKYO'; stored values like it: 'Tokyo'",)


def test_a_stored_value_that_matches_no_row_for_another_reason_is_not_questioned(ask: Ask) -> None:
    result = ask("SELECT sale_id FROM sales WHERE city = 'Tokyo' AND quantity > 99")
    assert result.notes == (
        "0 rows matched",
        "quantity > 99 leaves no row: without it 2 rows",
    )


def test_a_code_compared_with_a_number_is_answered_with_how_to_write_it(ask: Ask) -> None:
    error = failure(ask, "SELECT * FROM sales WHERE product_cd = 13")
    assert (type(error), error.kind) == (ToolRetry, "sql_error")
    assert error.hint.startswith("product_cd is text: write product_cd = '0013'")


def test_an_unknown_column_is_answered_with_the_nearest_and_the_tables_columns(ask: Ask) -> None:
    error = failure(ask, "SELECT quantile FROM sales")
    assert error.kind == "unknown_column"
    assert error.hint.startswith("nearest: sales.quantity")
    assert "sales: sale_id, sold_on, city" in error.hint


def test_a_person_is_shown_the_corrected_query_and_nothing_is_run(ask: Ask) -> None:
    error = failure(ask, "SELECT quantitiy FROM sales")
    assert (error.kind, error.hint) == ("unknown_column", "try: SELECT quantity FROM sales")
    error = failure(ask, "SELECT city FROM sale")
    assert (error.kind, error.hint) == ("unknown_table", "try: SELECT city FROM sales")


def test_a_models_query_is_corrected_and_the_answer_says_so(
    tool: SqlTool, context: ToolContext
) -> None:
    asked = SqlArguments(query="SELECT SUM(quantitiy) FROM sales")
    result = tool.run(asked, replace(context, question="Which sales?"))
    assert result.rows.rows == (("16",),)
    (note,) = result.answer_notes
    assert note == "the query was corrected: there is no column 'quantitiy' here"
    assert result.evidence()[0].query == "SELECT SUM(quantity) FROM sales"


def test_only_a_models_query_gets_columns_beside_those_asked_for(
    tool: SqlTool, context: ToolContext
) -> None:
    asked = SqlArguments(query="SELECT sale_id FROM sales WHERE city IN ('Nagoya')")
    assert tool.run(asked, context).rows.rows == ((4,),)
    assert tool.run(asked, replace(context, question="Which sales?")).rows.rows == ((4, "Nagoya"),)


def test_a_limit_beyond_all_numbers_limits_nothing(ask: Ask) -> None:
    assert ask(f"SELECT sale_id FROM sales LIMIT 1{'0' * 40}").rows.row_count == 6


def test_a_column_of_another_table_is_pointed_out(ask: Ask) -> None:
    error = failure(ask, "SELECT on_hand FROM sales")
    assert error.kind == "unknown_column"
    assert "on_hand is a column of stock" in error.hint


@pytest.mark.parametrize(
    ("sql", "word"),
    [
        ("SELECT city, SUM(quantity) FROM sales", "GROUP BY"),
        ("SELECT SUM(city) FROM sales", "TRY_CAST"),
        ("SELECT substr(sold_on, 1, 4) FROM sales", "strftime"),
        ("SELECT x.city FROM sales", "tables:"),
        ("SELECT product_cd FROM sales, products", "alias"),
        ("SELECT city FROM sales WHERE SUM(quantity) > 1", "HAVING"),
        ("SELECT city FROM sales WHERE rank() OVER () = 1", "QUALIFY"),
    ],
)
def test_an_error_comes_with_the_next_step(sql: str, word: str, ask: Ask) -> None:
    error = failure(ask, sql)
    assert isinstance(error, ToolRetry)
    assert word in error.hint


def test_the_text_for_the_model_is_short_and_counts_all_rows(ask: Ask) -> None:
    sql = "SELECT i AS number, 'text of some length' AS words FROM range(5000) AS r(i) ORDER BY i"
    text = ask(sql).for_model(["E7"])
    assert text.startswith("[E7]\nnumber | words\n0 | text of some length\n")
    assert "(5000 rows, first " in text
    assert estimate_tokens(text) <= 255


def test_without_a_table_the_operator_is_told(catalog: Catalog, context: ToolContext) -> None:
    store = cast(Store, SimpleNamespace(catalog=catalog, warehouse=None, revision=1))
    with pytest.raises(ToolUnavailable) as error:
        SqlTool().run(SqlArguments(query="SELECT 1"), replace(context, store=store))
    assert error.value.kind == "no_tables"


def test_what_was_left_out_of_a_models_query_is_said_with_the_answer(
    tool: SqlTool, context: ToolContext
) -> None:
    asked = SqlArguments(query="SELECT city FROM sales WHERE product_cd = '0013' LIMIT 2")
    result = tool.run(asked, replace(context, question="Which cities are there in the sales?"))
    assert result.answer_notes == (
        "product_cd = '0013' was left out: the question does not say so",
        "LIMIT 2 was left out: the question does not ask for it",
    )
    assert result.rows.row_count == 6
