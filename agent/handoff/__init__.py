"""Handing a question to a person: the packet, its states and where they are kept."""

from pathlib import Path

from agent.errors import SettingsError
from agent.handoff.base import (
    Handoff,
    Handoffs,
    HandoffStore,
    Packet,
    Resolution,
    State,
    Unsure,
    packet_id,
)


def open_handoffs(data_dir: Path, kind: str = "sqlite") -> HandoffStore:
    """The store of a data directory; nothing is created before the first `add`.

    Raises SettingsError for a kind that does not exist.
    """
    if kind == "sqlite":
        from agent.handoff.sqlite import SqliteHandoffs  # noqa: PLC0415  only the chosen variant

        return SqliteHandoffs(data_dir)
    raise SettingsError(f"There is no handoff store {kind!r}.", "use sqlite")


__all__ = [
    "Handoff",
    "HandoffStore",
    "Handoffs",
    "Packet",
    "Resolution",
    "State",
    "Unsure",
    "open_handoffs",
    "packet_id",
]
