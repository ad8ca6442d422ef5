"""Sentences that deny what the rows show: "there are no such customers" over two rows."""

import re
from collections.abc import Sequence

from tools.verify.facts import EvidenceFacts
from tools.verify.records import Item
from tools.verify.results import Checked
from tools.verify.sentences import Sentence

_DENIAL = re.compile(
    r"\bthere (?:is|are|was|were) (?:no|none|not any)\b|\bno (?:\w+ ){1,4}(?:was|were|is|are) found\b"
    r"|\b(?:found|returned|shows?) (?:no|none|nothing)\b"
    r"|(?:は|が|も)(?:存在し|見つかり|あり|ござい)ませ(?:ん|んでした)|該当(?:する\w*)?(?:は|が)?(?:なし|ない)"
    r"|没有(?:任何|找到|符合)|不存在|未找到",
    re.IGNORECASE,
)


def denials(sentences: Sequence[Sentence], all_facts: Sequence[EvidenceFacts]) -> list[Checked]:
    """Contradicted items for sentences that say there is nothing while all evidence is rows and
    they hold something. A passage may say that there is none, and a zero is none."""
    rows = [f for f in all_facts if f.evidence.kind == "rows"]
    if not rows or any(f.evidence.kind not in ("rows", "date") for f in all_facts):
        return []
    if not all(_holds_something(f) for f in rows):
        return []
    return [
        Checked("contradicted", _item(s, rows[-1])) for s in sentences if _DENIAL.search(s.text)
    ]


def _holds_something(facts: EvidenceFacts) -> bool:
    return any(cell not in (None, 0, "0", False, "") for row in facts.evidence.rows for cell in row)


def _item(sentence: Sentence, facts: EvidenceFacts) -> Item:
    count = facts.evidence.row_count
    return Item(
        text=sentence.text,
        kind="claim",
        start=sentence.start,
        end=sentence.end,
        evidence_id=facts.id,
        locator="row count",
        message=f"{facts.id} has {count} {'row' if count == 1 else 'rows'}",
    )
