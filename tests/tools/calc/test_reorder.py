"""Reorder proposals with figures that were worked out by hand."""

from collections.abc import Callable
from datetime import date, timedelta
from types import SimpleNamespace
from typing import cast

import pytest

from ingest.store import Store
from tools.base import ToolContext
from tools.calc.numbers import BadInput
from tools.calc.reorder import Reorder
from tools.calc.reorder_inputs import history
from tools.calc.tool import CalculationArguments, CalculationTool
from tools.evidence import Column, Evidence

Rows = list[dict[str, object]]
TERMS: Rows = [
    {"sku": "A", "lead_time_days": 14, "minimum_quantity": 24, "pack_size": 10},
    {"sku": "B", "lead_time_days": 14, "minimum_quantity": 500, "pack_size": 24},
]


def proposal(**given: object) -> Rows:
    none: Callable[[object], Rows] = lambda _: []  # noqa: E731
    return Reorder(none, "en").reorder_proposal(**given)


def test_the_policys_example_gives_its_reorder_point() -> None:
    """A day 20.5, 14 days, 8 safety days: 164 and 20.5 · 14 + 164 = 451. Up to 451 + 30 · 20.5 =
    1,066 from 440 are 626, in packs of 10 are 630."""
    rows = proposal(
        on_hand=[{"sku": "A", "on_hand": 400}],
        on_order=[{"sku": "A", "on_order": 15}, {"sku": "A", "on_order": 25}],
        demand=[{"sku": "A", "quantity": 1845}],
        terms=TERMS[:1],
        days=90,
        safety_days=8,
    )
    assert rows == [
        {
            "sku": "A", "on_hand": 400, "on_order": 40, "lead_time_days": 14,
            "minimum_quantity": 24, "pack_size": 10, "proposed_quantity": 630,
            "reason": "stock and orders 440 ≤ reorder point 451 (20.5 a day × 14 days + safety"
            " stock 164); 626 bring it to the reorder point and 30 days more; 63 packs of 10",
        }
    ]  # fmt: skip


@pytest.mark.parametrize(("on_hand", "is_ordered"), [(451, True), (452, False)])
def test_it_is_ordered_at_the_reorder_point_and_not_above_it(
    on_hand: int, is_ordered: bool
) -> None:
    rows = proposal(
        on_hand=[{"sku": "A", "on_hand": on_hand}],
        demand=[{"sku": "A", "quantity": 1845}],
        terms=TERMS[:1],
        days=90,
        safety_days=8,
    )
    assert bool(rows) is is_ordered


def test_the_minimum_counts_before_the_packs() -> None:
    """10 a day · 30 days are 300, the minimum 500, in packs of 24 are 21 · 24 = 504."""
    (row,) = proposal(
        on_hand=[{"sku": "B", "on_hand": 0}],
        demand=[{"sku": "B", "quantity": 100}],
        terms=TERMS[1:],
        days=10,
        safety_days=0,
        up_to=False,
    )
    assert row["proposed_quantity"] == 504
    assert str(row["reason"]).endswith("; 300 for 30 days; minimum order 500; 21 packs of 24")


def test_a_service_level_takes_the_variation_of_the_days() -> None:
    """8 and 12 by turns: mean 10, standard deviation √(10 · 4 / 9) = 2.1082; z(95%) · 2.1082 · √4 =
    6.94, so the reorder point is 10 · 4 + 6.94, rounded up 47, and 47 - 40 + 300 = 307."""
    first = date(2026, 11, 1)
    demand: Rows = [
        {"sku": "A", "date": (first + timedelta(days=i)).isoformat(), "quantity": 8 + 4 * (i % 2)}
        for i in range(10)
    ]
    terms: Rows = [{"sku": "A", "lead_time_days": 4}]
    (row,) = proposal(on_hand=[{"sku": "A", "on_hand": 40}], demand=demand, terms=terms)
    assert row["proposed_quantity"] == 307
    assert "reorder point 47 (10 a day × 4 days + safety stock 7)" in str(row["reason"])
    assert (row["minimum_quantity"], row["pack_size"]) == (None, None)


