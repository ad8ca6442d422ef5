"""Notes of the tools in the language of the answer that they are said along with."""

import re
from collections.abc import Mapping

from agent.language import Language

_SAID: tuple[tuple[re.Pattern[str], Mapping[Language, str]], ...] = (
    (
        re.compile(r"stock as of (?P<day>\S+) \((?P<table>.+)\)"),
        {"ja": "在庫は{day}時点（{table}）", "zh": "库存截至{day}（{table}）"},
    ),
    (
        re.compile(r"stock of (?P<first>\S+) to (?P<last>\S+) \((?P<table>.+)\)"),
        {"ja": "在庫は{first}から{last}まで（{table}）", "zh": "库存为{first}至{last}（{table}）"},
    ),
    (
        re.compile(r"stock as in (?P<source>.+), which gives no date \((?P<table>.+)\)"),
        {
            "ja": "在庫は{source}のとおり（日付の記載なし、{table}）",
            "zh": "库存以{source}为准（未注明日期，{table}）",
        },
    ),
    (
        re.compile(
            r"column (?P<column>.+) of table (?P<table>.+) leaves out (?P<count>\d+) cells?"
            r"(?:: rows? (?P<rows>[\d, …]+) of (?P<source>.+?))?"
            r" \((?P<command>zaiko tables --quarantine .+)\)"
        ),
        {
            "ja": "表{table}の列{column}は、読めなかったセル{count}件を除いています{where}。一覧: {command}",
            "zh": "表{table}的列{column}不含无法读取的{count}个单元格{where}。列表：{command}",
        },
    ),
    (
        re.compile(
            r"table (?P<table>.+?): (?:.+: )?(?P<count>\d+) rows? (?:may add up|holds? the sums of)"
            r" other rows, so that a sum may count them twice"
            r" \((?:the first is )?row (?P<row>\d+): (?P<shown>.+)\)"
        ),
        {
            "ja": "表{table}の{count}行は他の行の合計と見られ、合算すると二重に数える"
            "おそれがあります（{row}行目: {shown}）",
            "zh": "表{table}有{count}行疑似其他行的合计，求和可能重复计算（第{row}行：{shown}）",
        },
    ),
    (
        re.compile(
            r"table (?P<table>.+?): (?:.+: )?row (?P<row>\d+) above the table says (?P<shown>.+); "
            r"its figures are as written"
        ),
        {
            "ja": "表{table}の上の{row}行目に「{shown}」とあります（数値は記載のまま）",
            "zh": "表{table}上方第{row}行注明“{shown}”（数值按原样）",
        },
    ),
    (
        re.compile(
            r"table (?P<table>.+?): (?:.+: )?row (?P<row>\d+) looks like the header of another "
            r"table, whose rows are in this one: (?P<shown>.+)"
        ),
        {
            "ja": "表{table}の{row}行目は別の表の見出しと見られ、その行も含まれています: {shown}",
            "zh": "表{table}的第{row}行疑似另一张表的表头，其数据行也在此表中：{shown}",
        },
    ),
    (
        re.compile(r"no row has (?P<condition>.+?)(?:; stored values like it: (?P<like>.+))?"),
        {
            "ja": "{condition} に当たる行はありません{near}",
            "zh": "没有符合 {condition} 的行{near}",
        },
    ),
)
_WHERE: Mapping[Language, str] = {"ja": "（{source}の{rows}行目）", "zh": "（{source}第{rows}行）"}
_NEAR: Mapping[Language, str] = {"ja": "（近い値: {like}）", "zh": "（相近的值：{like}）"}


def in_language(note: str, language: Language) -> str:
    """The note in that language; unchanged in English, and where it is none that is known."""
    for pattern, texts in _SAID if language != "en" else ():
        found = pattern.fullmatch(note)
        if found is not None and language in texts:
            values = found.groupdict()
            where = _WHERE[language].format(**values) if values.get("rows") else ""
            near = _NEAR[language].format(**values) if values.get("like") else ""
            return texts[language].format(**values, where=where, near=near)
    return note
