"""Figures that stand only in a document which is not in force: replaced, proposed or rejected.

A passage of an old policy is a true quotation and a wrong answer. Unless the question asks for the
old state, such a figure counts as contradicted, so that the draft is written again.
"""

import re
from collections.abc import Iterable, Sequence

from tools.evidence import Evidence
from tools.knowledge.results import OUT_OF_FORCE
from tools.text import casefolded
from tools.verify import ClaimCheck, Item, Verification

_ASKS_FOR_OLD = re.compile(
    r"\b(?:old|previous(?:ly)?|former(?:ly)?|earlier|superseded|replaced|outdated|draft|propos\w+|was|were|used to|before)\b"
    r"|旧|以前|前の|改定前|改訂前|廃止|案では|改定案|置き換え|でしたか|だったか|当時|从前|之前|原来|旧版|草案|提案",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"\d{4,}")


def only_outdated(found: Verification, evidence: Sequence[Evidence], question: str) -> Verification:
    """The verification with such figures, and the claims that rest on them, contradicted."""
    noted = {e.id: e for e in evidence if is_out_of_force(e)}
    if not noted or asks_for_old(question, noted.values()):
        return found
    current = "\n".join(_folded(e.text or "") for e in evidence if e.id not in noted)
    wrong = [
        item.model_copy(update={"message": _message(noted[item.evidence_id])})
        for item in found.supported
        if item.evidence_id in noted and _folded(item.text) not in current
    ]
    if not wrong:
        return found
    places = {(i.start, i.end) for i in wrong}
    kept = tuple(i for i in found.supported if (i.start, i.end) not in places)
    claims = tuple(_judged(claim, wrong) for claim in found.claims)
    contradicted = (*found.contradicted, *wrong)
    return found.model_copy(
        update={"supported": kept, "contradicted": contradicted, "claims": claims}
    )


def is_out_of_force(evidence: Evidence) -> bool:
    return (evidence.status_note or "").startswith(OUT_OF_FORCE)


def asks_for_old(question: str, noted: Iterable[Evidence]) -> bool:
    """By a word, or by a number that the document's name has, like its year."""
    if _ASKS_FOR_OLD.search(question):
        return True
    years = set(_NUMBER.findall(question))
    return any(years & set(_NUMBER.findall(e.source)) for e in noted)


def _judged(claim: ClaimCheck, wrong: Sequence[Item]) -> ClaimCheck:
    reasons = [i.message for i in wrong if i.text in claim.text]
    told = {"state": "contradicted", "message": "; ".join(reasons)}
    return claim.model_copy(update=told) if reasons else claim


def _message(evidence: Evidence) -> str:
    return f"stands only in {evidence.source} ({evidence.status_note})"


def _folded(text: str) -> str:
    return "".join(casefolded(text).split())
