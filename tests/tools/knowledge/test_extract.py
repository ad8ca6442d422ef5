from tools.knowledge.extract import extract, split_sentences
from tools.tokens import estimate_tokens


def test_a_short_passage_is_kept_whole_on_one_line() -> None:
    assert extract("返品は\n30日以内。", "返品", 50) == "返品は 30日以内。"


def test_sentences_end_at_marks_and_line_ends_but_not_in_numbers() -> None:
    text = "価格は1.5倍です。Order by Friday. Then wait!\n| 品番 | 数量 |"
    assert split_sentences(text) == [
        "価格は1.5倍です。",
        "Order by Friday.",
        "Then wait!",
        "| 品番 | 数量 |",
    ]


def test_the_sentence_with_the_asked_words_is_chosen() -> None:
    text = (
        "当社の倉庫は大阪と東京にあり、毎日営業しています。"
        "返品の期限は到着後30日です。"
        "照明は毎朝点検し、記録は五年間保管するものとします。"
    )
    assert extract(text, "返品の期限", 15) == "… 返品の期限は到着後30日です。 …"


def test_chosen_sentences_keep_their_order() -> None:
    text = (
        "Acme ships from Osaka every weekday morning at nine. "
        "The minimum order of Acme is 200 units. "
        "Paint is stored in the annex behind the main building. "
        "Acme orders placed on Friday arrive on Monday."
    )
    short = extract(text, "minimum order of Acme, orders on Friday", 26)
    assert short == (
        "… The minimum order of Acme is 200 units. … Acme orders placed on Friday arrive on Monday."
    )


def test_the_row_with_the_asked_code_is_chosen() -> None:
    rows = [f"| XR-{n} | {n} units | shelf {n % 7} |" for n in range(4200, 4260)]
    assert extract("\n".join(rows), "reorder point XR-4217", 16) == f"… {rows[17]} …"


def test_without_a_shared_word_the_beginning_is_shown() -> None:
    text = "返品の期限は到着後30日です。" + "開封済みの商品は交換のみとなります。" * 10
    assert extract(text, "deadline", 20).startswith("返品の期限は到着後30日です。")


def test_one_endless_sentence_is_cut_around_the_asked_words() -> None:
    text = "在庫" * 300 + "再発注点は120個" + "倉庫" * 300
    short = extract(text, "再発注点", 40)
    assert "再発注点は120個" in short
    assert estimate_tokens(short) <= 45


TABLE = (
    "安全在庫日数はランクごとに次の表による。\n"
    "| ランク | 対象 | 日数 |\n|---|---|---|\n"
    "| A | 売上上位の重点品 | 12日 |\n| B | 標準品 | 8日 |\n| C | 低回転品 | 5日 |\n"
    "新商品は発売から13週間、ランクにかかわらず安全在庫日数を14日とする。"
)


def test_a_row_that_is_called_by_its_label_and_header_comes_with_its_header() -> None:
    short = extract(TABLE, "Bランクの安全在庫日数は何日ですか", 45)
    assert "| ランク | 対象 | 日数 | … | B | 標準品 | 8日 |" in short
    assert "| A |" not in short
    english = "| Rank | Days |\n|---|---|\n| A | 12 |\n| B | 8 |\n| C | 5 |\n" + "Other text. " * 9
    assert "| B | 8 |" in extract(english, "safety stock of rank B in days", 20)


def test_of_another_language_the_sentences_with_figures_are_shown_where_one_is_asked_for() -> None:
    text = (
        "三、延迟交货\n货物应按时交付。延迟一天，供应商支付货款的0.3%。总额以货款的5%为限。"
        + "附则。" * 20
    )
    short = extract(text, "late delivery: how many percent a day?", 40)
    assert "0.3%" in short and "5%" in short
