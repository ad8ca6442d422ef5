"""What phrases of sorting, counting and shares mean in SQL, in three languages.

A small model reads 高齢順 as "descending" although the column is a birth date. Only the phrases
that a question has are shown beside it, so that they cost nothing where they are not needed.
"""

import re

_ASCENDING, _DESCENDING = "ASC", "DESC"
_PHRASES: tuple[tuple[str, str], ...] = (
    (
        r"高齢順|年齢の高い順|年長順|oldest to youngest|从老到少|年龄从大到小",
        "oldest first: birth date ASC",
    ),
    (
        r"若い順|年齢の低い順|年少順|youngest to oldest|从小到大的年龄|年龄从小到大",
        "youngest first: birth date DESC",
    ),
    (r"新しい順|新着順|最新順|most recent first|newest first|从新到旧", "date DESC"),
    (r"古い順|oldest first|earliest first|从旧到新|从早到晚", "date ASC"),
    (r"(?:多い|大きい|高い|降)順|descending|从高到低|从大到小|从多到少|降序", _DESCENDING),
    (r"(?:少ない|小さい|低い|安い|昇)順|ascending|从低到高|从小到大|从少到多|升序", _ASCENDING),
    (r"alphabetical(?:ly)?(?: order)?|五十音順|あいうえお順|字母顺序", "ORDER BY the name ASC"),
    (
        r"全項目|全ての項目|すべての項目|全カラム|全列|all (?:the )?(?:columns|fields)|全部字段|所有字段",
        "SELECT *",
    ),
    (
        r"直積|全組み?合わせ|全ての組み?合わせ|すべての組み?合わせ|総当たり|笛卡尔积|cartesian product",
        "CROSS JOIN",
    ),
    (
        r"欠損(?:数|値)|missing values|缺失值",
        "NULLs; for each column c of the table: COUNT(*) - COUNT(c) AS c",
    ),
    (r"ユニーク(?:な)?(?:件)?数|重複を除|重複なし|去重|不重复|distinct number", "DISTINCT"),
    (r"構成比|割合|シェア|占比|百分比|percentage|percent of|share of", "100.0 * part / whole"),
    (
        r"月ごと|月毎|月別|毎月の|各月|monthly|(?:by|per|each|every) month|每月|按月|各个?月",
        "GROUP BY date_trunc('month', date)",
    ),
    (
        r"年ごと|年毎|年別|各年|(?:by|per|each|every) year|每年|按年",
        "GROUP BY EXTRACT(year FROM date)",
    ),
    (
        r"四半期ごと|四半期別|quarterly|(?:by|per|each|every) quarter|每季度?|按季度?",
        "GROUP BY date_trunc('quarter', date)",
    ),
    (
        r"週ごと|週別|weekly|(?:by|per|each|every) week|每周|按周",
        "GROUP BY date_trunc('week', date)",
    ),
    (r"累計|累積|累计|running total|cumulative", "SUM(…) OVER (ORDER BY …)"),
    (r"中央値|中位数|\bmedian\b", "MEDIAN(…)"),
    (r"最頻値|众数|\bmode\b", "MODE(…)"),
    (r"\bat least\b|以上|至少", ">="),
    (r"\bat most\b|\bno more than\b|以下|至多|不超过", "<="),
    (r"\bmore than\b|\bexceed(?:s|ing)?\b|を超え|より(?:多|大き|高)|超过|大于|多于", ">"),
    (r"\b(?:less|fewer) than\b|未満|より(?:少|小さ|低)|少于|小于|低于|不足", "<"),
)
_COMPILED = tuple((re.compile(pattern, re.IGNORECASE), means) for pattern, means in _PHRASES)


def phrases(question: str) -> str:
    """ "高齢順 = age DESC, or birth date ASC; …" for the phrases of the question; "" for none.

    Where two overlap, the longer one counts.
    """
    found = [(m.span(), m.group(), means) for p, means in _COMPILED for m in p.finditer(question)]
    kept = [one for one in found if not any(_inside(one[0], other[0]) for other in found)]
    told = dict.fromkeys(f"{words} = {means}" for _, words, means in sorted(kept))
    return "; ".join(told)


def _inside(span: tuple[int, int], other: tuple[int, int]) -> bool:
    return span != other and other[0] <= span[0] and span[1] <= other[1]