def test_days_without_a_sale_count_and_months_are_as_long_as_they_are() -> None:
    rows: Rows = [
        {"sku": "A", "date": "2026-11-01", "quantity": 6},
        {"sku": "A", "date": "2026-11-04", "quantity": 2},
        {"sku": "B", "date": "2026-11-02", "quantity": 4},
    ]
    found = history(rows, None)
    assert found.days == 4
    assert [found.demand[(sku,)].a_day for sku in "AB"] == [2, 1]
    # 6, 0, 0, 2 around 2: √((16 + 4 + 4 + 0) / 3)
    assert found.demand[("A",)].sd_a_day == pytest.approx(8**0.5)
    months = history(
        [{"sku": "A", "month": m, "quantity": 31} for m in ("2026-01", "2026-02", "2026-03")], None
    )
    assert (months.days, months.note) == (90, "2026-01-01 to 2026-03-31, by month")


@pytest.mark.parametrize(
    "labels", [("2026-09-01", "2026-10-01"), ("2026-09-30", "2026-10-31"), ("2026-09", "2026-10")]
)
def test_a_month_counts_the_same_by_its_first_and_by_its_last_day(labels: tuple[str, str]) -> None:
    """61 units in 61 days are one a day: 10 days of lead time and 30 of cover are 40."""
    demand: Rows = [
        {"sku": "A", "date": labels[0], "quantity": 30},
        {"sku": "A", "date": labels[1], "quantity": 31},
    ]
    terms: Rows = [{"sku": "A", "lead_time_days": 10, "safety_days": 0}]
    (row,) = proposal(on_hand=[{"sku": "A", "on_hand": 0}], demand=demand, terms=terms)
    assert row["proposed_quantity"] == 40
    assert "(1 a day × 10 days" in str(row["reason"])


def test_the_deviation_counts_the_periods_without_a_row() -> None:
    """6, 0, 0, 2 and 8, 0, 0, 0 in four months of 120 days, 30 each: √8 and √16 a month."""
    labels = ["2026-01-01", "2026-04-01", "2026-01-01"]
    rows: Rows = [
        {"sku": sku, "date": day, "quantity": q}
        for sku, day, q in zip("AAB", labels, (6, 2, 8), strict=True)
    ]
    found = history([*rows, {"sku": "C", "date": "2026-02-01", "quantity": 1}], None)
    sds = [found.demand[(sku,)].sd_a_day for sku in "AB"]
    assert sds == pytest.approx([(8 / 30) ** 0.5, (16 / 30) ** 0.5])


@pytest.mark.parametrize(
    ("table", "where"), [("demand", "the demand"), ("on_hand", "the stock"), ("on_order", "what is on order")]
)  # fmt: skip
@pytest.mark.parametrize(("listed", "other"), [("a", "A"), ("00123", "123"), ("AB-1", "ＡＢ１")])
def test_a_sku_that_is_written_otherwise_elsewhere_is_not_taken_for_none(
    table: str, where: str, listed: str, other: str
) -> None:
    given: dict[str, Rows] = {
        "demand": [{"sku": listed, "quantity": 90}],
        "on_hand": [{"sku": listed, "on_hand": 1}],
        "on_order": [{"sku": listed, "on_order": 1}],
    }
    given[table][0]["sku"] = other
    terms: Rows = [{"sku": listed, "lead_time_days": 5}]
    (row,) = proposal(**given, terms=terms, days=90, safety_days=1)
    assert (row["sku"], row["proposed_quantity"]) == (listed, None)
    assert str(row["reason"]).startswith(f"not worked out: {where} has {other} and not {listed}")


def test_two_skus_that_differ_in_case_only_are_two() -> None:
    terms: Rows = [{"sku": sku, "lead_time_days": 5} for sku in ("a", "A")]
    rows = proposal(
        on_hand=[], demand=[{"sku": "A", "quantity": 90}], terms=terms, days=90, safety_days=1,
        whole_list=True,
    )  # fmt: skip
    assert [(r["sku"], r["proposed_quantity"]) for r in rows] == [("a", 0), ("A", 36)]


def test_what_cannot_be_worked_out_is_told_and_not_left_out() -> None:
    rows = proposal(
        on_hand=[],
        demand=[{"sku": "A", "quantity": 90}, {"sku": "B", "quantity": 90}],
        terms=[{"sku": "A", "lead_time_days": None}, {"sku": "B", "lead_time_days": 5}],
        days=90,
        safety_days=1,
    )
    assert [(r["sku"], r["proposed_quantity"]) for r in rows] == [("A", None), ("B", 36)]
    assert rows[0]["reason"] == "not worked out: no lead time"
    assert str(rows[1]["reason"]).startswith("no stock figure, taken as 0; stock and orders 0 ≤")


