from collections.abc import Callable
from typing import Any

import pytest

from agent.answer import Answer
from agent.charts import chart
from agent.errors import NoChart
from tools.evidence import Evidence

Make = Callable[..., Evidence]
Ask = Callable[..., Answer]
MONTHLY = (("month", "VARCHAR"), ("city", "VARCHAR"), ("amount", "DECIMAL(18,2)"))
BY_CITY = (("city", "VARCHAR"), ("amount", "DECIMAL(18,2)"))


def points(spec: dict[str, Any]) -> list[tuple[Any, ...]]:
    return [(v["at"], v.get("series"), v["value"]) for v in spec["data"]["values"]]


def notes(spec: dict[str, Any]) -> list[str]:
    found: list[str] = spec["usermeta"]["zaiko"]["notes"]
    return found


def test_a_period_gives_a_line_for_each_name_in_time(evidence: Make, answer: Ask) -> None:
    rows = [(f"2026-{m:02}", c, f"{m}.50") for m in (3, 1, 2) for c in ("Tokyo", "Osaka")]
    spec = chart(answer(evidence(MONTHLY, rows)))
    assert spec["mark"]["type"] == "line"
    assert points(spec)[:3] == [
        ("2026-01-01", "Tokyo", "1.50"),
        ("2026-02-01", "Tokyo", "2.50"),
        ("2026-03-01", "Tokyo", "3.50"),
    ]
    assert spec["encoding"]["color"]["scale"]["domain"] == ["Tokyo", "Osaka"]
    assert spec["encoding"]["x"]["scale"] == {"type": "utc"}


def test_names_give_bars_from_zero_in_the_order_of_the_rows(evidence: Make, answer: Ask) -> None:
    rows = [("Osaka", "12.30"), ("Tokyo", "100.00"), ("Nagoya", "-5.00")]
    spec = chart(answer(evidence(BY_CITY, rows)))
    assert spec["layer"][0]["mark"] == {"type": "bar"}
    assert spec["encoding"]["y"]["sort"] == ["Osaka", "Tokyo", "Nagoya"]
    low, high = spec["encoding"]["x"]["scale"]["domain"]
    assert low < -5 < 100 < high
    only_positive = chart(answer(evidence(BY_CITY, rows[:2])))
    assert only_positive["encoding"]["x"]["scale"]["domain"][0] == 0


def test_a_decimal_stands_exactly_and_null_is_a_gap(evidence: Make, answer: Ask) -> None:
    exact = "12345678901234567890.12"
    rows = [("2026-01", "T", exact), ("2026-02", "T", None), ("2026-03", "T", "0.10")]
    spec = chart(answer(evidence(MONTHLY, rows)))
    assert [p[2] for p in points(spec)] == [exact, None, "0.10"]
    assert spec["data"]["format"]["parse"]["value"] == "number"
    assert spec["mark"]["invalid"].startswith("break-paths")


def test_a_month_that_one_of_several_names_lacks_is_a_gap(evidence: Make, answer: Ask) -> None:
    rows = [(f"2026-0{m}", c, "1") for m in (1, 2, 3) for c in ("T", "O") if (m, c) != (2, "O")]
    spec = chart(answer(evidence(MONTHLY, rows)))
    assert ("2026-02-01", "O", None) in points(spec)


def test_figures_of_two_kinds_stand_in_two_views(evidence: Make, answer: Ask) -> None:
    columns = (("day", "DATE"), ("units", "HUGEINT"), ("revenue", "DECIMAL(18,2)"))
    rows = [(f"2026-11-0{d}", str(d), f"{d}000.25") for d in (1, 2, 3)]
    spec = chart(answer(evidence(columns, rows)))
    assert [v["encoding"]["y"]["title"] for v in spec["vconcat"]] == ["units", "revenue"]
    assert [v["data"]["values"][0]["value"] for v in spec["vconcat"]] == ["1", "1000.25"]


@pytest.mark.parametrize(
    "names",
    [("sales_2025", "sales_2026"), ("今年売上", "昨年売上"), ("budget_amount", "actual_amount")],
)
def test_figures_of_one_kind_share_an_axis(
    names: tuple[str, str], evidence: Make, answer: Ask
) -> None:
    columns = (("city", "VARCHAR"), *((n, "DECIMAL(18,2)") for n in names))
    spec = chart(answer(evidence(columns, [("Tokyo", "1.5", "2.5"), ("Osaka", "3", "4")])))
    assert points(spec)[:2] == [("Tokyo", names[0], "1.5"), ("Tokyo", names[1], "2.5")]
    alone = chart(answer(evidence(columns[1:], [("1.5", "2.5")])))
    assert points(alone) == [(names[0], None, "1.5"), (names[1], None, "2.5")]


