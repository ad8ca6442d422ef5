from pathlib import Path

import pytest
from langgraph.errors import GraphInterrupt

from agent.assemble import product_version
from agent.errors import ModelBusy
from agent.models import tracing
from agent.telemetry import (
    SpanRecord,
    Telemetry,
    load_trace,
    names,
    node_span,
    retrieval_span,
    span,
    tool_span,
    trace_id_of,
)


def spans_by_name(data_dir: Path, trace_id: str) -> dict[str, SpanRecord]:
    return {s.name: s for s in load_trace(data_dir, trace_id).spans}


def test_the_root_says_which_agent_and_thread_it_is(telemetry: Telemetry, tmp_path: Path) -> None:
    with telemetry.root(conversation_id="t-1") as root:
        root.set_attribute(names.STATUS, "answered")
    record = load_trace(tmp_path, trace_id_of(root)).root
    assert record is not None
    assert record.name == "invoke_agent zaiko"
    assert record.kind == "internal"
    # The resource belongs to the process: its version is that of the first setup in it.
    assert record.version in {"1.2.3", product_version()}
    assert record.attributes == {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.agent.name": "zaiko",
        "gen_ai.conversation.id": "t-1",
        "zaiko.status": "answered",
    }


def test_spans_are_named_as_the_conventions_ask(telemetry: Telemetry, tmp_path: Path) -> None:
    with telemetry.root() as root:
        with node_span("plan", {names.SUB_TASK: 0}):
            pass
        with (
            node_span("act"),
            tool_span("run_sql", {names.EVIDENCE_IDS: ["E1", "E2"]}, call_id="c1"),
        ):
            pass
        with retrieval_span("規程", {names.HITS: 3}):
            pass
    found = spans_by_name(tmp_path, trace_id_of(root))
    assert found["plan zaiko"].attributes["gen_ai.operation.name"] == "plan"
    assert found["plan zaiko"].attributes["zaiko.node"] == "plan"
    assert found["plan zaiko"].attributes["zaiko.sub_task"] == 0
    assert found["execute_tool run_sql"].parent_id == found["act"].span_id
    assert found["execute_tool run_sql"].attributes["gen_ai.tool.call.id"] == "c1"
    assert found["execute_tool run_sql"].attributes["zaiko.evidence_ids"] == ["E1", "E2"]
    assert found["retrieval 規程"].kind == "client"
    assert found["retrieval 規程"].attributes["zaiko.hits"] == 3


def test_an_exception_marks_its_span_and_passes_through(
    telemetry: Telemetry, tmp_path: Path
) -> None:
    with telemetry.root() as root:
        with pytest.raises(ModelBusy), span("gate"):
            raise ModelBusy("429 from the provider")
        with pytest.raises(KeyError), span("answer"):
            raise KeyError("x")
    found = spans_by_name(tmp_path, trace_id_of(root))
    assert (found["gate"].status, found["gate"].error) == ("error", "model_busy")
    assert found["gate"].message == "429 from the provider"
    assert found["answer"].error == "KeyError"
    assert found["invoke_agent zaiko"].error is None


def test_an_interrupt_of_the_graph_is_no_error(telemetry: Telemetry, tmp_path: Path) -> None:
    with telemetry.root() as root, pytest.raises(GraphInterrupt), span("hand_off"):
        raise GraphInterrupt(())
    assert spans_by_name(tmp_path, trace_id_of(root))["hand_off"].status == "unset"


def test_an_attribute_that_is_none_is_left_out(telemetry: Telemetry, tmp_path: Path) -> None:
    with telemetry.root() as root, span("gate", {names.CONFIDENCE: None, names.STATUS: "ok"}):
        pass
    found = spans_by_name(tmp_path, trace_id_of(root))
    assert found["gate"].attributes == {"zaiko.status": "ok"}


def test_the_chat_spans_use_the_same_attribute_names() -> None:
    shared = [n for n in vars(tracing) if n.isupper() and hasattr(names, n)]
    assert len(shared) == 10
    assert {n: getattr(tracing, n) for n in shared} == {n: getattr(names, n) for n in shared}
