import json
from pathlib import Path
from typing import Any

import pytest

from agent.errors import UsageError
from agent.telemetry import list_traces, load_trace

TRACE = "4f2a" + "0" * 28
# 2026-11-30T00:00:00Z, counted by hand: 20,787 days after the epoch.
MIDNIGHT = 20_787 * 86_400 * 1_000_000_000


def line(span_id: str, parent: str | None, start_ms: int, end_ms: int, **more: Any) -> str:
    record: dict[str, Any] = {
        "trace_id": TRACE,
        "span_id": span_id,
        "parent_id": parent,
        "name": span_id,
        "kind": "internal",
        "start_ns": MIDNIGHT + start_ms * 1_000_000,
        "end_ns": MIDNIGHT + end_ms * 1_000_000,
        "status": "unset",
        "message": None,
        "attributes": {},
    }
    return json.dumps(record | more)


def write(data_dir: Path, *lines: str, trace_id: str = TRACE) -> None:
    (data_dir / "traces").mkdir(exist_ok=True)
    (data_dir / "traces" / f"{trace_id}.jsonl").write_text("\n".join(lines) + "\n")


def test_spans_come_by_start_whatever_the_order_they_ended_in(tmp_path: Path) -> None:
    write(tmp_path, line("b", "root", 5, 6), line("a", "root", 1, 4), line("root", None, 0, 9))
    trace = load_trace(tmp_path, TRACE)
    assert [s.span_id for s in trace.spans] == ["root", "a", "b"]
    assert trace.ms == 9.0
    (top,) = trace.tree()
    assert [child.span.span_id for child in top.children] == ["a", "b"]


def test_the_json_adds_up_the_model_calls(tmp_path: Path) -> None:
    def chat(cached: int) -> dict[str, object]:
        return {
            "gen_ai.operation.name": "chat",
            "gen_ai.usage.input_tokens": 100,
            "gen_ai.usage.cache_read.input_tokens": cached,
            "gen_ai.usage.output_tokens": 7,
        }

    write(
        tmp_path,
        line("c1", "root", 1, 2, attributes=chat(0)),
        line("c2", "root", 3, 4, attributes=chat(90)),
        line("root", None, 0, 12),
    )
    found = load_trace(tmp_path, "4F2A").to_json()
    assert json.loads(json.dumps(found)) == found
    assert found["start"] == "2026-11-30T00:00:00.000000Z"
    assert found["ms"] == 12.0
    assert found["usage"] == {
        "llm_calls": 2,
        "input_tokens": 200,
        "cached_input_tokens": 90,
        "output_tokens": 14,
    }
    assert [s["span_id"] for s in found["spans"]] == ["root", "c1", "c2"]


def test_an_orphan_hangs_below_the_root_with_its_children(tmp_path: Path) -> None:
    write(
        tmp_path,
        line("root", None, 0, 9),
        line("lost", "never written", 1, 3),
        line("below", "lost", 2, 3),
    )
    (top,) = load_trace(tmp_path, TRACE).tree()
    (orphan,) = top.children
    assert (orphan.span.span_id, orphan.orphan) == ("lost", True)
    assert [(c.span.span_id, c.orphan) for c in orphan.children] == [("below", False)]


def test_a_cycle_of_parents_loses_no_span(tmp_path: Path) -> None:
    write(tmp_path, line("root", None, 0, 9), line("x", "y", 1, 2), line("y", "x", 1, 2))
    (top,) = load_trace(tmp_path, TRACE).tree()
    (orphan,) = top.children
    assert {orphan.span.span_id, orphan.children[0].span.span_id} == {"x", "y"}


def test_a_question_that_still_runs_has_no_root_yet(tmp_path: Path) -> None:
    write(tmp_path, line("gate", "open", 0, 1), line("act", "open", 1, 2))
    trace = load_trace(tmp_path, TRACE)
    assert trace.root is None
    assert [top.span.span_id for top in trace.tree()] == ["gate", "act"]
    assert list_traces(tmp_path)[0].name == "gate (root not written)"


def test_torn_and_foreign_lines_are_counted_and_left_out(tmp_path: Path) -> None:
    write(tmp_path, line("root", None, 0, 9), "", '{"trace_id": "4f', '{"other": 1}', "[]")
    trace = load_trace(tmp_path, TRACE)
    assert (len(trace.spans), trace.damaged) == (1, 3)


@pytest.mark.parametrize(
    ("wanted", "message"),
    [
        ("dead", "There is no trace dead"),
        ("", "is not a trace id"),
        ("../../etc/passwd", "is not a trace id"),
        ("4f2a*", "is not a trace id"),
    ],
)
def test_an_unknown_id_is_an_error_with_a_next_step(
    tmp_path: Path, wanted: str, message: str
) -> None:
    write(tmp_path, line("root", None, 0, 9))
    with pytest.raises(UsageError, match=message) as caught:
        load_trace(tmp_path, wanted)
    assert "zaiko trace" in caught.value.hint


def test_an_ambiguous_prefix_names_some_of_the_traces(tmp_path: Path) -> None:
    other = "4f2b" + "0" * 28
    write(tmp_path, line("root", None, 0, 9))
    write(tmp_path, line("root", None, 0, 9), trace_id=other)
    with pytest.raises(UsageError, match=f"2 traces begin with 4f2: {TRACE}, {other}"):
        load_trace(tmp_path, "4f2")
    assert load_trace(tmp_path, "4f2b").trace_id == other


def test_a_trace_without_a_readable_span_is_an_error(tmp_path: Path) -> None:
    write(tmp_path, "garbage")
    with pytest.raises(UsageError, match="no readable span"):
        load_trace(tmp_path, TRACE)
    assert list_traces(tmp_path) == []


def test_reading_makes_nothing(tmp_path: Path) -> None:
    assert list_traces(tmp_path / "absent") == []
    with pytest.raises(UsageError):
        load_trace(tmp_path / "absent", "4f2a")
    assert list(tmp_path.iterdir()) == []


def test_the_list_is_newest_first_and_bounded(tmp_path: Path) -> None:
    import os

    ids = [f"{i}" * 32 for i in range(4)]
    for i, trace_id in enumerate(ids):
        attributes = {"zaiko.status": "answered", "gen_ai.conversation.id": f"t{i}"}
        write(tmp_path, line("root", None, 0, i, attributes=attributes), trace_id=trace_id)
        os.utime(tmp_path / "traces" / f"{trace_id}.jsonl", (i, i))
    found = list_traces(tmp_path, limit=2)
    assert [(t.trace_id, t.ms, t.status, t.thread_id) for t in found] == [
        (ids[3], 3.0, "answered", "t3"),
        (ids[2], 2.0, "answered", "t2"),
    ]
