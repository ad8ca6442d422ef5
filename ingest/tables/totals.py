"""Rows that add up other rows of the table: they would be counted twice."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

from ingest.tables.cells import NULL_WORDS, looks_typed

_SUM = (
    r"((総|全社|全体|全店|全)?合\s*計|総\s*計|総額|合\s*计|总\s*计|总额|總\s*計|合共|共\s*计"
    r"|grand\s+total|totals?|sum)"
)
_OF = r"\s*(額|金額|金额)?\s*([(（](税込|税抜|含税|不含税)[)）])?\s*[:：]?"
_TOTAL = re.compile(rf"(税込|税抜|含税)?\s*{_SUM}{_OF}", re.I)
_PART = r"(小\s*計|小\s*计|中\s*計|sub-?\s?totals?)"
_SUBTOTAL = re.compile(rf"(.{{0,40}}[\s　:：_])?{_PART}{_OF}|[^\s]{{1,20}}(小計|小计){_OF}", re.I)
_BARE_PART = re.compile(rf"{_PART}{_OF}", re.I)
_NAME = r"[^\s].{0,30}?"
_NAMED = re.compile(
    rf"{_NAME}[\s　:：_(（]*({_SUM}|{_PART})[)）]?{_OF}"
    rf"|{_NAME}\s*[計计]|[(（]?(合計|小計|合计|小计)[)）]?[\s　:：_(（]+{_NAME}"
    r"|(sub-?\s?|grand\s)?total(\s+(of|for))?[\s:]+\S.{0,40}",
    re.I,
)
_RUNNING = re.compile(
    r"[計计]|累\s*[計计]|(本[月年日季]|当[月期])\s*(合\s*計|合计|累計|累计|計|计)"
)
_AVERAGE = re.compile(r"(総?平\s*均(値)?|平均值?|averages?|avg\.?|mean)\s*[:：]?", re.I)
_MARKED = re.compile(r"[【〔［\[<＜《*＊■◆●○・\s　]*(.*?)[】〕］\]>＞》*＊■◆●○・\s　]*")
_SURE = re.compile(r"(grand\s+)?total\s+(of|for)\s+\S.*", re.I)
_WORDS = ("計", "计", "総額", "总额", "合共", "平均", "otal", "OTAL")
_SHORT = ("sum", "averages?", "avg", "mean")
# One expression: looking for the words one by one takes twice as long.
INNER_SQL = f"regexp_matches(cell, '{'|'.join(_WORDS)}|^(?i:{'|'.join(_SHORT)})')"
"""True for whatever `total_label` may find in a cell."""
_LONGEST_LABEL = 60

Label = Literal["bare", "named", "average", ""]


def total_label(cell: str) -> Label:
    """Is the whole cell a word for a total (合計, 小計, Total), one with the name of what it adds
    up (東京計, Tokyo total), or a word for an average? The second kind is often no total: 設計,
    会計. Marks around the word (【合計】) are passed over."""
    if len(cell) > _LONGEST_LABEL:
        return ""
    marked = _MARKED.fullmatch(cell)
    word = marked[1] if marked else cell
    if _TOTAL.fullmatch(word) or _RUNNING.fullmatch(word) or _BARE_PART.fullmatch(word):
        return "bare"
    if _AVERAGE.fullmatch(word):
        return "average"
    return "named" if _NAMED.fullmatch(word) else ""


def names_its_rows(cell: str) -> bool:
    """`Total for Tokyo`, which is no name of anything else."""
    return bool(_SURE.fullmatch(cell))


def is_total(row: Sequence[str]) -> bool:
    """A row that begins with a word for a total (`合計`, `小計`, `東京 小計`) and else holds only
    numbers and blanks."""
    return _labelled(row, _TOTAL, 2) or _labelled(row, _SUBTOTAL, 2)


def _labelled(row: Sequence[str], label: re.Pattern[str], places: int) -> bool:
    filled = [cell.strip() for cell in row if cell.strip()]
    for place, cell in enumerate(filled[:places]):
        if label.fullmatch(cell):
            rest = filled[:place] + filled[place + 1 :]
            if _are_figures(rest) or (place == 1 and _are_figures(filled[2:])):
                return len(row) > 1
    return False


def _are_figures(cells: Sequence[str]) -> bool:
    return all(looks_typed(text) or text in NULL_WORDS for text in cells)