def test_two_names_that_cross_are_grouped_bars(evidence: Make, answer: Ask) -> None:
    columns = (("kind", "VARCHAR"), ("city", "VARCHAR"), ("n", "BIGINT"))
    rows = [(k, c, 1) for k in ("tea", "mug", "pen") for c in ("T", "O")]
    spec = chart(answer(evidence(columns, rows)))
    assert spec["encoding"]["yOffset"]["sort"] == ["T", "O"]
    assert spec["encoding"]["y"]["sort"] == ["tea", "mug", "pen"]


def test_a_name_is_shown_rather_than_its_code(evidence: Make, answer: Ask) -> None:
    columns = (
        ("product_cd", "VARCHAR"),
        ("product", "VARCHAR"),
        ("rank", "BIGINT"),
        ("n", "BIGINT"),
    )
    spec = chart(answer(evidence(columns, [("0013", "Tea", 1, 5), ("0042", "Mug", 2, 3)])))
    assert points(spec) == [("Tea", None, 5), ("Mug", None, 3)]


@pytest.mark.parametrize("launched", ["2025-04-01", "2025-05-01"])
def test_a_date_that_describes_a_product_makes_no_line(
    launched: str, evidence: Make, answer: Ask
) -> None:
    columns = (("product", "VARCHAR"), ("launched_on", "DATE"), ("on_hand", "BIGINT"))
    rows = [("Tea", "2025-04-01", 5), ("Mug", launched, 3), ("Pen", "2026-01-01", 2)]
    spec = chart(answer(evidence(columns, rows)))
    assert points(spec) == [("Tea", None, 5), ("Mug", None, 3), ("Pen", None, 2)]


def test_a_date_with_the_best_name_of_each_is_a_line(evidence: Make, answer: Ask) -> None:
    columns = (("month", "VARCHAR"), ("best", "VARCHAR"), ("n", "BIGINT"))
    rows = [("2026-01", "Tea", 5), ("2026-02", "Mug", 3), ("2026-03", "Pen", 2)]
    assert [p[2] for p in points(chart(answer(evidence(columns, rows))))] == [5, 3, 2]


def test_control_characters_do_not_reach_the_picture(evidence: Make, answer: Ask) -> None:
    spec = chart(answer(evidence(BY_CITY, [("To\x07kyo\ud800", "1"), ("O", "2")])))
    assert points(spec)[0][0] == "To\ufffdkyo\ufffd"
    assert spec["encoding"]["y"]["sort"][0] == "To\ufffdkyo\ufffd"


def test_the_caption_names_evidence_tables_and_what_holds_for_them(
    evidence: Make, answer: Ask
) -> None:
    rows = evidence(
        BY_CITY, [("T", "1"), ("O", "2")], source="sales, products",
        notes=("stock as of 2026-10-31 (stock)",),
    )  # fmt: skip
    spec = chart(answer(rows, question="Sales by city"), {"E1": rows})
    assert spec["title"]["text"] == ["Sales by city"]
    assert spec["title"]["subtitle"] == [
        "Evidence E1 · sales, products · 2 rows · asked on 2026-11-30 (data revision 3)",
        "stock as of 2026-10-31 (stock)",
    ]
    meta = spec["usermeta"]["zaiko"]
    assert (meta["evidence_id"], meta["hash"], meta["trace_id"]) == ("E1", "0123", "abc")


@pytest.mark.parametrize(
    ("question", "begin"), [("月別の売上は？", "根拠 E1"), ("各门店的销售额对比", "依据 E1")]
)
def test_the_caption_is_in_the_questions_language(
    question: str, begin: str, evidence: Make, answer: Ask
) -> None:
    spec = chart(answer(evidence(BY_CITY, [("T", "1"), ("O", "2")]), question=question))
    assert spec["title"]["subtitle"][0].startswith(begin)


def test_too_many_names_are_cut_and_named(evidence: Make, answer: Ask) -> None:
    rows = [(f"2026-0{m}", f"P{p}", f"{p}0") for m in (1, 2, 3) for p in range(11)]
    spec = chart(answer(evidence(MONTHLY, rows)))
    assert spec["encoding"]["color"]["scale"]["domain"] == [f"P{p}" for p in range(3, 11)]
    assert notes(spec) == ["the 8 largest series only; not drawn: P0, P1, P2"]


