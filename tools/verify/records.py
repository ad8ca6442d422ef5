"""What verification says: each checkable thing in a text, and whether evidence proves it."""

from typing import Literal

from pydantic import BaseModel, ConfigDict

Kind = Literal["number", "date", "identifier", "claim"]
State = Literal["supported", "unsupported", "contradicted", "unchecked"]


class Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Claim(Frozen):
    """A statement of an answer and the evidence that its author names for it."""

    text: str
    evidence_ids: tuple[str, ...] = ()


class Item(Frozen):
    """`text[start:end]` of the checked text. `evidence_id` is "" when the proof is the question;
    `locator` is "row 3, quantity", "passage", "row count", "question" or "derived: …"."""

    text: str
    kind: Kind
    start: int
    end: int
    evidence_id: str = ""
    locator: str = ""
    message: str = ""


class ClaimCheck(Frozen):
    """A given claim, or a sentence. `unchecked`: it can be neither proved nor refuted here."""

    text: str
    state: State
    evidence_ids: tuple[str, ...] = ()
    message: str = ""


class Verification(Frozen):
    supported: tuple[Item, ...] = ()
    unsupported: tuple[Item, ...] = ()
    contradicted: tuple[Item, ...] = ()
    claims: tuple[ClaimCheck, ...] = ()

    @property
    def failed(self) -> tuple[Item, ...]:
        """Unsupported and contradicted items, in the order of the text."""
        return tuple(sorted((*self.unsupported, *self.contradicted), key=lambda i: i.start))

    def support_share(self) -> float:
        """Supported claims among those that could be checked, 0–1.

        Nothing to check proves nothing: 0.5 when claims exist but cannot be checked, else 0.0.
        """
        checked = [c for c in self.claims if c.state != "unchecked"]
        if not checked:
            return 0.5 if self.claims else 0.0
        return sum(c.state == "supported" for c in checked) / len(checked)

    def to_json(self) -> dict[str, object]:
        return {
            "supported": [i.model_dump() for i in self.supported],
            "unsupported": [i.model_dump() for i in self.unsupported],
            "contradicted": [i.model_dump() for i in self.contradicted],
        }
