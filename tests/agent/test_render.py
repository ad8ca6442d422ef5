import pytest

from agent.render import cell, markdown_table, with_tables
from tools.evidence import Column, Evidence, Value


def rows(
    *values: tuple[Value, ...], names: tuple[str, ...] = ("a", "b"), id: str = "E1"
) -> Evidence:
    columns = tuple(Column(name=n, type="VARCHAR") for n in names)
    return Evidence(
        id=id, kind="rows", tool="sql", source="t", columns=columns, rows=values, row_count=len(values)
    )  # fmt: skip


def test_a_table_has_a_caption_a_head_and_its_rows() -> None:
    assert markdown_table(rows(("x", 1), (None, "2.50")), "en") == (
        "E1: 2 rows\n\n| a | b |\n| --- | --- |\n| x | 1 |\n|  | 2.50 |"
    )


@pytest.mark.parametrize(
    ("language", "caption"),
    [("ja", "E1: 25行のうち20行"), ("en", "E1: 20 of 25 rows"), ("zh", "E1：25行中的20行")],
)
def test_at_most_twenty_rows_are_shown_and_the_count_is_said(language: str, caption: str) -> None:
    table = markdown_table(rows(*((n, n) for n in range(25))), language)  # type: ignore[arg-type]
    assert table.splitlines()[0] == caption
    assert table.splitlines()[-1] == "| 19 | 19 |"


@pytest.mark.parametrize(
    ("value", "shown"),
    [(None, ""), (0, "0"), (1.0, "1"), (0.1, "0.1"), (1e-7, "0.0000001"), (1e20, "1" + "0" * 20),
     ("1200.50", "1200.50"), (True, "True"), ("a|b", "a\\|b"), ("two\n lines", "two lines")],
)  # fmt: skip
def test_a_cell_is_shown_plainly(value: Value, shown: str) -> None:
    assert cell(value) == shown


def test_a_bar_in_a_column_name_breaks_no_table() -> None:
    assert "| x\\|y |" in markdown_table(rows(("1",), names=("x|y",)), "en")


def test_a_small_result_that_the_text_states_is_not_repeated() -> None:
    assert with_tables("Osaka has 1,200.50 yen.", [rows(("osaka", "1200.50"))], "en") == (
        "Osaka has 1,200.50 yen."
    )


@pytest.mark.parametrize("text", ["There are 12.", "There are 120.", "There are 0.1200"])
def test_a_number_inside_another_is_not_stated(text: str) -> None:
    assert "| 1 | 200 |" in with_tables(text, [rows((1, 200))], "en")


def test_a_plural_is_not_the_stored_name() -> None:
    counted = rows(("Village Store", 3), ("City Mall", 2))
    plural = "There are 3 Village Stores and 2 City Malls."
    assert "| City Mall | 2 |" in with_tables(plural, [counted], "en")
    stored = "Village Store: 3, city mall: 2"
    assert with_tables(stored, [counted], "en") == stored


def test_more_than_five_values_are_always_a_table() -> None:
    values = tuple((n, n) for n in range(3))
    assert "| 2 | 2 |" in with_tables("0 1 2", [rows(*values)], "en")


def test_only_rows_become_tables_and_empty_ones_do_not() -> None:
    passage = Evidence(id="E2", kind="chunk", tool="k", source="f", text="words")
    assert with_tables("Nothing.", [rows(), passage], "en") == "Nothing."


def test_without_text_the_tables_stand_alone() -> None:
    assert with_tables("", [rows(("x", "y"))], "en").startswith("E1: 1 row")
