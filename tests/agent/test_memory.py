"""What a thread remembers, and that its reads and writes stay out of the checkpointer's way."""

import asyncio
import sqlite3
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from agent.memory import STATE_FILE, Memory, PastCall
from tools.evidence import Evidence


def found(query: str, content: str = "1") -> Evidence:
    return Evidence(kind="rows", tool="sql", source="t", query=query, hash=content, row_count=1)


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    memory = Memory(tmp_path)
    yield memory
    memory.close()


@pytest.fixture
def writer(memory: Memory, tmp_path: Path) -> Iterator[sqlite3.Connection]:
    """Another connection that holds the file's write lock."""
    other = sqlite3.connect(tmp_path / STATE_FILE, isolation_level=None, check_same_thread=False)
    other.execute("BEGIN IMMEDIATE")
    yield other
    other.close()


async def test_evidence_is_numbered_from_one_in_each_thread(memory: Memory) -> None:
    first = await memory.add_evidence("a", [found("q1"), found("q2")])
    other = await memory.add_evidence("b", [found("q1")])
    assert [e.id for e in first] == ["E1", "E2"]
    assert [e.id for e in other] == ["E1"]


async def test_the_same_result_of_the_same_call_keeps_its_id(memory: Memory) -> None:
    await memory.add_evidence("a", [found("q1"), found("q2")])
    again = await memory.add_evidence("a", [found("q2"), found("q2", "changed"), found("q1")])
    assert [e.id for e in again] == ["E2", "E3", "E1"]
    assert list(memory.evidence("a")) == ["E1", "E2", "E3"]


async def test_evidence_outlives_the_process_in_the_order_of_its_ids(tmp_path: Path) -> None:
    memory = Memory(tmp_path)
    await memory.add_evidence("a", [found(f"q{n}") for n in range(11)])
    memory.close()
    again = Memory(tmp_path)
    assert list(again.evidence("a")) == [f"E{n}" for n in range(1, 12)]
    again.close()


async def test_history_holds_the_last_finished_turns_oldest_first(memory: Memory) -> None:
    for n in range(1, 5):
        assert await memory.begin_turn("a", f"q{n}") == n
        if n != 3:
            await memory.end_turn("a", n, f"r{n}", f"a{n}")
    assert [t.question for t in memory.history("a", before=9, limit=2)] == ["q2", "q4"]
    assert [t.answer for t in memory.history("a", before=4, limit=9)] == ["a1", "a2"]
    assert (memory.last_turn("a"), memory.last_turn("b")) == (4, None)


async def test_a_call_is_remembered_for_its_thread_and_revision_only(memory: Memory) -> None:
    await memory.remember_call("a", 3, "sql x", PastCall(ok=True, shown="1"))
    assert memory.past_call("a", 3, "sql x") == PastCall(ok=True, shown="1")
    assert memory.past_call("a", 4, "sql x") is None
    assert memory.past_call("b", 3, "sql x") is None


async def test_a_write_waits_without_holding_up_the_event_loop(
    memory: Memory, writer: sqlite3.Connection
) -> None:
    async def let_go() -> None:
        await asyncio.sleep(0.1)
        writer.execute("COMMIT")

    async with asyncio.timeout(10):
        number, _ = await asyncio.gather(memory.begin_turn("a", "q"), let_go())
    assert number == 1


async def test_a_read_does_not_wait_for_a_writer(
    memory: Memory, writer: sqlite3.Connection
) -> None:
    writing = asyncio.create_task(memory.begin_turn("a", "q"))
    await asyncio.sleep(0.1)
    reader = threading.Thread(target=memory.evidence, args=("a",), daemon=True)
    reader.start()
    await asyncio.to_thread(reader.join, 5)
    assert not reader.is_alive()
    writer.execute("COMMIT")
    await writing
