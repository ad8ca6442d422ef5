"""Notes of the tools are said in the answer's language."""

import pytest

from agent.language import Language
from agent.said import in_language

LEFT_OUT = "column amount of table sales leaves out 2 cells: rows 7, 9 of sales.csv (zaiko tables --quarantine sales)"


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
            "表salesの列amountは、読めなかったセル2件を除いています（sales.csvの7, 9行目）。"
            "一覧: zaiko tables --quarantine sales",
        ),
        (
            "column amount of table sales leaves out 1 cell (zaiko tables --quarantine sales)",
            "zh",
            "表sales的列amount不含无法读取的1个单元格。列表：zaiko tables --quarantine sales",
        ),
        (
            "table shelf: 1 row may add up other rows, so that a sum may count them twice "
            "(row 4: 合計 | 99)",
            "ja",
            "表shelfの1行は他の行の合計と見られ、合算すると二重に数えるおそれがあります"
            "（4行目: 合計 | 99）",
        ),
        (
            "table shelf: a/1月.csv: 2 rows hold the sums of other rows, so that a sum may count "
            "them twice (the first is row 4: 资产计 | 9)",
            "zh",
            "表shelf有2行疑似其他行的合计，求和可能重复计算（第4行：资产计 | 9）",
        ),
        (
            "table sales: row 2 above the table says 単位：千円; its figures are as written",
            "ja",
            "表salesの上の2行目に「単位：千円」とあります（数値は記載のまま）",
        ),
        (
            "table w: row 6 looks like the header of another table, whose rows are in this one: 仓库",
            "zh",
            "表w的第6行疑似另一张表的表头，其数据行也在此表中：仓库",
        ),
        (
            "no row has city = 'Tokio'; stored values like it: 'Tokyo'",
            "ja",
            "city = 'Tokio' に当たる行はありません（近い値: 'Tokyo'）",
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
