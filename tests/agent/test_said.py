"""Notes of the tools are said in the answer's language."""

import pytest

from agent.language import Language
from agent.said import in_language

LEFT_OUT = "column amount of table sales leaves out 2 cells: rows 7, 9 of sales.csv"


@pytest.mark.parametrize(
    ("note", "language", "said"),
    [
        ("stock as of 2026-11-30 (stock)", "ja", "在庫は2026-11-30時点（stock）"),
        ("stock as of 2026-11-30 (stock)", "zh", "库存截至2026-11-30（stock）"),
        (
            "stock of 2026-10-31 to 2026-11-30 (stock)",
            "ja",
            "在庫は2026-10-31から2026-11-30まで（stock）",
        ),
        (
            "stock as in shelf.csv, which gives no date (shelf)",
            "zh",
            "库存以shelf.csv为准（未注明日期，shelf）",
        ),
        (
            LEFT_OUT,
            "ja",
            "表salesの列amountは、読めなかったセル2件を除いています（sales.csvの7, 9行目）",
        ),
        (
            "column amount of table sales leaves out 1 cell",
            "zh",
            "表sales的列amount不含无法读取的1个单元格",
        ),
        (
            "no row has city = 'Tokio'; stored values like it: 'Tokyo'",
            "ja",
            "city = 'Tokio' に当たる行はありません（近い値: 'Tokyo'）",
        ),
        (
            "2 rows share the first place by COUNT(*); only one of them is shown",
            "ja",
            "COUNT(*) で同順位の首位が2行あり、そのうち1行だけを示しています",
        ),
        (
            "1 more row has the same n as the last one shown",
            "zh",
            "另有1行的 n 与最后显示的一行相同",
        ),
        (
            "bill = 1 was compared as a number and meets '001', '01': quote the code that is meant",
            "ja",
            "bill = 1 は数値として比べられ、'001', '01' に当たります",
        ),
        ("no row has city = 'Tokio'", "zh", "没有符合 city = 'Tokio' 的行"),
        (LEFT_OUT, "en", LEFT_OUT),
        ("LIMIT 2 was left out", "ja", "LIMIT 2 was left out"),
    ],
)
def test_a_note_is_said_in_the_language_of_the_answer(
    note: str, language: Language, said: str
) -> None:
    assert in_language(note, language) == said
