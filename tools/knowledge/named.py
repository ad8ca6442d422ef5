"""Documents that a question calls by their edition: 「2024年版の返品規定では」, "the 2027 draft".

Of two versions of one document the newer one is meant, unless the question names the other; then
what the other says is the answer, though it was replaced or is only proposed.
"""

import re
from collections.abc import Iterable

from ingest.store import DocumentRecord
from tools.text import casefolded

MOST = 3
"""A number that more documents have in their titles names none of them."""
_NUMBER = re.compile(r"(?<!\d)\d{4,}(?!\d)")
_WORD = re.compile(r"[a-z]{4,}|[\u3040-\u30ff\u4e00-\u9fff々ー]{2,}")
_COUNTERS = frozenset(["年", "年度", "年版", "版"])


def named_documents(text: str, records: Iterable[DocumentRecord]) -> frozenset[str]:
    """The ids of the documents whose title has a number (a year) and a word that stand in `text`."""
    folded = casefolded(text)
    numbers = set(_NUMBER.findall(folded))
    if not numbers:
        return frozenset()
    found = [r.doc_id for r in records if _is_named(casefolded(r.title), numbers, folded)]
    return frozenset(found) if len(found) <= MOST else frozenset()


def _is_named(title: str, numbers: set[str], text: str) -> bool:
    if not numbers & set(_NUMBER.findall(title)):
        return False
    words = set(_WORD.findall(_NUMBER.sub(" ", title))) - _COUNTERS
    return any(word in text for word in words)
