import time
from collections.abc import Callable

import pytest

from tools.evidence import Evidence
from tools.verify import Claim, verify

Build = Callable[..., Evidence]


def outcome(text: str, evidence: list[Evidence], question: str = "") -> dict[str, str]:
    """Item text → state."""
    v = verify(text, evidence, question=question)
    groups = {
        "supported": v.supported,
        "unsupported": v.unsupported,
        "contradicted": v.contradicted,
    }
    return {item.text: state for state, items in groups.items() for item in items}


@pytest.mark.parametrize(
    ("cell", "type_", "text", "state"),
    [
        (1234000, "BIGINT", "売上は1,234千円です。", "supported"),
        (1234000, "BIGINT", "売上は1,235千円です。", "unsupported"),
        (1234, "BIGINT", "売上は1,234千円です。", "unsupported"),
        (1234499, "BIGINT", "売上は1,234千円です。", "supported"),
        (123456, "BIGINT", "売上は12.3万円です。", "supported"),
        (123456, "BIGINT", "売上は12.4万円です。", "unsupported"),
        (123456, "BIGINT", "売上は123,456円です。", "supported"),
        (123456, "BIGINT", "売上は１２３，４５６円です。", "supported"),
        (123456, "BIGINT", "売上は123,465円です。", "unsupported"),
        (123456, "BIGINT", "売上は12万3,456円です。", "supported"),
        (123456, "BIGINT", "Sales were ¥123,456.", "supported"),
        (123456, "BIGINT", "Sales were about 123,000.", "supported"),
        (123456, "BIGINT", "Sales were about 124,000.", "unsupported"),
        (123456, "BIGINT", "Sales were 123k.", "supported"),
        (123456, "BIGINT", "销售额为12.35万元。", "supported"),
        (123456, "BIGINT", "销售额超过12万元。", "supported"),
        ("-5.2", "DECIMAL(9,2)", "変化は▲5.2%です。", "supported"),
        ("5.2", "DECIMAL(9,2)", "変化は▲5.2%です。", "unsupported"),
        (-0.052, "DOUBLE", "変化は▲5.2%です。", "supported"),
        (-0.052, "DOUBLE", "売上は5.2%減少しました。", "supported"),
        (-0.052, "DOUBLE", "売上は5.2%増加しました。", "unsupported"),
        (-0.052, "DOUBLE", "Sales fell by 5.2%.", "supported"),
        (-0.052, "DOUBLE", "Sales rose by 5.2%.", "unsupported"),
        (0.352, "DOUBLE", "シェアは35%です。", "supported"),
        (0.352, "DOUBLE", "シェアは36%です。", "unsupported"),
        ("35.20", "DECIMAL(9,2)", "シェアは35.2％です。", "supported"),
        (0.32, "DOUBLE", "およそ3割です。", "supported"),
        (0.62, "DOUBLE", "The factor is 1.", "unsupported"),
        (12.345, "DOUBLE", "The mean is 12.3.", "supported"),
        (12.345, "DOUBLE", "The mean is 12.4.", "unsupported"),
        ("1,234", "VARCHAR", "The count is 1,234.", "supported"),
        ("00123", "VARCHAR", "The count is 123.", "unsupported"),
        (-12, "BIGINT", "営業利益は(12)です。", "supported"),
        ("98765432109876543210", "HUGEINT", "It is 98,765,432,109,876,543,210.", "supported"),
        ("98765432109876543210", "HUGEINT", "It is 98,765,432,109,876,543,211.", "unsupported"),
    ],
)  # fmt: skip
def test_a_figure_is_proved_by_a_cell_as_rounded_in_the_text(
    rows: Build, cell: object, type_: str, text: str, state: str
) -> None:
    evidence = rows("E1", f"value {type_}", [(cell,)])
    assert list(outcome(text, [evidence]).values()) == [state]


def test_a_column_in_thousands_is_read_with_its_scale(rows: Build) -> None:
    evidence = rows("E1", "金額(千円) BIGINT", [(1234,)])
    assert outcome("売上は1,234千円です。", [evidence]) == {"1,234千円": "supported"}
    assert outcome("売上は1,234,000円です。", [evidence]) == {"1,234,000円": "supported"}
    assert outcome("売上は1,234円です。", [evidence]) == {"1,234円": "unsupported"}


