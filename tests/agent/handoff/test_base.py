from collections.abc import Callable

import pytest
from pydantic import ValidationError

from agent.handoff import Packet, packet_id

MakePacket = Callable[..., Packet]


def test_the_id_depends_on_thread_and_turn_alone() -> None:
    # sha256 of "t1", a zero byte and "1", computed with coreutils' sha256sum.
    assert packet_id("t1", 1) == "h-809f16d9428f548c"
    assert len({packet_id("t1", 1), packet_id("t1", 2), packet_id("t2", 1)}) == 3
    assert packet_id("t1", 11) != packet_id("t11", 1)


def test_a_packet_keeps_the_first_100_rows_of_each_evidence(make_packet: MakePacket) -> None:
    rows = [[i] for i in range(150)]
    packet = make_packet(
        evidence=({"id": "E1", "rows": rows, "row_count": 150}, {"id": "E2", "text": "x"})
    )
    assert packet.evidence[0]["rows"] == [[i] for i in range(100)]
    assert packet.evidence[0]["row_count"] == 150
    assert packet.evidence[1] == {"id": "E2", "text": "x"}


@pytest.mark.parametrize("wrong", ["", "3f9a2c", "h-XYZ", "h-3f9a'; --"])
def test_an_id_has_the_form_that_commands_accept(make_packet: MakePacket, wrong: str) -> None:
    with pytest.raises(ValidationError):
        make_packet(id=wrong)
