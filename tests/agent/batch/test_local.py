"""The local engine: every question once, whatever happens in between."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from agent.batch import Question, Summary
from agent.batch.base import only_writer
from agent.batch.local import LocalEngine
from agent.errors import ModelBusy, UsageError
from agent.models.base import Reply, Usage
from agent.models.scripted import Request, Turn, text
from tests.support.desk import SIMPLE, Desk, gated, said, sql

DONE = (sql(), said("There are 19 units.", "E1"))
PROGRAM = Path(__file__).with_name("killed_run.py")


def read(out: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]


def ids(out: Path) -> list[str]:
    return [line["id"] for line in read(out)]


def questions(*names: str, thread: str | None = None) -> list[Question]:
    return [Question(name, f"({name}) {SIMPLE}", thread) for name in names]


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "out.jsonl"


def run(desk: Desk, asked: list[Question], out: Path, **options: Any) -> Summary:
    return LocalEngine().run(desk.agent, asked, out, **options)


def test_each_question_is_one_line_with_its_id_and_answer(desk: Desk, out: Path) -> None:
    desk.play(*DONE, *DONE)
    summary = run(desk, questions("a", "b"), out)
    assert ids(out) == ["a", "b"]
    assert [line["status"] for line in read(out)] == ["answered", "answered"]
    assert summary.line() == "2 answered"


def test_finished_questions_are_skipped(desk: Desk, out: Path) -> None:
    out.write_text('{"id": "a"}\n')
    desk.play(*DONE)
    summary = run(desk, questions("a", "b"), out)
    assert (ids(out), summary.skipped) == (["a", "b"], 1)
    assert summary.line() == "1 answered, 1 done before"


def test_a_failure_of_the_model_is_not_written_and_is_tried_again(desk: Desk, out: Path) -> None:
    desk.play(ModelBusy("away"), *DONE)
    first = run(desk, questions("a", "b"), out)
    assert (ids(out), first.failed) == (["b"], [("a", "away")])
    desk.play(*DONE)
    assert run(desk, questions("a", "b"), out).failed == []
    assert ids(out) == ["b", "a"]


def test_a_question_that_is_wrong_in_itself_is_final(desk: Desk, out: Path) -> None:
    desk.play()
    summary = run(desk, [Question("a", "  ")], out)
    assert read(out)[0]["error"]["message"] == "the question is empty"
    assert (summary.statuses, summary.failed) == ({"failed": 1}, [])


def test_a_handoff_is_a_finished_line(desk: Desk, out: Path) -> None:
    wrong = said("There are 23 units.", "E1")
    desk.play(sql(), wrong, wrong)
    run(desk, questions("a"), out)
    line = read(out)[0]
    assert line["status"] == "handed_off" and line["handoff_id"].startswith("h-")


def test_questions_of_one_thread_are_asked_in_order(desk: Desk, out: Path) -> None:
    gate = gated(SIMPLE)
    desk.play(*DONE, gate, *DONE, gate, *DONE)
    run(desk, questions("a", "b", "c", thread="ordered"), out, concurrency=3)
    assert ids(out) == ["a", "b", "c"]
    shown = desk.model.history[5][-1].content
    assert shown.index("(a)") < shown.index("New question") < shown.index("(c)")


def test_after_a_failure_the_rest_of_its_thread_waits_too(desk: Desk, out: Path) -> None:
    desk.play(*DONE, ModelBusy("away"))
    summary = run(desk, questions("a", "b", "c", thread="broken off"), out)
    assert ids(out) == ["a"]
    assert [name for name, _ in summary.failed] == ["b", "c"]
    assert "b, before it in its thread" in summary.failed[1][1]


def test_questions_run_side_by_side_up_to_the_concurrency(desk: Desk, out: Path) -> None:
    seen: list[int] = []
    tools = desk.agent.workbench.tools
    both = threading.Barrier(2, timeout=20)
    kept = tools["sql"].run

    def wait(*given: Any) -> Any:
        seen.append(both.wait())
        return kept(*given)

    def play(request: Request) -> Turn:
        return DONE[1] if request.output else DONE[0]

    desk.play(*[play] * 8)
    tools["sql"].run = wait  # type: ignore[method-assign, assignment]
    try:
        run(desk, questions("a", "b", "c", "d"), out, concurrency=2)
    finally:
        del tools["sql"].run
    assert sorted(ids(out)) == ["a", "b", "c", "d"]
    assert sorted(seen) == [0, 0, 1, 1]


def test_no_question_is_begun_once_the_money_is_spent(desk: Desk, out: Path) -> None:
    def paid(step: Any) -> Reply:
        usage = Usage(llm_calls=1, cost=Decimal("0.3"))
        reason = "tool_calls" if step.tool_calls else "stop"
        calls = tuple(c.model_copy(update={"id": "c"}) for c in step.tool_calls)
        message = step.model_copy(update={"tool_calls": calls})
        return Reply(message=message, finish_reason=reason, usage=usage, model="s", ms=0)  # type: ignore[arg-type]

    desk.play(*[paid(step) for step in (*DONE, *DONE)])
    summary = run(desk, questions("a", "b", "c", "d"), out, max_cost=Decimal("0.7"))
    assert (ids(out), summary.left, summary.cost) == (["a", "b"], 2, Decimal("1.2"))
    assert summary.to_json()["cost"] == "1.2"


def test_progress_is_told_for_every_question(desk: Desk, out: Path) -> None:
    told: list[str] = []
    desk.play(*DONE, ModelBusy("away"))
    run(desk, questions("a", "b"), out, progress=told.append)
    assert told == ["1/2 a: answered, 0.0 s", "b: away"]


def test_text_of_any_script_survives(desk: Desk, out: Path) -> None:
    strange = "There are 19 units.\u2028在庫"
    desk.play(sql(), said(strange, "E1", claims=["There are 19 units."]), text("x"))
    run(desk, questions("a"), out)
    assert run(desk, questions("a"), out).skipped == 1


@pytest.mark.slow
def test_a_killed_run_is_finished_by_the_next_with_each_id_once(
    data_dir: Path, out: Path, tmp_path: Path, python_path: dict[str, str]
) -> None:
    command = [sys.executable, str(PROGRAM), str(data_dir), str(out)]
    with subprocess.Popen(command, env=python_path) as process:
        wait_for(lambda: out.is_file() and out.read_bytes().count(b"\n") >= 3)
        os.kill(process.pid, signal.SIGKILL)
    done = ids(out) if out.read_bytes().endswith(b"\n") else []
    assert len(done) < 12
    subprocess.run(command, env=python_path, check=True, timeout=120)
    assert sorted(ids(out)) == sorted(f"q{n}" for n in range(12))
    assert ids(out)[: len(done)] == done


def wait_for(ready: Callable[[], bool]) -> None:
    for _ in range(1200):
        if ready():
            return
        time.sleep(0.05)
    raise AssertionError("it did not come to that")


def breaks(request: Request) -> Turn:
    raise ZeroDivisionError("a defect")


def test_a_defect_is_the_error_line_of_its_question_and_the_run_goes_on(
    desk: Desk, out: Path
) -> None:
    desk.play(breaks, *DONE)
    summary = run(desk, questions("a", "b"), out)
    first, second = read(out)
    assert (first["id"], first["status"]) == ("a", "failed")
    assert first["error"]["kind"] == "internal"
    assert first["error"]["message"] == "ZeroDivisionError: a defect"
    assert (second["id"], second["status"]) == ("b", "answered")
    assert not summary.ok and summary.line() == "1 answered, 1 failed"


def test_a_full_disk_is_no_defect_of_the_question_and_is_tried_again(desk: Desk, out: Path) -> None:
    def full(request: Request) -> Turn:
        raise sqlite3.OperationalError("database or disk is full")

    desk.play(full, *DONE)
    summary = run(desk, questions("a", "b"), out)
    assert (ids(out), summary.failed) == (["b"], [("a", "database or disk is full")])


def test_a_second_batch_on_the_same_output_is_refused(desk: Desk, out: Path) -> None:
    refused: list[UsageError] = []

    def meanwhile(request: Request) -> Turn:
        with pytest.raises(UsageError, match="another batch is writing to") as error:
            run(desk, questions("x"), out)
        refused.append(error.value)
        return DONE[0]

    desk.play(meanwhile, DONE[1], *DONE)
    run(desk, questions("a"), out)
    assert refused[0].hint == "wait until it has finished, or name another --out file"
    run(desk, questions("b"), out)
    assert ids(out) == ["a", "b"]


def test_the_output_is_free_again_when_the_other_batch_is_killed(
    out: Path, python_path: dict[str, str]
) -> None:
    program = (
        "import sys, time; from pathlib import Path; from agent.batch.base import only_writer\n"
        "with only_writer(Path(sys.argv[1])): print('held', flush=True); time.sleep(60)"
    )
    command = [sys.executable, "-c", program, str(out)]
    with subprocess.Popen(command, env=python_path, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None and process.stdout.readline() == "held\n"
        with pytest.raises(UsageError, match="another batch"), only_writer(out):
            pass
        process.kill()
        process.wait()
        with only_writer(out):
            assert out.exists()