def test_the_locator_names_the_row_and_column(stock: Evidence) -> None:
    (item,) = verify("大阪倉庫の在庫は80個です。", [stock]).supported
    assert (item.evidence_id, item.locator) == ("E1", "row 2, quantity")
    assert item.kind == "number"


@pytest.mark.parametrize(
    ("text", "states"),
    [
        ("東京倉庫の在庫は100個です。", ["supported"]),
        ("東京倉庫の在庫は120個です。", ["contradicted"]),
        ("東京倉庫の在庫は80個です。", ["contradicted"]),
        ("在庫は120個です。", ["unsupported"]),
        ("東京倉庫は100個、大阪倉庫は80個です。", ["supported", "supported"]),
        ("東京倉庫は80個、大阪倉庫は100個です。", ["contradicted", "contradicted"]),
        ("- 東京倉庫: 100\n- 大阪倉庫: 81", ["supported", "contradicted"]),
        ("100 units are in 東京倉庫 and 80 in 大阪倉庫.", ["supported", "supported"]),
        ("80 units are in 東京倉庫 and 100 in 大阪倉庫.", ["contradicted", "contradicted"]),
        ("東京倉庫と大阪倉庫の合計は180個です。", ["supported"]),
        ("東京倉庫と大阪倉庫の合計は190個です。", ["contradicted"]),
        ("東京倉庫は大阪倉庫より20個多いです。", ["supported"]),
        ("全倉庫の合計は200個です。", ["supported"]),
        ("全倉庫の合計は210個です。", ["unsupported"]),
        ("東京倉庫は全体の50%を占めます。", ["supported"]),
        ("東京倉庫は全体の55%を占めます。", ["contradicted"]),
        ("1倉庫あたりの平均は66.7個です。", ["supported"]),
        ("3件の倉庫があります。", ["supported"]),
        ("There are three warehouses.", ["supported"]),
        ("There are 4 warehouses.", ["unsupported"]),
        ("东京没有。福岡倉庫的库存为20个。", ["supported"]),
        ("福岡倉庫的库存为21个。", ["contradicted"]),
    ],
)  # fmt: skip
def test_figures_are_held_against_the_row_they_are_stated_for(
    stock: Evidence, text: str, states: list[str]
) -> None:
    found = verify(text, [stock])
    items = sorted((*found.supported, *found.failed), key=lambda i: i.start)
    numbers = [i for i in items if i.kind == "number" and not i.text.startswith("1倉庫")]
    by_state = {id(i): "supported" for i in found.supported}
    by_state |= {id(i): "contradicted" for i in found.contradicted}
    assert [by_state.get(id(i), "unsupported") for i in numbers] == states


@pytest.mark.parametrize(
    ("text", "states"),
    [
        ("東京は100個です。", {"100個": "supported"}),
        ("東京は80個です。", {"80個": "contradicted"}),
        ("東京倉庫:\n- 在庫 100個", {"100個": "supported"}),
        ("東京倉庫:\n- 在庫 80個", {"80個": "contradicted"}),
        ("次の2倉庫が対象です:\n- 東京倉庫\n- 大阪倉庫", {"2倉庫": "supported"}),
        ("次の4倉庫が対象です:\n- 東京倉庫\n- 大阪倉庫", {"4倉庫": "unsupported"}),
        ("Two are low: 大阪倉庫 (80) and 福岡倉庫 (20).", {"80": "supported", "20": "supported"}),
        ("東京倉庫は大阪倉庫の1.25倍です。", {"1.25倍": "supported"}),
        ("東京倉庫は大阪倉庫の1.35倍です。", {"1.35倍": "contradicted"}),
        ("上位2倉庫の合計は180個です。", {"180個": "supported"}),
        ("| 倉庫 | 在庫 |\n|---|---|\n| 東京倉庫 | 100 |\n| 大阪倉庫 | 81 |", {"100": "supported", "81": "contradicted"}),
    ],
)  # fmt: skip
def test_lists_headings_and_short_names_are_understood(
    stock: Evidence, text: str, states: dict[str, str]
) -> None:
    found = outcome(text, [stock])
    assert {name: found.get(name) for name in states} == states