def test_too_many_bars_are_cut_with_their_number(evidence: Make, answer: Ask) -> None:
    whole = evidence(BY_CITY, [(f"C{n}", str(500 - n)) for n in range(500)])
    spec = chart(answer(whole), {"E1": whole})
    assert [p[0] for p in points(spec)] == [f"C{n}" for n in range(40)]
    assert notes(spec) == ["the first 40 of 500, in the order of the rows"]


def test_without_the_whole_evidence_the_rows_of_the_answer_are_drawn_and_said(
    evidence: Make, answer: Ask
) -> None:
    columns = (("day", "DATE"), ("n", "BIGINT"))
    rows = [(f"2026-{1 + d // 28:02}-{d % 28 + 1:02}", d) for d in range(200)]
    whole = evidence(columns, rows)
    assert notes(chart(answer(whole))) == ["the first 100 of 200 rows"]
    assert len(points(chart(answer(whole), {"E1": whole}))) == 200


@pytest.mark.parametrize(
    ("columns", "rows", "said"),
    [
        ((("n", "BIGINT"),), [(7,)], "single figure"),
        ((("city", "VARCHAR"),), [("T",), ("O",)], "no figures"),
        ((("n", "BIGINT"),), [(7,), (8,)], "without a name or a date"),
        ((("city", "VARCHAR"), ("n", "BIGINT")), [("T", 1), ("T", 2)], "several rows"),
        ((("sale_id", "BIGINT"), ("city", "VARCHAR")), [(1, "T"), (2, "O")], "no figures"),
        ((("city", "VARCHAR"), ("n", "BIGINT")), [("T", None), ("O", None)], "no figures"),
    ],
)
def test_rows_that_are_no_comparison_are_refused_with_the_reason(
    columns: tuple[tuple[str, str], ...],
    rows: list[tuple[Any, ...]],
    said: str,
    evidence: Make,
    answer: Ask,
) -> None:
    with pytest.raises(NoChart, match=said) as error:
        chart(answer(evidence(columns, rows)))
    assert error.value.hint


@pytest.mark.parametrize("status", ["handed_off", "not_found"])
def test_what_is_not_proved_is_not_drawn(status: str, evidence: Make, answer: Ask) -> None:
    rows = evidence(BY_CITY, [("T", "1"), ("O", "2")])
    with pytest.raises(NoChart, match="nothing is proved"):
        chart(answer(rows, status=status))


def test_only_cited_evidence_is_drawn(evidence: Make, answer: Ask) -> None:
    rows = evidence(BY_CITY, [("T", "1"), ("O", "2")])
    with pytest.raises(NoChart, match="cites no rows"):
        chart(answer(rows, citations=()))


def test_a_calculation_is_drawn_rather_than_what_it_used(evidence: Make, answer: Ask) -> None:
    used = evidence(BY_CITY, [("T", "1"), ("O", "2"), ("N", "3")])
    result = evidence(
        (("city", "VARCHAR"), ("share", "DECIMAL")), [("T", "0.25"), ("O", "0.75")],
        id="E2", kind="calculation", source="E1",
    )  # fmt: skip
    spec = chart(answer(used, result))
    assert spec["usermeta"]["zaiko"]["evidence_id"] == "E2"
    assert notes(spec) == ["could be drawn as well: E1"]


def test_rows_without_a_date_are_counted(evidence: Make, answer: Ask) -> None:
    rows = [("2026-01", "T", "1"), ("2026-02", "T", "2"), ("2026-03", "T", "3"), (None, "T", "4")]
    spec = chart(answer(evidence(MONTHLY, rows)))
    assert len(points(spec)) == 3
    assert notes(spec) == ["1 rows without a date are not drawn"]


def test_a_column_name_is_no_path_and_a_text_no_markup(evidence: Make, answer: Ask) -> None:
    columns = (("a.b[0]", "VARCHAR"), ("amount.total", "DECIMAL(9,2)"))
    spec = chart(answer(evidence(columns, [("datum.value", "1"), ("", "2"), (None, "3")])))
    fields = {spec["encoding"][c]["field"] for c in ("x", "y")}
    assert fields == {"at", "value"}
    assert [p[0] for p in points(spec)] == ["datum.value", "(blank)", "(blank)"]
