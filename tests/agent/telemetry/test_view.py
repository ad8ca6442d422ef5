from typing import Any

from rich.cells import cell_len

from agent.telemetry import SpanRecord, Trace, render


def record(name: str, parent: str | None, start: int, end: int, **more: Any) -> SpanRecord:
    """A span whose id is its name; times in milliseconds after the epoch."""
    fields: dict[str, Any] = {
        "trace_id": "t",
        "span_id": name,
        "parent_id": parent,
        "name": name,
        "kind": "internal",
        "start_ns": start * 1_000_000,
        "end_ns": end * 1_000_000,
        "status": "unset",
        "message": None,
        "attributes": {},
    }
    return SpanRecord(**(fields | more))


def drawn(*spans: SpanRecord, damaged: int = 0) -> list[str]:
    return render(Trace(trace_id="4f2a", spans=spans, damaged=damaged)).splitlines()


def test_the_tree_shows_times_tokens_evidence_and_errors() -> None:
    chat = {
        "gen_ai.operation.name": "chat",
        "gen_ai.usage.input_tokens": 1200,
        "gen_ai.usage.cache_read.input_tokens": 1000,
        "gen_ai.usage.output_tokens": 60,
    }
    root = {"zaiko.status": "answered", "zaiko.confidence": 0.75}
    lines = drawn(
        record("invoke_agent zaiko", None, 0, 1500, attributes=root),
        record("plan zaiko", "invoke_agent zaiko", 1, 1001),
        record("chat qwen", "plan zaiko", 2, 1000, attributes=chat),
        record("act", "invoke_agent zaiko", 1002, 1010),
        record("execute_tool sql", "act", 1003, 1005, attributes={"zaiko.evidence_ids": ["E1"]}),
        record(
            "execute_tool calc",
            "act",
            1004,
            1006,
            status="error",
            message="took too long",
            attributes={"error.type": "timeout"},
        ),
    )
    assert lines == [
        "trace 4f2a  1970-01-01T00:00:00.000000Z  1,500.0 ms  1 model call  in 1200 (cached 1000) out 60",
        "invoke_agent zaiko         1,500.0 ms  confidence 0.75  answered",
        "├─ plan zaiko              1,000.0 ms",
        "│  └─ chat qwen              998.0 ms  in 1200 (cached 1000) out 60",
        "└─ act                         8.0 ms",
        "   ├─ execute_tool sql         2.0 ms  [E1]",
        "   └─ execute_tool calc        2.0 ms  ✗ timeout: took too long",
    ]


def test_wide_characters_keep_the_columns() -> None:
    lines = drawn(record("root", None, 0, 1), record("retrieval 返品規程", "root", 0, 1))
    ends = {cell_len(line[: line.index(" ms")]) for line in lines[1:]}
    assert len(ends) == 1


def test_an_orphan_and_damaged_lines_are_marked() -> None:
    lines = drawn(record("root", None, 0, 9), record("lost", "gone", 1, 2), damaged=2)
    assert lines[1] == "⚠ 2 damaged lines left out"
    assert lines[3].startswith("└─ ⚠ parent not written: lost")


def test_a_trace_without_a_root_says_so() -> None:
    lines = drawn(record("gate", "open", 0, 1))
    assert "the root span was not written" in lines[1]


def test_text_from_a_trace_cannot_steer_the_terminal() -> None:
    text = render(
        Trace(
            trace_id="t",
            spans=(
                record(
                    "a\x1b[31m\nb", None, 0, 1, status="error", message="x\x07\ud800" + "y" * 500
                ),
            ),
        )
    )
    assert "\x1b" not in text and "\x07" not in text
    assert text.encode()
    assert len(text.splitlines()) == 2
    assert "a�[31m b" in text
    assert len(text.splitlines()[1]) < 200