def test_figures_of_a_table_are_in_the_units_of_its_header(monthly: Evidence) -> None:
    text = "| 月 | 売上(千円) |\n|---|---|\n| 2026-11 | 123 |\n| 2026-10 | 101 |"
    found = outcome(text, [monthly])
    assert (found["123"], found["101"]) == ("supported", "contradicted")


@pytest.mark.parametrize(
    ("text", "state"),
    [
        ("11月は前月比23.5%増です。", "supported"),
        ("11月は前月比23.5%減です。", "contradicted"),
        ("Sales rose 25% in October.", "supported"),
        ("Sales fell 25% in October.", "contradicted"),
        ("3か月の平均は101,152円です。", "supported"),
        ("3か月の平均は101,153円です。", "unsupported"),
    ],
)
def test_a_change_is_worked_out_from_the_row_before(
    monthly: Evidence, text: str, state: str
) -> None:
    found = verify(text, [monthly])
    failed = [i for i in found.failed if i.kind == "number"]
    assert bool(failed) == (state != "supported")


def test_a_name_with_digits_is_no_quantity_and_a_code_that_is_a_figure_is_no_name(
    rows: Build,
) -> None:
    evidence = rows(
        "E1",
        "code VARCHAR; name VARCHAR; n BIGINT",
        [("120", "Power Bank 10000", 7), ("300", "Lamp", 9)],
    )
    assert outcome("Power Bank 10000 has 7 units.", [evidence]) == {"7 units": "supported"}
    assert outcome("Lamp has 7 units.", [evidence]) == {"7 units": "contradicted"}


def test_a_limit_is_the_limit_and_no_rough_figure(passage: Build) -> None:
    evidence = passage("E1", "Orders under 30 units carry a fee. Lead time is 28 days.")
    assert outcome("A fee applies under 30 units.", [evidence]) == {"30 units": "supported"}
    assert outcome("The lead time is under 30 days.", [evidence]) == {"30 days": "unsupported"}


def test_any_text_is_taken() -> None:
    for text in ("", "\n\n", "|||", "①②③", "🎉 1", "İ 5", "((((", "−", "1" * 400, "ﷺ 3個"):
        found = verify(text, [])
        assert all(text[i.start : i.end] == i.text for i in found.failed)


def test_a_contradiction_says_what_the_row_has(stock: Evidence) -> None:
    (item,) = verify("東京倉庫の在庫は120個です。", [stock]).contradicted
    assert item.message == "row 1 has quantity = 100"
    assert (item.evidence_id, item.locator) == ("E1", "row 1")


@pytest.mark.parametrize(
    ("text", "states"),
    [
        ("2026年11月の売上は123,456円です。", {"2026年11月": "supported", "123,456円": "supported"}),
        ("2026年10月の売上は123,456円です。", {"2026年10月": "supported", "123,456円": "contradicted"}),
        ("11月の売上は12.3万円です。", {"11月": "supported", "12.3万円": "supported"}),
        ("In November 2026 sales were 123,456 yen.", {"November 2026": "supported", "123,456 yen": "supported"}),
        ("11月の売上は10月より23.5%増えました。", {"11月": "supported", "10月": "supported", "23.5%": "supported"}),
        ("11月の売上は10月より24.5%増えました。", {"11月": "supported", "10月": "supported", "24.5%": "contradicted"}),
        ("11月の売上は10月より23,456円多い。", {"11月": "supported", "10月": "supported", "23,456円": "supported"}),
        ("2025年11月の売上はありません。", {"2025年11月": "unsupported"}),
        ("2026年の売上です。", {"2026年": "supported"}),
    ],
)  # fmt: skip
def test_months_are_row_labels_too(monthly: Evidence, text: str, states: dict[str, str]) -> None:
    assert outcome(text, [monthly]) == states


