from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from agent.handoff import Packet, packet_id
from agent.handoff.sqlite import SqliteHandoffs

MakePacket = Callable[..., Packet]


@pytest.fixture
def make_packet() -> MakePacket:
    def make(thread_id: str = "t1", turn: int = 1, **changes: Any) -> Packet:
        fields: dict[str, Any] = {
            "id": packet_id(thread_id, turn),
            "thread_id": thread_id,
            "turn": turn,
            "question": "先月の返品率は?",
            "confidence": 0.4,
            "data_revision": 3,
            "created": f"2026-11-30T04:00:{turn:02}Z",
        }
        return Packet(**(fields | changes))

    return make


@pytest.fixture
def store(tmp_path: Path) -> SqliteHandoffs:
    return SqliteHandoffs(tmp_path, now=lambda: datetime(2026, 11, 30, 13, 5, tzinfo=UTC))