def test_the_whole_list_has_what_is_not_ordered_too() -> None:
    given = {
        "on_hand": [{"sku": "A", "on_hand": 900}, {"sku": "B", "on_hand": 1}],
        "demand": [{"sku": "A", "quantity": 90}],
        "terms": TERMS,
        "days": 90,
        "safety_days": 1,
    }
    assert proposal(**given) == []
    rows = proposal(**given, whole_list=True)
    assert [(r["sku"], r["proposed_quantity"]) for r in rows] == [("A", 0), ("B", 0)]
    assert rows[1]["reason"] == "no demand in the period"


@pytest.mark.parametrize(
    ("changed", "kind", "word"),
    [
        ({"on_hand": [{"sku": "A", "count": 1}]}, "missing_column", "AS on_hand"),
        ({"on_hand": [{"sku": "A", "on_hand": 1}] * 2}, "repeated_sku", "one row a SKU"),
        ({"terms": [{"sku": "A", "lead_time": 1, "pack": 0}]}, "bad_value", "whole number above 0"),
        ({"days": None}, "no_period", "days=90"),
        ({"demand": []}, "no_rows", "longer period"),
        ({"demand": [{"sku": "A", "date": "soon", "quantity": 1}]}, "bad_value", "DATE column"),
        ({"demand": [{"sku": "A", "date": "2026-11-01", "quantity": 1}]}, "no_period", "several days"),
        ({"service_level": 95}, "bad_value", "0.95 for 95%"),
        ({"service_level": 0.05}, "bad_value", "give 0.95"),
        ({"demand": [{"sku": "A", "quantity": 1}] * 100_001}, "bad_value", "one row a SKU and day"),
        ({"terms": 5}, "bad_value", "terms='E1'"),
    ],
)  # fmt: skip
def test_wrong_tables_say_what_is_missing(changed: dict[str, object], kind: str, word: str) -> None:
    given = {
        "on_hand": [{"sku": "A", "on_hand": 1}],
        "demand": [{"sku": "A", "quantity": 1}],
        "terms": TERMS[:1],
        "days": 90,
        "safety_days": 1,
    }
    with pytest.raises(BadInput) as error:
        proposal(**{**given, **changed})
    assert error.value.kind == kind
    assert word in error.value.hint


def _evidence(name: str, columns: tuple[str, ...], *rows: tuple[object, ...]) -> Evidence:
    kinds = [c.partition(":") for c in columns]
    return Evidence.model_validate(
        {
            "id": name, "kind": "rows", "tool": "sql", "source": "t", "row_count": len(rows),
            "columns": [Column(name=n, type=t) for n, _, t in kinds], "rows": rows,
        }
    )  # fmt: skip


def test_a_proposal_over_evidence_is_a_table_in_the_questions_language(
    tool: CalculationTool,
) -> None:
    stock = _evidence(
        "E1", ("品番:VARCHAR", "在庫数:DECIMAL(18,2)", "発注残:BIGINT"), ("00123", "12.50", 0)
    )
    sales = _evidence("E2", ("品番:VARCHAR", "数量:HUGEINT"), ("00123", "90"))
    terms = _evidence(
        "E3", ("品番:VARCHAR", "リードタイム:BIGINT", "入数:BIGINT"), ("00123", 20, 12)
    )
    context = ToolContext(
        store=cast(Store, SimpleNamespace()),
        today=date(2026, 11, 30),
        evidence={e.id: e for e in (stock, sales, terms)},
        question="何を発注すべきですか",
    )
    code = "reorder_proposal('E1', 'E2', 'E3', on_order='E1', days=90, safety_days=5)"
    result = tool.run(CalculationArguments(code=code), context)
    (evidence,) = result.evidence()
    assert evidence.inputs == ("E2", "E1", "E3")
    # a day 1: reorder point 20 + 5 = 25; 25 - 12.5 + 30 = 42.5, four packs of 12
    assert evidence.rows[0][:7] == ("00123", "12.5", 0, 20, None, 12, 48)
    assert str(evidence.rows[0][7]).startswith("在庫と発注残 12.5 ≤ 発注点 25")
    assert evidence.notes == (
        "1 SKU: 発注 1、不要 0、計算不可 0。需要の期間 90 days",
        "前提: 安全在庫は5日分、発注点+30日分まで発注",
    )
    assert "note: 1 SKU: 発注 1" in result.for_model(["E4"])


