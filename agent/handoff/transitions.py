"""What may happen to a handoff in which state: pure functions, the same for every store."""

from agent.errors import HandoffError
from agent.handoff.base import Handoff, Resolution


def claimed(handoff: Handoff, who: str, at: str) -> Handoff:
    """Raises HandoffError when it is closed or another's."""
    if not who.strip():
        raise HandoffError("A claim needs a name.", "say who claims it")
    if handoff.state == "claimed":
        if handoff.claimed_by == who:
            return handoff
        raise HandoffError(
            f"{handoff.id} is claimed by {handoff.claimed_by} since {handoff.claimed_at}.",
            "take another, or ask them",
        )
    _refuse_closed(handoff, "claimed")
    return handoff.model_copy(update={"state": "claimed", "claimed_by": who, "claimed_at": at})


def resolved(handoff: Handoff, resolution: Resolution) -> Handoff:
    """Raises HandoffError when the text is blank or it is closed in another way."""
    if not resolution.text.strip():
        raise HandoffError("The resolution has no text.", "say what the answer is")
    before = handoff.resolution
    if before is not None and (before.text, before.sql) == (resolution.text, resolution.sql):
        return handoff
    _refuse_closed(handoff, "resolved")
    return handoff.model_copy(
        update={
            "state": "resolved",
            "resolution": resolution,
            "closed_by": resolution.by,
            "closed_at": resolution.at,
        }
    )


def rejected(handoff: Handoff, reason: str, by: str, at: str) -> Handoff:
    """Raises HandoffError when the reason is blank or it is closed in another way."""
    if not reason.strip():
        raise HandoffError("The rejection has no reason.", "say why, for whoever asked")
    if handoff.state == "rejected" and handoff.reason == reason:
        return handoff
    _refuse_closed(handoff, "rejected")
    return handoff.model_copy(
        update={"state": "rejected", "reason": reason, "closed_by": by, "closed_at": at}
    )


def delivered(handoff: Handoff) -> Handoff:
    """Raises HandoffError while nobody has settled it."""
    if handoff.state in ("open", "claimed"):
        raise HandoffError(
            f"{handoff.id} is {handoff.state}: there is nothing to deliver yet.",
            f"run `zaiko handoff resolve {handoff.id} --text …` first",
        )
    return handoff.model_copy(update={"delivered": True})


def _refuse_closed(handoff: Handoff, wanted: str) -> None:
    if handoff.state in ("resolved", "rejected"):
        raise HandoffError(
            f"{handoff.id} cannot be {wanted}: it was {handoff.state} by {handoff.closed_by} "
            f"at {handoff.closed_at}.",
            f"see it with `zaiko handoff show {handoff.id}`; ask the question again if it still matters",
        )