@pytest.mark.parametrize(
    ("text", "state"),
    [
        ("納品日は令和8年1月5日です。", "supported"),
        ("納品日は2026年1月5日です。", "supported"),
        ("納品日は2026/1/5です。", "supported"),
        ("It arrives on January 5, 2026.", "supported"),
        ("It arrives on 5 January 2026.", "supported"),
        ("交货日期为2026年1月5日。", "supported"),
        ("納品は1月5日です。", "supported"),
        ("納品は2026年1月です。", "supported"),
        ("納品日は令和8年1月6日です。", "unsupported"),
        ("納品日は令和7年1月5日です。", "unsupported"),
        ("納品は2026年2月です。", "unsupported"),
        ("納品日は2026年2月30日です。", "unsupported"),
    ],
)
def test_a_date_is_proved_by_a_cell_with_that_day(rows: Build, text: str, state: str) -> None:
    evidence = rows("E1", "due DATE", [("2026-01-05",)])
    assert list(outcome(text, [evidence]).values()) == [state]


@pytest.mark.parametrize(
    ("text", "state"),
    [
        ("PO-2026-0042は11月5日に届きます。", "supported"),
        ("PO-2026-0042は11月9日に届きます。", "contradicted"),
        ("PO-2026-0042は11月7日に届きます。", "unsupported"),
        ("11月9日に届くものがあります。", "supported"),
    ],
)
def test_a_date_of_another_row_contradicts(rows: Build, text: str, state: str) -> None:
    evidence = rows(
        "E1",
        "po VARCHAR; eta DATE",
        [("PO-2026-0042", "2026-11-05"), ("PO-2026-0043", "2026-11-09")],
    )
    found = outcome(text, [evidence])
    assert next(s for name, s in found.items() if "月" in name) == state


def test_a_day_is_not_proved_by_its_month(passage: Build) -> None:
    evidence = passage("E1", "改定は2026年1月に行う。")
    assert outcome("改定は2026年1月5日です。", [evidence]) == {"2026年1月5日": "unsupported"}


def test_the_period_that_the_sql_filtered_by_is_proved(rows: Build) -> None:
    sql = "SELECT sum(x) AS s FROM t WHERE d >= '2025-03-01' AND d < '2025-04-01'"
    evidence = rows("E1", "s BIGINT", [(5200,)], query=sql)
    assert outcome("2025年3月の売上は5,200円です。", [evidence]) == {
        "2025年3月": "supported",
        "5,200円": "supported",
    }
    assert outcome("2025年4月の売上です。", [evidence]) == {"2025年4月": "unsupported"}


@pytest.mark.parametrize(
    ("text", "state"),
    [("2025年3月の件数です。", "supported"), ("2025年4月の件数です。", "unsupported")],
)
def test_the_year_and_month_that_the_sql_compared_with_are_proved(
    rows: Build, text: str, state: str
) -> None:
    sql = "SELECT count(*) AS n FROM t WHERE year(d) = 2025 AND month(d) = 3"
    assert list(outcome(text, [rows("E1", "n BIGINT", [(7,)], query=sql)]).values()) == [state]


def test_a_quoted_title_is_found_in_the_source(rows: Build) -> None:
    evidence = rows("E1", "n BIGINT", [(7,)])
    assert outcome("「stock」による。", [evidence]) == {"stock": "supported"}


@pytest.mark.parametrize(
    ("text", "question", "states"),
    [
        ("Here are the top 5 products.", "top 5 products by sales", {"5 products": "supported"}),
        ("2025年の実績です。", "2025年の売上は？", {"2025年": "supported"}),
        ("在庫が30個未満の商品です。", "在庫が30個未満の商品は？", {"30個": "supported"}),
        ("在庫が40個未満の商品です。", "在庫が30個未満の商品は？", {"40個": "unsupported"}),
    ],
)
def test_what_repeats_the_question_is_supported_by_it(
    text: str, question: str, states: dict[str, str]
) -> None:
    assert outcome(text, [], question) == states
    items = verify(text, [], question=question).supported
    assert all(i.locator == "question" and i.evidence_id == "" for i in items)