def test_a_term_that_only_later_rows_have_counts() -> None:
    """A day 10, 3 days, 2 safety days: 50. From 5 up to 50 + 300 are 345, in packs of 12: 348."""
    rows = proposal(
        on_hand=[{"sku": "Z", "on_hand": 999}, {"sku": "A", "on_hand": 5}],
        demand=[{"sku": "A", "quantity": 300}],
        terms=[{"sku": "Z", "lead_time_days": 3}, {"sku": "A", "lead_time_days": 3, "moq": 20, "pack_size": 12}],
        days=30,
        safety_days=2,
    )  # fmt: skip
    assert [(r["sku"], r["proposed_quantity"], r["minimum_quantity"]) for r in rows] == [
        ("A", 348, 20)
    ]


@pytest.mark.parametrize("role", ["lead_time_days", "minimum_quantity", "safety_days"])
def test_a_negative_term_is_refused(role: str) -> None:
    with pytest.raises(BadInput, match=f"{role} of A is -1"):
        proposal(
            on_hand=[{"sku": "A", "on_hand": 5}],
            demand=[{"sku": "A", "quantity": 300}],
            terms=[{"sku": "A", "lead_time_days": 3, role: -1}],
            days=30,
            safety_days=2,
        )


def test_squares_of_the_days_tell_the_same_variation_as_the_days_themselves() -> None:
    """6 and 2 on two of four days: √((40 - 64 / 4) / 3) = √8, as in the days one by one."""
    days: Rows = [
        {"sku": "A", "date": "2026-11-01", "quantity": 6},
        {"sku": "A", "date": "2026-11-04", "quantity": 2},
    ]
    totals: Rows = [{"sku": "A", "quantity": 8, "squares": 40}]
    one_by_one, summed = history(days, 4), history(totals, 4)
    assert summed.demand[("A",)].a_day == one_by_one.demand[("A",)].a_day == 2
    assert summed.demand[("A",)].sd_a_day == pytest.approx(8**0.5)
    assert one_by_one.demand[("A",)].sd_a_day == pytest.approx(8**0.5)


def test_squares_that_no_days_can_have_are_refused() -> None:
    with pytest.raises(BadInput, match="squares 10 is too small for 8"):
        history([{"sku": "A", "quantity": 8, "squares": 10}], 4)


def test_by_place_each_place_is_judged_by_its_own_stock_and_demand() -> None:
    """Osaka: reorder point 1 · 10 + 5 = 15 ≥ 4; up to 15 + 30 are 41, in packs of 10 are 50. Tokyo
    has 100 and needs nothing: together they would hide Osaka's shortage."""
    rows = proposal(
        on_hand=[
            {"sku": "A", "place": "Osaka", "on_hand": 4},
            {"sku": "A", "place": "Tokyo", "on_hand": 100},
        ],
        demand=[
            {"sku": "A", "place": "Osaka", "quantity": 30},
            {"sku": "A", "place": "Tokyo", "quantity": 30},
        ],
        terms=[{"sku": "A", "lead_time_days": 10, "pack_size": 10}],
        days=30,
        safety_days=5,
        by="place",
    )
    assert [(r["sku"], r["place"], r["proposed_quantity"]) for r in rows] == [("A", "Osaka", 50)]


def test_a_place_that_a_table_lacks_is_named() -> None:
    with pytest.raises(BadInput, match="demand has the columns sku, quantity and no place"):
        proposal(
            on_hand=[{"sku": "A", "place": "Osaka", "on_hand": 4}],
            demand=[{"sku": "A", "quantity": 30}],
            terms=TERMS[:1],
            days=30,
            by="place",
        )


def test_the_assumptions_are_said() -> None:
    none: Callable[[object], Rows] = lambda _: []  # noqa: E731
    reorder = Reorder(none, "en")
    reorder.reorder_proposal(
        on_hand=[{"sku": "A", "on_hand": 1}],
        demand=[{"sku": "A", "quantity": 30, "squares": 30}],
        terms=TERMS[:1],
        days=30,
        service_level=0.98,
        cover_days=14,
    )
    assert reorder.notes[1] == (
        "assumed: safety stock for a service level of 98%; "
        "ordered up to the reorder point and 14 days of demand more"
    )
