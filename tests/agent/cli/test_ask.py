"""`ask`, `batch` and `handoff` with a model that plays a script."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from agent.answer import Answer
from agent.models.scripted import ScriptedModel
from tests.support.desk import SIMPLE, gated, said, sql

from .conftest import Zaiko

Script = Callable[..., ScriptedModel]
RIGHT = said("There are 19 units.", "E1")
WRONG = said("There are 23 units.", "E1")
NONE = "SELECT sum(quantity) FROM stock WHERE sku = 'QQ-77'"


def test_an_answer_is_exit_0_and_one_document(zaiko: Zaiko, data_dir: Path, script: Script) -> None:
    script(sql(), RIGHT)
    called = zaiko("ask", SIMPLE, "--data-dir", data_dir, "--today", "2026-11-30", "--json")
    answer = called.json()
    assert called.code == 0
    assert list(answer) == [
        "question", "status", "text", "draft", "confidence", "citations", "evidence",
        "verification", "sub_tasks", "steps", "reflections", "usage", "timing", "audit",
        "handoff_id", "thread_id", "trace_id",
    ]  # fmt: skip
    assert (answer["status"], answer["audit"]["today"]) == ("answered", "2026-11-30")
    assert set(answer["evidence"][0]) == {
        "id", "kind", "origin", "tool", "source", "locator", "query", "columns", "rows",
        "row_count", "hash", "text", "score", "reason", "status_note", "excluded_cells",
    }  # fmt: skip
    assert set(answer["steps"][0]) == {
        "goal", "plan", "reason", "tool", "arguments", "ok", "ms", "summary"
    }  # fmt: skip
    assert set(answer["usage"]) == {
        "llm_calls", "input_tokens", "cached_input_tokens", "output_tokens", "cost"
    }  # fmt: skip
    assert set(answer["verification"]) == {"supported", "unsupported", "contradicted"}
    assert set(answer["audit"]) == {
        "data_revision", "today", "model", "prompt_hash", "version", "reading"
    }  # fmt: skip
    assert Answer.model_validate(answer).text.startswith("There are 19 units[1].")


def test_a_person_sees_the_proof(zaiko: Zaiko, data_dir: Path, script: Script) -> None:
    script(sql(), RIGHT)
    called = zaiko("ask", SIMPLE, "--data-dir", data_dir)
    assert called.out.startswith("There are 19 units[1].")
    for word in ("status      answered", "E1 rows  stock", "trace ", "thread t-"):
        assert word in called.out
    assert "plan: " in called.err


def test_the_trace_of_an_answer_is_drawn(zaiko: Zaiko, data_dir: Path, script: Script) -> None:
    script(sql(), RIGHT)
    trace = zaiko("ask", SIMPLE, "--data-dir", data_dir, "--json").json()["trace_id"]
    drawn = zaiko("trace", trace[:12], "--data-dir", data_dir)
    assert (drawn.code, drawn.err) == (0, "")
    assert "[E1]" in drawn.out
    found = zaiko("trace", trace, "--data-dir", data_dir, "--json").json()
    assert found.keys() == {"trace_id", "start", "ms", "usage", "damaged", "spans"}
    (listed,) = zaiko("trace", "--data-dir", data_dir, "--json").json()["traces"]
    assert listed["trace_id"] == trace


def test_what_is_proved_absent_is_exit_4(zaiko: Zaiko, data_dir: Path, script: Script) -> None:
    script(sql(NONE), sql(NONE), said("None.", "E1"))
    called = zaiko("ask", "How many units of QQ-77 are on hand?", "--data-dir", data_dir, "--json")
    assert (called.json()["status"], called.code) == ("not_found", 4)


def test_a_handoff_is_exit_3_and_a_person_settles_it(
    zaiko: Zaiko, data_dir: Path, script: Script
) -> None:
    script(sql(), WRONG, WRONG)
    called = zaiko("ask", SIMPLE, "--data-dir", data_dir, "--json")
    answer = called.json()
    assert (called.code, answer["status"]) == (3, "handed_off")
    id = answer["handoff_id"]
    here = ("--data-dir", data_dir, "--json")
    (listed,) = zaiko("handoff", "list", "--state", "open", *here).json()["handoffs"]
    assert (listed["packet"]["id"], listed["packet"]["question"]) == (id, SIMPLE)
    assert zaiko("handoff", "claim", id[:6], "--by", "Aya", *here).json()["claimed_by"] == "Aya"
    other = zaiko("handoff", "claim", id, "--by", "Ben", *here)
    assert (other.code, other.json()["error"]["kind"]) == (2, "handoff")
    assert f"{id}   claimed by Aya" in zaiko("handoff", "show", id, "--data-dir", data_dir).out
    script()
    resolved = zaiko("handoff", "resolve", id, "--text", "19 units", "--by", "Aya", *here)
    assert resolved.code == 0
    assert "19 units" in resolved.json()["text"]
    assert resolved.json()["thread_id"] == answer["thread_id"]
    assert [e["kind"] for e in resolved.json()["evidence"]] == ["rows", "human"]
    assert zaiko("handoff", "reject", id, *here).code == 2


def test_a_resolution_that_cannot_be_is_refused_and_changes_nothing(
    zaiko: Zaiko, data_dir: Path, script: Script
) -> None:
    script(sql(), WRONG, WRONG)
    here = ("--data-dir", data_dir, "--json")
    id = zaiko("ask", SIMPLE, *here).json()["handoff_id"]
    script()
    assert zaiko("handoff", "resolve", id, "--text", " ", *here).code == 2
    wrong = zaiko("handoff", "resolve", id, "--text", "19", "--sql", "DROP TABLE stock", *here)
    assert (wrong.code, wrong.json()["error"]["kind"]) == (1, "statement_not_allowed")
    assert zaiko("handoff", "show", id, *here).json()["state"] == "open"
    rejected = zaiko("handoff", "reject", id, "--reason", "nobody counted", *here)
    assert rejected.json()["status"] == "handed_off"
    assert zaiko("handoff", "show", id, *here).json()["state"] == "rejected"


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("", "the question is empty"),
        (" \t\n　", "the question is empty"),
        ("\0", "the question is empty"),
        ("在" * 50_000, "the question has 50,000 characters; at most 4,000 are read"),
        ("a \udcff b", "the question is not valid UTF-8 text"),
    ],
    ids=["empty", "blank", "nul", "long", "no text"],
)
def test_a_question_that_is_none_is_exit_2_and_leaves_no_turn(
    zaiko: Zaiko, data_dir: Path, script: Script, question: str, said: str
) -> None:
    model = script()
    called = zaiko("ask", question, "--data-dir", data_dir, "--json")
    assert (called.code, called.json()["error"]["kind"]) == (2, "usage")
    assert said in called.json()["error"]["message"]
    assert model.requests == []
    assert zaiko("trace", "--data-dir", data_dir, "--json").json() == {"traces": []}


def test_a_thread_goes_on(zaiko: Zaiko, data_dir: Path, script: Script) -> None:
    script(sql(), RIGHT)
    thread = zaiko("ask", SIMPLE, "--data-dir", data_dir, "--json").json()["thread_id"]
    model = script(gated(SIMPLE), sql(), RIGHT)
    again = ("ask", "And now?", "--thread", thread, "--data-dir", data_dir, "--json")
    answer = zaiko(*again).json()
    assert (answer["thread_id"], answer["audit"]["reading"]) == (thread, SIMPLE)
    assert model.remaining == 0


def test_a_thread_that_is_new_is_said(zaiko: Zaiko, data_dir: Path, script: Script) -> None:
    script(sql(), RIGHT)
    called = zaiko("ask", SIMPLE, "--thread", "t-mistyped", "--data-dir", data_dir, "--json")
    assert called.json()["thread_id"] == "t-mistyped"
    assert "note: there is no thread 't-mistyped' yet: this question begins it" in called.err


def batch(path: Path, *lines: object) -> Path:
    text = "".join(f"{json.dumps(line)}\n" for line in lines)
    path.write_text(text, encoding="utf-8")
    return path


def test_a_batch_writes_a_line_a_question_and_its_summary(
    zaiko: Zaiko, data_dir: Path, tmp_path: Path, script: Script
) -> None:
    asked = batch(
        tmp_path / "in.jsonl",
        {"id": "a", "question": SIMPLE},
        {"id": 2, "question": ""},
        {"id": "\ud800", "question": "\ud800"},
    )
    script(sql(), RIGHT)
    here = ("batch", asked, "--out", tmp_path / "out.jsonl", "--data-dir", data_dir, "--json")
    called = zaiko(*here)
    assert called.code == 1, "two lines held no question"
    assert called.json() == {
        "finished": {"answered": 1, "failed": 2}, "skipped": 0, "failed": [], "left": 0,
        "cost": None,
    }  # fmt: skip
    lines = (tmp_path / "out.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["id"] for line in lines] == ["a", "2", "\ud800"]
    assert zaiko(*here).json()["skipped"] == 3


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "No such file"),
        (b"\xff\n", "cannot be read"),
        (b"hello\n", "line 1 is no question"),
        (b'{"id": "1", "question": "q"}\n{"id": "1", "question": "r"}\n', "line 2: id '1' stands"),
        (b'{"id": null, "question": "q"}\n', "line 1 is no question"),
    ],
)
def test_a_file_that_holds_no_questions_is_exit_2(
    zaiko: Zaiko, published: Path, tmp_path: Path, content: bytes | None, said: str
) -> None:
    asked = tmp_path / "in.jsonl"
    if content is not None:
        asked.write_bytes(content)
    out = tmp_path / "out.jsonl"
    called = zaiko("batch", asked, "--out", out, "--data-dir", published)
    assert called.code == 2
    assert said in called.err
    assert not out.exists()


@pytest.mark.parametrize("mine", [b"my notes", b"my notes\n", b'{"no": "id"}\n{"id": "1"'])
def test_a_file_that_is_no_output_of_a_batch_stays_as_it_is(
    zaiko: Zaiko, data_dir: Path, tmp_path: Path, script: Script, mine: bytes
) -> None:
    script()
    asked = batch(tmp_path / "in.jsonl", {"id": "a", "question": SIMPLE})
    out = tmp_path / "out.jsonl"
    out.write_bytes(mine)
    called = zaiko("batch", asked, "--out", out, "--data-dir", data_dir)
    assert called.code == 2
    assert "line 1 is not a line of a batch" in called.err
    assert out.read_bytes() == mine


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--max-cost", "lots"], "--max-cost 'lots' is not an amount"),
        (["--max-cost", "-1"], "--max-cost '-1' is not an amount"),
        (["--engine", "spark"], "there is no batch engine 'spark'"),
        (["--concurrency", "0"], "'--concurrency'"),
        (["--out", "no/such/dir.jsonl"], "cannot be written"),
        (["--out", "."], "cannot be written"),
        (["--out", "in.jsonl"], "--out is the file of questions"),
    ],
    ids=lambda v: " ".join(v) if isinstance(v, list) else "",
)
def test_an_option_of_a_batch_that_cannot_be_is_exit_2(
    zaiko: Zaiko, data_dir: Path, tmp_path: Path, script: Script, options: list[str], said: str
) -> None:
    script()
    asked = batch(tmp_path / "in.jsonl", {"id": "a", "question": SIMPLE})
    called = zaiko("batch", asked, "--out", "out.jsonl", "--data-dir", data_dir, *options)
    assert called.code == 2
    assert said in called.err
