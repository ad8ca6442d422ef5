"""The parents of spans when work is spread over tasks, threads and loops."""

import asyncio
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from pathlib import Path

import pytest

from agent.telemetry import (
    SpanRecord,
    Telemetry,
    load_trace,
    node_span,
    span,
    tool_span,
    trace_id_of,
)


@pytest.fixture
def other_loop() -> Iterator[asyncio.AbstractEventLoop]:
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    yield loop
    loop.call_soon_threadsafe(loop.stop)
    thread.join()
    loop.close()


def parents(data_dir: Path, trace_id: str) -> dict[str, str | None]:
    """The name of each span's parent; span names are unique in these tests."""
    spans = load_trace(data_dir, trace_id).spans
    by_id: dict[str, SpanRecord] = {s.span_id: s for s in spans}
    return {s.name: by_id[s.parent_id].name if s.parent_id else None for s in spans}


async def test_calls_run_side_by_side_are_children_of_their_node(
    telemetry: Telemetry, tmp_path: Path
) -> None:
    started = asyncio.Barrier(2)

    async def call(tool: str) -> None:
        with tool_span(tool):
            await started.wait()
            with span(f"inside {tool}"):
                await asyncio.sleep(0)

    with telemetry.root() as root, node_span("act"):
        await asyncio.gather(call("a"), call("b"))
    assert parents(tmp_path, trace_id_of(root)) == {
        "invoke_agent zaiko": None,
        "act": "invoke_agent zaiko",
        "execute_tool a": "act",
        "execute_tool b": "act",
        "inside a": "execute_tool a",
        "inside b": "execute_tool b",
    }


async def test_a_worker_thread_keeps_the_parent(telemetry: Telemetry, tmp_path: Path) -> None:
    def work() -> None:
        with span("in a thread"):
            pass

    def work_in_pool() -> None:
        with span("in a pool"):
            pass

    with telemetry.root() as root, node_span("act"):
        await asyncio.to_thread(work)
        with ThreadPoolExecutor(1) as pool:
            pool.submit(copy_context().run, work_in_pool).result()
    found = parents(tmp_path, trace_id_of(root))
    assert found["in a thread"] == "act"
    assert found["in a pool"] == "act"


def test_a_coroutine_sent_to_another_loop_keeps_the_parent(
    telemetry: Telemetry, tmp_path: Path, other_loop: asyncio.AbstractEventLoop
) -> None:
    async def work() -> None:
        with span("on the other loop"):
            await asyncio.sleep(0)

    with telemetry.root() as root, node_span("answer"):
        asyncio.run_coroutine_threadsafe(work(), other_loop).result(5)
    assert parents(tmp_path, trace_id_of(root))["on the other loop"] == "answer"


async def test_questions_asked_at_once_do_not_mix(telemetry: Telemetry, tmp_path: Path) -> None:
    started = asyncio.Barrier(8)

    async def ask(i: int) -> str:
        with telemetry.root(conversation_id=f"t{i}") as root:
            await started.wait()
            for step in range(3):
                with node_span("act"), tool_span(f"q{i}s{step}"):
                    await asyncio.sleep(0)
        return trace_id_of(root)

    ids = await asyncio.gather(*(ask(i) for i in range(8)))
    assert len(set(ids)) == 8
    for i, trace_id in enumerate(ids):
        tools = [s.name for s in load_trace(tmp_path, trace_id).spans if "execute" in s.name]
        assert tools == [f"execute_tool q{i}s{step}" for step in range(3)]


async def test_a_question_asked_inside_another_has_its_own_trace(
    telemetry: Telemetry, tmp_path: Path
) -> None:
    with telemetry.root() as outer:
        with telemetry.root() as inner, span("below"):
            pass
        with span("after"):
            pass
    assert trace_id_of(outer) != trace_id_of(inner)
    assert parents(tmp_path, trace_id_of(inner))["below"] == "invoke_agent zaiko"
    assert parents(tmp_path, trace_id_of(outer))["after"] == "invoke_agent zaiko"
