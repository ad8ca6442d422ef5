"""`verify`: the pure function from a text and evidence to what is proved, unproved or refuted."""

from collections.abc import Sequence

from tools.dates.fold import fold
from tools.evidence import Evidence
from tools.verify.check import Checker
from tools.verify.coverage import THRESHOLD, coverage
from tools.verify.denial import denials
from tools.verify.facts import EvidenceFacts
from tools.verify.owners import find_labels
from tools.verify.records import Claim, ClaimCheck, Item, State, Verification
from tools.verify.results import Checked
from tools.verify.sentences import Sentence, split_sentences

_OTHER_LANGUAGE = "cannot be checked by words: the passages are in another language"
_NOTHING = "holds nothing that can be checked against the evidence"


def verify(
    text: str,
    evidence: Sequence[Evidence],
    *,
    question: str = "",
    claims: Sequence[Claim] = (),
) -> Verification:
    """Looks up every number, date and name of `text` in `evidence`. Never raises on any text.

    What only repeats `question` is supported by it. With `claims` each is judged, with the
    evidence it names looked at first; else each sentence that holds something to check.
    """
    all_facts = [EvidenceFacts(e) for e in evidence]
    checker = Checker(all_facts, question)
    preferred = [i for claim in claims for i in claim.evidence_ids]
    checked = checker.check(text, preferred)
    sentences = split_sentences(text)
    proofs = _bare_sentences(sentences, checked, all_facts)
    denied = denials([s for s in sentences if not _inside(s, checked)], all_facts)
    proofs = [p for p in proofs if not _is_denied(p, denied)] + denied
    if claims:
        judged = [_judge_claim(claim, checker, all_facts) for claim in claims]
        judged = [_denied_claim(c, denied) for c in judged]
    else:
        judged = [c for s in sentences if (c := _judge_sentence(s, [*checked, *proofs]))]
    everything = sorted([*checked, *proofs], key=lambda c: c.item.start)
    return Verification(
        supported=tuple(c.item for c in everything if c.state == "supported"),
        unsupported=tuple(c.item for c in everything if c.state == "unsupported"),
        contradicted=tuple(c.item for c in everything if c.state == "contradicted"),
        claims=tuple(judged),
    )


def _is_denied(proof: Checked, denied: Sequence[Checked]) -> bool:
    return any(d.item.start <= proof.item.start < d.item.end for d in denied)


def _denied_claim(claim: ClaimCheck, denied: Sequence[Checked]) -> ClaimCheck:
    for refuted in denied:
        if refuted.item.text in claim.text:
            told = {"state": "contradicted", "message": refuted.item.message}
            return claim.model_copy(update=told)
    return claim


def _inside(sentence: Sentence, checked: Sequence[Checked]) -> list[Checked]:
    return [c for c in checked if sentence.start <= c.item.start < sentence.end]


def _bare_sentences(
    sentences: Sequence[Sentence], checked: Sequence[Checked], all_facts: Sequence[EvidenceFacts]
) -> list[Checked]:
    """Proofs for sentences without figures: a named row, or a passage that says the same."""
    proofs = []
    for sentence in sentences:
        if _inside(sentence, checked):
            continue
        item = _named_row(sentence, all_facts) or _same_words(sentence, all_facts)
        if item:
            proofs.append(Checked("supported", item))
    return proofs


def _named_row(sentence: Sentence, all_facts: Sequence[EvidenceFacts]) -> Item | None:
    labels = find_labels(sentence.text, (), sentence.start, all_facts)
    if not labels:
        return None
    label = labels[0]
    facts = all_facts[label.axis[0]]
    return Item(
        text=sentence.text[label.start : label.end],
        kind="identifier",
        start=sentence.start + label.start,
        end=sentence.start + label.end,
        evidence_id=facts.id,
        locator=f"row {label.rows[0] + 1}, {facts.evidence.columns[label.axis[1]].name}",
    )


def _same_words(sentence: Sentence, all_facts: Sequence[EvidenceFacts]) -> Item | None:
    best = _best_passage(sentence.text, all_facts)
    if best is None or best[0] < THRESHOLD:
        return None
    return Item(
        text=sentence.text,
        kind="claim",
        start=sentence.start,
        end=sentence.end,
        evidence_id=best[1].id,
        locator="passage",
        message=f"{best[0]:.0%} of its words stand in the passage",
    )


def _best_passage(
    statement: str, all_facts: Sequence[EvidenceFacts]
) -> tuple[float, EvidenceFacts] | None:
    folded = fold(statement).text
    scored = [
        (share, f)
        for f in all_facts
        if _is_prose(f) and (share := coverage(folded, fold(f.passage).text)) is not None
    ]
    return max(scored, key=lambda entry: entry[0]) if scored else None


def _is_prose(facts: EvidenceFacts) -> bool:
    """Rows are no prose: their notes say how they were read, not what they say."""
    return bool(facts.passage) and facts.evidence.kind != "rows"


def _judge_sentence(sentence: Sentence, checked: Sequence[Checked]) -> ClaimCheck | None:
    inside = _inside(sentence, checked)
    return _judge(sentence.text, inside) if inside else None


def _judge(text: str, inside: Sequence[Checked]) -> ClaimCheck:
    ids = tuple(dict.fromkeys(c.item.evidence_id for c in inside if c.item.evidence_id))
    failed = [c for c in inside if c.state != "supported"]
    state: State = "supported"
    if failed:
        refuted = any(c.state == "contradicted" for c in failed)
        state = "contradicted" if refuted else "unsupported"
    message = "; ".join(f"{c.item.text}: {c.item.message}" for c in failed)
    return ClaimCheck(text=text, state=state, evidence_ids=ids, message=message)


def _judge_claim(claim: Claim, checker: Checker, all_facts: Sequence[EvidenceFacts]) -> ClaimCheck:
    inside = checker.check(claim.text, claim.evidence_ids)
    if inside:
        return _judge(claim.text, inside)
    whole = Sentence(claim.text, 0, len(claim.text))
    named = [f for f in all_facts if f.id in claim.evidence_ids] or list(all_facts)
    passages = [f for f in named if _is_prose(f)]
    if passages:
        return _judge_words(claim, passages)
    row = _named_row(whole, named)
    if row:
        return ClaimCheck(text=claim.text, state="supported", evidence_ids=(row.evidence_id,))
    return ClaimCheck(text=claim.text, state="unchecked", message=_NOTHING)


def _judge_words(claim: Claim, passages: Sequence[EvidenceFacts]) -> ClaimCheck:
    best = _best_passage(claim.text, passages)
    if best is None:
        return ClaimCheck(text=claim.text, state="unchecked", message=_OTHER_LANGUAGE)
    share, facts = best
    if share >= THRESHOLD:
        return ClaimCheck(text=claim.text, state="supported", evidence_ids=(facts.id,))
    message = f"only {share:.0%} of its words stand in a cited passage"
    return ClaimCheck(text=claim.text, state="unsupported", message=message)
