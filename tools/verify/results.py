"""An item together with its state, and how the checks make one."""

from dataclasses import dataclass
from typing import Protocol

from tools.verify.facts import EvidenceFacts
from tools.verify.records import Item, Kind, State


class Located(Protocol):
    """A number, date or name found in a text."""

    @property
    def text(self) -> str: ...
    @property
    def start(self) -> int: ...
    @property
    def end(self) -> int: ...


@dataclass(frozen=True)
class Checked:
    state: State
    item: Item


def _item(kind: Kind, what: Located, evidence_id: str, locator: str, message: str) -> Item:
    return Item(
        text=what.text,
        kind=kind,
        start=what.start,
        end=what.end,
        evidence_id=evidence_id,
        locator=locator,
        message=message,
    )


def supported(kind: Kind, what: Located, facts: EvidenceFacts | None, locator: str) -> Checked:
    """`facts` None: the question itself says so."""
    return Checked("supported", _item(kind, what, facts.id if facts else "", locator, ""))


def unsupported(kind: Kind, what: Located, message: str) -> Checked:
    return Checked("unsupported", _item(kind, what, "", "", message))


def contradicted(
    kind: Kind, what: Located, facts: EvidenceFacts, row: int | None, message: str
) -> Checked:
    """`row` None: several rows are named."""
    locator = "" if row is None else f"row {row + 1}"
    return Checked("contradicted", _item(kind, what, facts.id, locator, message))
