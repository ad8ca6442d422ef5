"""What becomes of stored pairs when one is added, and when one is taken out."""

from collections.abc import Sequence
from dataclasses import replace

from agent.errors import PairError
from agent.pairs.base import Pair
from agent.pairs.masking import normalised
from agent.pairs.sqlite import SqlitePairs, Stored


def list_pairs(pairs: SqlitePairs) -> list[Pair]:
    """Newest confirmation first; those that nobody confirmed last."""
    found = [s.pair for s in pairs.list()]
    return sorted(found, key=lambda p: (p.confirmed_at or "", p.id), reverse=True)


def remove_pair(pairs: SqlitePairs, id: str) -> Pair:
    """Takes one out for good; `id` may be a unique beginning, with or without its `p-`."""
    wanted = id.strip().lower()
    full = wanted if wanted.startswith("p-") else f"p-{wanted}"
    found = [s.pair for s in pairs.list() if wanted and s.pair.id.startswith(full)]
    if len(found) != 1 or not pairs.remove(found[0].id):
        how_many = f"{len(found)} pairs begin with" if found else "there is no pair"
        raise PairError(f"{how_many} {id!r}", "zaiko pairs list shows all of them")
    return found[0]


def joined(before: Pair | None, pair: Pair) -> Pair:
    """The pair after it was added again: its first confirmation counts, and it is live."""
    if before is None:
        return pair
    if not before.is_confirmed and pair.is_confirmed:
        return pair.model_copy(update={"origin": before.origin})
    if before.state == "live":
        return before
    back = {"state": "live", "why": "", "replaced_by": None}
    return before.model_copy(update={**back, "checked_revision": pair.checked_revision})


def given_way(stored: Sequence[Stored], pair: Pair) -> list[Stored]:
    """Those whose question has another SQL now that a person confirmed: retired."""
    gone = {"state": "retired", "why": f"replaced by {pair.id}", "replaced_by": pair.id}
    return [
        replace(s, pair=s.pair.model_copy(update=gone))
        for s in stored
        if pair.is_confirmed
        and s.pair.id != pair.id
        and is_same(s.pair.question, pair.question)
        and s.pair.is_confirmed
        and s.pair.replaced_by is None
    ]


def is_same(question: str, other: str) -> bool:
    return normalised(question) == normalised(other)