@pytest.mark.parametrize(
    ("text", "states"),
    [
        ("XR-4200の在庫は12個です。", {"XR-4200": "supported", "12個": "supported"}),
        ("XR-4201の在庫は12個です。", {"XR-4201": "unsupported", "12個": "supported"}),
        ("SKU 00123 has 7 units.", {"00123": "supported", "7 units": "supported"}),
        ("SKU 00124 has 7 units.", {"00124": "unsupported", "7 units": "supported"}),
        ("There are 123 units.", {"123 units": "unsupported"}),
        (
            "商品「ワイヤレスマウス」は12個です。",
            {"ワイヤレスマウス": "supported", "12個": "supported"},
        ),
        ("商品「有線マウス」です。", {"有線マウス": "unsupported"}),
        ("XR-4200 has 7 units.", {"XR-4200": "supported", "7 units": "contradicted"}),
    ],
)
def test_codes_and_quoted_names_are_looked_up_as_text(
    rows: Build, text: str, states: dict[str, str]
) -> None:
    evidence = rows(
        "E1",
        "sku VARCHAR; name VARCHAR; quantity BIGINT",
        [("XR-4200", "ワイヤレスマウス", 12), ("00123", "キーボード", 7)],
    )
    assert outcome(text, [evidence]) == states


POLICY = (
    "返品は納品後30日以内に限り受け付ける。送料は1,500円。発注の最小数量は50個、リードタイムは14日である。"
    "本規程は令和7年4月1日から適用する。"
)


@pytest.mark.parametrize(
    ("text", "states"),
    [
        ("返品は納品後30日以内です。", {"30日": "supported"}),
        ("返品は納品後20日以内です。", {"20日": "unsupported"}),
        ("最小発注数量は14個です。", {"14個": "unsupported"}),
        ("最小発注数量は50個です。", {"50個": "supported"}),
        ("Returns are accepted within 30 days.", {"30 days": "supported"}),
        ("Shipping costs 1,500 yen.", {"1,500 yen": "supported"}),
        ("退货须在30天内。", {"30天": "supported"}),
        ("2025年4月1日から適用されます。", {"2025年4月1日": "supported"}),
        ("It applies from April 1, 2025.", {"April 1, 2025": "supported"}),
        ("2025年5月1日から適用されます。", {"2025年5月1日": "unsupported"}),
    ],
)
def test_figures_of_a_passage_prove_with_fitting_units(
    passage: Build, text: str, states: dict[str, str]
) -> None:
    assert outcome(text, [passage("E3", POLICY)]) == states


def test_kanji_numerals_of_a_contract_prove_digits(passage: Build) -> None:
    evidence = passage("E1", "引渡しの日から三十日以内に通知しなければならない。")
    assert outcome("通知は30日以内です。", [evidence]) == {"30日": "supported"}


def test_a_table_in_thousands_inside_a_passage_is_read(passage: Build) -> None:
    evidence = passage("E1", "(単位: 千円)\n| 売上高 | 1,234 |")
    assert outcome("売上高は1,234千円です。", [evidence]) == {"1,234千円": "supported"}


def test_two_single_figures_prove_their_change(rows: Build) -> None:
    now = rows("E1", "sales BIGINT", [(1200,)])
    before = rows("E2", "sales BIGINT", [(1000,)])
    text = "売上は1,200で、前月の1,000から20%増加しました。"
    assert set(outcome(text, [now, before]).values()) == {"supported"}
    wrong = "売上は1,200で、前月の1,000から25%増加しました。"
    assert outcome(wrong, [now, before])["25%"] == "unsupported"


def test_the_share_of_two_cells_is_derived_with_its_way(rows: Build) -> None:
    evidence = rows("E1", "category VARCHAR; sold BIGINT; total BIGINT", [("家電", 35, 100)])
    (item,) = [
        i for i in verify("家電の割合は35%です。", [evidence]).supported if i.kind == "number"
    ]
    assert item.locator == "derived: sold[1] as a share of total[1]"


def test_versions_and_phone_numbers_are_not_checked() -> None:
    text = "version 2.5.1 です。電話 03-1234-5678 へ。"
    found = verify(text, [])
    assert (found.supported, found.failed, found.claims) == ((), (), ())


