"""The scorer of the benchmark of answers, against values worked out by hand."""

from decimal import Decimal

import pytest

from tests.bench.in_text import stands_in
from tests.bench.scoring import cell, rows_equal, same, score


def test_the_order_of_rows_does_not_matter() -> None:
    assert rows_equal([["b", 2], ["a", 1]], [["a", 1], ["b", 2]])


def test_a_different_number_of_rows_is_wrong() -> None:
    assert not rows_equal([["a"], ["a"]], [["a"]])


def test_the_columns_may_stand_in_another_order_and_be_more() -> None:
    assert rows_equal([[1, "x", "a"], [2, "y", "b"]], [["a", 1], ["b", 2]])


def test_the_result_may_have_fewer_columns_than_the_gold() -> None:
    assert rows_equal([["a"], ["b"]], [["a", 1], ["b", 2]])


def test_columns_that_match_one_by_one_must_also_match_row_by_row() -> None:
    assert not rows_equal([["a", 2], ["b", 1]], [["a", 1], ["b", 2]])


def test_one_column_cannot_stand_for_two() -> None:
    assert not rows_equal([[1, 5], [2, 6]], [[1, 1], [2, 2]])


def test_an_assignment_that_fails_on_the_rows_is_given_up_for_another() -> None:
    # The gold's second column fits the 2nd and the 3rd by its values, by its rows only the 3rd.
    assert rows_equal([["a", 2, 1], ["b", 1, 2]], [["a", 1], ["b", 2]])


def test_how_often_a_row_occurs_matters() -> None:
    assert not rows_equal([["a"], ["a"], ["b"]], [["a"], ["b"], ["b"]])


def test_no_rows_equal_no_rows_only() -> None:
    assert rows_equal([], [])
    assert not rows_equal([[None]], [])


def test_rows_within_the_tolerance_are_paired_even_when_the_nearest_one_is_taken() -> None:
    # 1.00005 fits both gold values, 1.00012 only the second (its gap to 1 is 0.00012).
    assert rows_equal([["1.00005"], ["1.00012"]], [[1.0000001], [1.0001]])


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("12.50", 12.5),
        (831.0, 831),
        ("007", "007"),
        ("007", 7),
        (28.833896091428567, "28.8339"),
        (0.00001, 0.00004),
        ("2017-03-30T09:15:37", "2017-03-30 09:15:37.000"),
        ("2017-03-30 00:00:00", "2017-03-30"),
        ("2016-02-14", "20160214"),
        (20160214, "2016-02-14"),
        (" Sterling ", "Sterling"),
        (True, "true"),
        (None, None),
        (float("nan"), None),
        ("99999999999999999999999999999999999999", 99999999999999999999999999999999999999),
    ],
)
def test_two_spellings_of_one_value_are_the_same(left: object, right: object) -> None:
    assert same(cell(left), cell(right))


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (531590, 531591),
        (28.8339, 28.84),
        ("2017-03-30 09:15:37", "2017-03-30"),
        (None, 0),
        (None, ""),
        ("sterling", "Sterling"),
        ("2016-02-14", "20160215"),
        ("2016-02-14 10:00:00", "20160214"),
        (True, 1),
        ("A4", "4"),
    ],
)
def test_two_values_are_not_the_same(left: object, right: object) -> None:
    assert not same(cell(left), cell(right))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("There are 531,590 pairs.", 531590),
        ("共有５３１５９０个", 531590),
        ("The mean is 28.83 [1].", 28.833896091428567),
        ("平均は 24.9% です", 0.24911389885177002),
        ("约12.3万件", 123456),
        ("a loss of −1,200.50", -1200.5),
        ("▲1200.5", -1200.5),
        ("有4个组织", 4),
        ("- 4 orders", 4),
        ("3-5 days", 5),
        ("made by pearson.", "Pearson"),
        ("| Paris sp\u00e9cialit\u00e9s |", "Paris spe\u0301cialite\u0301s"),
        (
            "FISSA Fabrica Inter. Salchichas S.A. never ordered",
            "FISSA Fabrica Inter. Salchichas S.A.",
        ),
        ("a\\_b", "a_b"),
        ("on March 3rd, 2017", "2017-03-03"),
        ("2017年3月3日", "2017-03-03 00:00:00"),
        ("3/30 2017-03-30 9:15", "2017-03-30T09:15:37"),
        ("nothing", None),
    ],
)
def test_a_value_stands_in_the_text(text: str, value: object) -> None:
    assert stands_in(text, cell(value))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("There are 1,531,590 pairs.", 531590),
        ("The answer [4] is in E4 and A4.", 4),
        ("about 0", 0.004),
        ("4.6", 5),
        ("28.84", 28.833896091428567),
        ("1,200.5", -1200.5),
        ("Tomato", "Tom"),
        ("A42", "A4"),
        ("2017-03-31", "2017-03-03"),
        ("2017-03-30", "2017-03-30 09:15:37"),
    ],
)
def test_a_value_does_not_stand_in_the_text(text: str, value: object) -> None:
    assert not stands_in(text, cell(value))


def test_a_decimal_is_found_at_its_shown_rounding() -> None:
    assert stands_in("37.62", Decimal("37.620000000000005"))


def test_a_right_answer_is_correct() -> None:
    found = score("answered", "Their count is 4 [1].", [[["x"]], [[4]]], [[4]])
    assert (found.rows_ok, found.stands_in_text, found.correct) == (True, True, True)


def test_right_rows_without_the_value_in_the_text_are_not_correct() -> None:
    found = score("answered", "Their count is 5.", [[[4]]], [[4]])
    assert (found.rows_ok, found.stands_in_text, found.correct) == (True, False, False)


def test_the_value_in_the_text_without_a_citation_is_not_correct() -> None:
    found = score("answered", "Their count is 4.", [], [[4]])
    assert (found.rows_ok, found.stands_in_text, found.correct) == (False, True, False)


def test_more_than_five_values_need_not_stand_in_the_text() -> None:
    gold = [[1, "a"], [2, "b"], [3, "c"]]
    assert score("partial", "See the table.", [gold], gold).correct


def test_a_handed_off_answer_is_never_correct() -> None:
    found = score("handed_off", "4", [[[4]]], [[4]])
    assert found.rows_ok and not found.correct
