"""The benchmark's run over a small database of its own, with a scripted model."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from agent.models.base import ChatModel, Message
from agent.models.scripted import Request, ScriptedModel, call, data
from agent.settings import Role
from tests.bench.answers import main, run
from tests.bench.kinds import Found
from tests.bench.records import (
    Question,
    Record,
    Results,
    code_key,
    read_baseline,
    read_questions,
)
from tests.bench.report import report

ROLES: tuple[Role, ...] = ("gate", "plan", "answer", "judge")
SQL = "SELECT sum(amount) AS total FROM sales"
RECORD = Record("q1", "shop", "answered", "k1", correct=True)


@pytest.fixture
def bench(tmp_path: Path) -> Path:
    """One database with the sales 10, 20 and 12; one question on their sum, 42."""
    csv = tmp_path / "db" / "shop" / "csv"
    csv.mkdir(parents=True)
    (csv / "sales.csv").write_text("id,amount\n1,10\n2,20\n3,12\n", encoding="utf-8")
    asked = {"id": "q1", "db": "shop", "question": "What is the total of the sales?"}
    line = json.dumps({**asked, "gold_rows": [[42]], "gold_sql": SQL})
    (tmp_path / "questions_48.jsonl").write_text(line + "\n", encoding="utf-8")
    return tmp_path


def _play(request: Request) -> Message:
    if request.output is None:
        return call("sql", query=SQL)
    claim = {"text": "The total is 42.", "evidence_ids": ["E1"]}
    return data({"text": "The total is 42.", "claims": [claim], "self_confidence": 0.9})


def _ask(bench: Path, model: ScriptedModel, **options: bool) -> Record:
    results = Results(bench / "work" / "answers_48.jsonl")
    questions = read_questions(bench, everything=False)
    models: dict[Role, ChatModel] = dict.fromkeys(ROLES, model)
    run(questions, bench, bench / "work", results, "k1", models=models, **options)
    return results.read()["q1"]


def test_a_question_is_asked_scored_and_kept(bench: Path) -> None:
    record = _ask(bench, ScriptedModel([_play] * 6))
    assert (record.status, record.correct, record.key) == ("answered", True, "k1"), record
    assert len(record.sql) == 1 and "sum" in record.sql[0].lower()
    assert record.llm_calls >= 2 and record.input_tokens > 0 and record.seconds > 0


def test_a_question_with_a_result_is_asked_again_only_on_demand(bench: Path) -> None:
    _ask(bench, ScriptedModel([_play] * 6))
    idle = ScriptedModel([_play] * 6)
    _ask(bench, idle)
    assert idle.requests == []
    _ask(bench, idle, redo=True)
    assert idle.requests != []


def test_a_question_that_fails_is_a_result_and_not_the_end(bench: Path) -> None:
    record = _ask(bench, ScriptedModel([]))
    assert (record.status, record.correct) == ("error", False)
    assert record.error.startswith("ScriptEndedError")


def test_a_line_cut_short_is_passed_over_and_not_joined(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    path.write_text('{"id": "q0", "db', encoding="utf-8")
    Results(path).append(RECORD)
    assert Results(path).read() == {"q1": RECORD}


def test_results_of_other_code_are_set_aside_and_lose_nothing(tmp_path: Path) -> None:
    results = Results(tmp_path / "answers.jsonl")
    results.append(RECORD)
    assert results.set_aside("k1") is None
    aside = results.set_aside("k2")
    assert aside == tmp_path / "answers.k1.jsonl"
    assert results.read() == {} and Results(aside).read() == {"q1": RECORD}


def test_the_key_changes_with_a_prompt_and_not_with_other_files(tmp_path: Path) -> None:
    prompt = tmp_path / "agent" / "prompts" / "plan.md"
    prompt.parent.mkdir(parents=True)
    prompt.write_text("a", encoding="utf-8")
    before = code_key(tmp_path, "1")
    (prompt.parent / "notes.txt").write_text("x", encoding="utf-8")
    assert code_key(tmp_path, "1") == before
    prompt.write_text("b", encoding="utf-8")
    assert code_key(tmp_path, "1") != before


def test_the_report_counts_by_hand(tmp_path: Path) -> None:
    (tmp_path / "BASELINE.md").write_text(
        "| set | n | one shot | repaired | errors |\n|---|---|---|---|---|\n"
        "| questions_48 | 48 | 0.438 | 0.479 | 13 |\n",
        encoding="utf-8",
    )
    records = [
        replace(RECORD, llm_calls=2, input_tokens=300, cached_input_tokens=90, seconds=1.0),
        replace(RECORD, id="q2", correct=False, sql=["SELECT 1"], llm_calls=3, seconds=2.0),
        Record("q3", "shop", "handed_off", "k1", seconds=6.0),
        Record("q4", "shop", "not_found", "k1", seconds=3.0),
    ]
    questions = [Question(f"q{n}", "shop", "How many?", [[1]], "SELECT 2") for n in range(1, 5)]
    kinds = {"q2": Found("wrong value", "status = open, gold status = paid")}
    text = report(records, questions, read_baseline(tmp_path), "questions_48", False, kinds)
    row = "| 4 | 2 | 1 | 0.250 | 0.500 | 1 | 1 | 0 | 1 | 1.2 | 75 | 0 | 0.300 | 2.5 | 3.0 |"
    assert f"| all {row}" in text and f"| shop {row}" in text
    assert "| questions_48 | 48 | 0.438 | 0.479 | 0.562 | 0.521 |" in text
    assert "| kind | count | ids |\n| --- | ---: | ---: |\n| wrong value | 1 | q2 |" in text
    assert "  kind:     wrong value: status = open, gold status = paid\n" in text
    assert "Delivered but wrong: 1\n\n- q2" in text and "gold:     SELECT 2" in text


def test_the_report_alone_runs_nothing(bench: Path, capsys: pytest.CaptureFixture[str]) -> None:
    work = bench / "work"
    assert main(["--data", str(bench), "--work", str(work), "--report"]) == 0
    assert "no results yet" in capsys.readouterr().out
    assert not work.exists()


def test_the_report_names_the_kind_of_a_wrong_answer(
    bench: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _ask(bench, ScriptedModel([_play] * 6))
    sql = ["SELECT avg(amount) AS total FROM sales"]
    Results(bench / "work" / "answers_48.jsonl").append(replace(RECORD, correct=False, sql=sql))
    report_only = ["--data", str(bench), "--work", str(bench / "work"), "--report"]
    assert main(report_only) == 0
    assert "wrong aggregate: AVG(sales.amount), gold SUM(sales.amount)" in capsys.readouterr().out
    verdicts = bench / "verdicts.jsonl"
    verdicts.write_text('{"id": "q1", "kind": "loose question", "why": "mean or sum"}', "utf-8")
    assert main([*report_only, "--verdicts", str(verdicts)]) == 0
    assert "  kind:     loose question: mean or sum\n" in capsys.readouterr().out
