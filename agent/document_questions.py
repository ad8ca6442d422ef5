"""Questions about the documents themselves: which are current, what replaced what, how many.

They are answered from the documents' records by the catalog tool; searching their texts would
find what they say, not what they are. A question is taken for one only where a rule is certain.
"""

import re
from collections.abc import Iterable
from datetime import date

from ingest.store import DocumentStatus, Store
from tools.dates import CalendarSettings, mentions
from tools.text import casefolded

_EN = r"(?:documents?|polic(?:y|ies)|versions?|guidelines?|manuals?|procedures?|regulations?)"
_JA = r"(?:文書|ドキュメント|資料|規程|規定|規則|手順書|要領|方針|マニュアル|契約書|基準書|版)"
_ZH = r"(?:文件|文档|制度|规定|规程|政策|手册|规范|版本)"

# Which documents are …: a word that asks for a list, and what the documents are called.
_LISTS = re.compile(
    rf"\bwhich\b[^,;.]{{0,40}}?\b{_EN}\s+(?:is|are|was|were|has|have|did)\b"
    rf"|\b(?:list|show)\b[^,;.]{{0,40}}?\b{_EN}\b"
    rf"|\b{_EN}\b[^,;.]{{0,40}}\b(?:is|are|was|were|has been|have been) (?:superseded|replaced) by (?:what|which)\b"
    rf"|\bwhat (?:has |have )?(?:replaced|replaces|superseded|supersedes)\b"
    rf"|どの[^。、]{{0,12}}?{_JA}が|{_JA}(?:は|が)?(?:どれ|どの版)|{_JA}の?(?:一覧|リスト)"
    rf"|{_JA}[^。、]{{0,6}}何に(?:置き換|差し替|取って代)"
    rf"|(?:哪些|哪个|哪份|哪一?版|哪一[个份])[^。，]{{0,12}}?{_ZH}|{_ZH}[^。，]{{0,10}}(?:有哪些|是哪)"
    rf"|列出[^。，]{{0,12}}?{_ZH}|{_ZH}[^。，]{{0,6}}被(?:什么|哪)",
    re.IGNORECASE,
)
_STATUSES: tuple[tuple[DocumentStatus, str], ...] = (
    ("proposed", r"propos|\bdrafts?\b|not approved|提案|未承認|草案|未批准"),
    ("rejected", r"reject|却下|否决|驳回"),
    ("deprecated", r"deprecat|\bretired\b|非推奨|廃止|弃用|废止"),
    ("superseded", r"supersed|\breplace[ds]\b|obsolete|outdated|置き換え|差し替え|旧版|取代|替代"),
    ("current", r"\bcurrent\b|\bin force\b|現行|最新|有効|现行|当前|有效"),
)
_APPLIES = re.compile(
    r"\bappl(?:y|ies|ied)\b|\bvalid\b|\bin (?:force|effect)\b|effective|適用|施行|有効|使われて"
    r"|适用|生效|执行|有效",
    re.IGNORECASE,
)
_COUNTS = re.compile(
    r"\bhow many\b[^,;.]{0,24}?\bdocuments\b(?:\s+(?:are|do we have|have|exist|in)\b|\s*\??$)"
    r"|(?:文書|ドキュメント|資料)(?:は|が)?[^。、]{0,8}(?:何件|いくつ|何本|何点)"
    r"|(?:多少|几)[个份篇]?[^。，]{0,8}(?:文件|文档)|(?:文件|文档)[^。，]{0,6}(?:多少|几)[个份篇]",
    re.IGNORECASE,
)
# What sets two versions of one document apart in their titles.
_EDITION = re.compile(
    r"[\s_(（【-]*(?:v(?:er(?:sion)?)?\.?\s*\d|第?[\d一二三四五六七八九十]+版|\d{4}|(?:令和|平成)|改[訂定]|新版|旧版|修订).*$",
    re.IGNORECASE,
)
MIN_NAME = 3


def asks_about_documents(question: str) -> bool:
    """Whether it asks which documents there are, or what they are, and not what they say.

    With `which … applied` it does only together with a day: see `document_call`.
    """
    folded = casefolded(question)
    if _COUNTS.search(folded):
        return True
    return bool(_LISTS.search(folded)) and (_status(folded) is not None or _replaced(folded))


def document_call(question: str, store: Store, today: date) -> dict[str, str] | None:
    """The arguments of the catalog call that answers the question; None when it is not about
    the documents themselves."""
    folded = casefolded(question)
    day = _day(question, store, today) if _APPLIES.search(folded) else None
    applied = day is not None and bool(_LISTS.search(folded))
    if not applied and not asks_about_documents(question):
        return None
    named = _title_in(folded, (d.title for d in store.documents()))
    name = {"name": named} if named else {}
    if applied and day is not None:
        return {"action": "documents", "on": day.isoformat(), **name}
    if _COUNTS.search(folded):
        return {"action": "count_documents", **name}
    status = None if named and _replaced(folded) else _status(folded)
    return {"action": "documents", **({"status": status} if status else {}), **name}


def _status(folded: str) -> DocumentStatus | None:
    return next((s for s, words in _STATUSES if re.search(words, folded)), None)


def _replaced(folded: str) -> bool:
    return bool(re.search(_STATUSES[3][1], folded))


def _day(question: str, store: Store, today: date) -> date | None:
    """The one day that the question names; None for a longer period, or several."""
    found = mentions(question, today, CalendarSettings.of(store.catalog))
    ranges = [m.range for m in found if m.range is not None]
    days = {r.start for r in ranges if r.start == r.end}
    return days.pop() if len(days) == len(ranges) == 1 else None


def _title_in(folded: str, titles: Iterable[str]) -> str:
    """The longest title, its edition left out, that stands in the question; "" without one."""
    names = {_EDITION.sub("", casefolded(title)).strip() for title in titles}
    return max((n for n in names if len(n) >= MIN_NAME and n in folded), key=len, default="")