def test_truncated_rows_do_not_prove_a_total(rows: Build) -> None:
    evidence = rows("E1", "name VARCHAR; n BIGINT", [("a1", 10), ("b1", 30)], row_count=900)
    assert outcome("合計は40です。", [evidence]) == {"40": "unsupported"}
    assert outcome("900件あります。", [evidence]) == {"900件": "supported"}


def test_claims_are_judged_with_their_own_evidence(stock: Evidence, passage: Build) -> None:
    claims = [
        Claim(text="東京倉庫の在庫は100個です", evidence_ids=("E1",)),
        Claim(text="東京倉庫の在庫は999個です", evidence_ids=("E1",)),
        Claim(text="不良品の返品送料は当社が負担します", evidence_ids=("E3",)),
        Claim(text="返品には役員の承認印が必要です", evidence_ids=("E3",)),
        Claim(text="We pay the postage for defective goods", evidence_ids=("E3",)),
    ]
    policy = passage("E3", "不良品の返品については、送料は当社が負担するものとする。")
    found = verify("東京倉庫の在庫は100個です。", [stock, policy], claims=claims)
    states = [c.state for c in found.claims]
    assert states == ["supported", "contradicted", "supported", "unsupported", "unchecked"]
    assert found.support_share() == pytest.approx(2 / 4)
    assert "another language" in found.claims[4].message


def test_sentences_are_the_claims_when_none_are_given(stock: Evidence) -> None:
    found = verify("東京倉庫は100個です。大阪倉庫は99個です。以上です。", [stock])
    assert [c.state for c in found.claims] == ["supported", "contradicted"]
    assert found.support_share() == 0.5


def test_a_named_row_without_a_figure_is_a_proof(rows: Build) -> None:
    evidence = rows("E1", "name VARCHAR", [("ワイヤレスマウス",)])
    (item,) = verify("最も売れたのはワイヤレスマウスです。", [evidence]).supported
    assert (item.kind, item.locator) == ("identifier", "row 1, name")


def test_nothing_to_check_proves_nothing() -> None:
    assert verify("こんにちは。", []).support_share() == 0.0


def test_the_json_has_three_lists(stock: Evidence) -> None:
    shown = verify("東京倉庫は120個です。", [stock]).to_json()
    assert list(shown) == ["supported", "unsupported", "contradicted"]
    assert shown["contradicted"] == [
        {
            "text": "120個", "kind": "number", "start": 5, "end": 9, "evidence_id": "E1",
            "locator": "row 1", "message": "row 1 has quantity = 100",
        }
    ]  # fmt: skip


def test_ten_thousand_rows_of_twenty_columns_take_under_a_second(rows: Build) -> None:
    columns = "; ".join(
        ["sku VARCHAR", "day DATE"]
        + [f"c{i} DECIMAL(18,2)" for i in range(10)]
        + [f"t{i} VARCHAR" for i in range(8)]
    )
    cells = [
        (
            f"SK-{n:05d}",
            f"2025-{n % 12 + 1:02d}-{n % 28 + 1:02d}",
            *tuple(f"{n * (i + 3)}.{i}5" for i in range(10)),
            *tuple(f"名前{n % 997}-{i}" for i in range(8)),
        )
        for n in range(10_000)
    ]
    evidence = rows("E1", columns, cells)
    sentence = "SK-00042の値は126.05、SK-00077の値は9,999円、2025年3月の値は6.05です。"
    text = sentence * (2000 // len(sentence))
    began = time.process_time()
    found = verify(text, [evidence])
    assert time.process_time() - began < 2.0
    assert {i.text for i in found.supported} >= {"SK-00042", "126.05", "SK-00077"}
    assert {i.text for i in found.contradicted} == {"9,999円"}


def test_notes_on_how_rows_were_read_are_not_the_passage_that_must_say_it(rows: Build) -> None:
    bare = rows("E1", "customer VARCHAR", [("Lela",), ("Cleo",)])
    noted = bare.model_copy(update={"notes": ("the query was corrected: no column 'name' here",)})
    claim = Claim(text="The customers with both kinds of orders are Lela and Cleo.")
    for evidence in (bare, noted):
        (judged,) = verify(claim.text, [evidence], claims=[claim]).claims
        assert judged.state == "supported"


@pytest.mark.parametrize(
    ("text", "state"),
    [
        ("It is Grover Wells Apt. 814.", "supported"),
        ("It is Grover Wells Apt. 815.", "unsupported"),
        ("They sold 814 in Wells.", "unsupported"),
        ("住所は芝公園4丁目2番8号 森ビル12階です。", "supported"),
        ("住所は芝公園4丁目2番8号 森ビル13階です。", "unsupported"),
    ],
)
def test_a_figure_quoted_with_the_words_of_a_cell_is_that_cells(
    rows: Build, text: str, state: str
) -> None:
    cells = [("59540 Grover Wells Apt. 814",), ("東京都港区芝公園4丁目2番8号 森ビル12階",)]
    found = outcome(text, [rows("E1", "address VARCHAR", cells)])
    assert state in found.values()
    assert state == "unsupported" or set(found.values()) == {"supported"}


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("There are 3 Village Stores and 2 City Malls.", []),
        ("There are 5 Village Stores and 3 City Malls.", ["5", "3"]),
        ("There are 2 Village Stores.", ["2"]),
        ("Village Store 3, City Mall 2", []),
        ("Village Store 2 City Mall 3", ["2", "3"]),
        ("有3家Village Store和2家City Mall。", []),
        ("3個のVillage Storeと2個のCity Mallがあります。", []),
        ("5個のVillage Storeと3個のCity Mallがあります。", ["5個", "3個"]),
        ("有2家Village Store和3家City Mall。", ["2家", "3家"]),
    ],
)
def test_a_figure_right_before_a_name_counts_what_it_names(
    rows: Build, text: str, wrong: list[str]
) -> None:
    counted = rows("E1", "kind VARCHAR; n BIGINT", [("Village Store", 3), ("City Mall", 2)])
    found = outcome(text, [counted])
    assert [figure for figure, state in found.items() if state != "supported"] == wrong


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("There are 11 mailshots for the 'food' category and 9 for the 'clothes' category.", []),
        ("There are 9 mailshots for the 'food' category and 11 for “clothes”.", ["9", "11"]),
        ("「food」は11件、「clothes」は9件です。", []),
    ],
)
def test_a_quoted_name_after_its_figure_owns_it(rows: Build, text: str, wrong: list[str]) -> None:
    counted = rows("E1", "category VARCHAR; n BIGINT", [("food", 11), ("clothes", 9)])
    found = outcome(text, [counted])
    assert [figure for figure, state in found.items() if state != "supported"] == wrong


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("Bolt comes with 500 sheets per pack.", []),
        ("Bolt sold 500 sheets.", ["500"]),
        ("Nut comes with 500 sheets per pack.", ["500"]),
        ("It comes with 500 sheets per pack.", []),
        ("Nut has 320.", ["320"]),
    ],
)
def test_a_cell_is_quoted_for_its_own_row_and_by_more_than_the_word_that_is_counted(
    rows: Build, text: str, wrong: list[str]
) -> None:
    cells = [("Bolt", "500 sheets per pack, blue", 320), ("Nut", "no pack", 75)]
    found = outcome(text, [rows("E1", "product VARCHAR; pack VARCHAR; qty BIGINT", cells)])
    assert [figure for figure, state in found.items() if state != "supported"] == wrong


@pytest.mark.parametrize(
    ("text", "state"),
    [
        ("West has 25 Desk Lamps.", "supported"),
        ("East has 10 Air Fryers.", "supported"),
        ("West has 10 Air Fryers.", "contradicted"),
    ],
)
def test_a_name_behind_a_figure_does_not_take_it_from_the_row_before(
    rows: Build, text: str, state: str
) -> None:
    cells = [("East", "Desk Lamp", 40), ("West", "Desk Lamp", 25), ("East", "Air Fryer", 10)]
    found = outcome(text, [rows("E1", "warehouse VARCHAR; product VARCHAR; qty BIGINT", cells)])
    assert set(found.values()) == {state}
