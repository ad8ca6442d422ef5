"""The benchmark of answers: real databases, real questions, the configured model, the real graph.

    python tests/bench/answers.py --data DIR [--all] [--only DB,DB] [--limit N] [--redo] [--report]
        [--verdicts FILE]

DIR holds `questions_48.jsonl`, `questions_open.jsonl` and `db/<name>/csv`. Each question adds a
line to `<work>/answers_48.jsonl` (`answers_all.jsonl`) at once; a question that is already there
is not asked again, as long as the code is the same. The report puts each wrong delivered answer
into a kind (`tests.bench.kinds`); FILE holds a person's kinds, which count before those.
"""

import argparse
import asyncio
import sys
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from agent.models.llama_server import wait_passively
from tests.bench.kinds import kinds_of, read_verdicts
from tests.bench.records import (
    BASELINE_ROWS,
    SETS,
    Question,
    Record,
    Results,
    code_key,
    read_baseline,
    read_questions,
)
from tests.bench.report import report
from tests.bench.scoring import score

if TYPE_CHECKING:
    from agent.answer import Answer
    from agent.api import Agent
    from agent.models import ChatModel
    from agent.settings import Role

ROOT = Path(__file__).resolve().parents[2]


def main(arguments: Sequence[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    questions = read_questions(options.data, options.all)
    verdicts = read_verdicts(options.verdicts)
    wanted = _wanted(questions, options.only, options.limit)
    results = Results(options.work / SETS[options.all][1])
    if not options.report:
        key = _prepare(results, options.keep)
        run(wanted, options.data, options.work, results, key, redo=options.redo)
    done = results.read()
    records = [done[question.id] for question in wanted if question.id in done]
    keys = sorted({record.key for record in records})
    _print(f"code: {', '.join(keys) or 'no results yet'}")
    baseline = read_baseline(options.data)
    kinds = kinds_of(records, wanted, options.work, verdicts)
    _print(report(records, wanted, baseline, BASELINE_ROWS[options.all], options.all, kinds))
    return 0


def run(
    questions: Sequence[Question],
    data: Path,
    work: Path,
    results: Results,
    key: str,
    *,
    redo: bool = False,
    models: "dict[Role, ChatModel] | None" = None,
) -> None:
    """Asks what has no result yet, database by database; `models` stand in for the configured."""
    done = {} if redo else results.read()
    left = [question for question in questions if question.id not in done]
    asked, shared = 0, models
    try:
        for name in dict.fromkeys(question.db for question in left):
            own = [question for question in left if question.db == name]
            agent, shared = _open(name, data, work, shared)
            with agent:
                for question in own:
                    record = _ask(agent, question, key)
                    results.append(record)
                    asked += 1
                    _say(_progress(asked, len(left), record))
    finally:
        if shared is not None and models is None:
            asyncio.run(_close(shared.values()))


def _open(
    name: str, data: Path, work: Path, models: "dict[Role, ChatModel] | None"
) -> "tuple[Agent, dict[Role, ChatModel]]":
    """Ingests a database (cheap when unchanged) and opens an agent with the shared models."""
    # Imported here: OpenMP must be told to wait passively before anything loads it.
    from agent.api import Agent
    from agent.assembly import make_models
    from agent.settings import load_settings
    from ingest.pipeline import run_ingest

    path = work / name
    settings = load_settings(path)
    found = run_ingest(path, [data / "db" / name / "csv"], settings=settings.ingest_with_kb)
    for failure in (*found.tables.failed, *found.documents.failed):
        _say(f"{name}: failed: {failure.path}: {failure.reason}")
    shared = make_models(settings, _say) if models is None else models
    return Agent(settings, path, models=shared), shared


def _ask(agent: "Agent", question: Question, key: str) -> Record:
    started = time.monotonic()
    try:
        answer = agent.ask(question.text)
    except Exception as error:  # noqa: BLE001  A failed question is a result; the run goes on.
        told = f"{type(error).__name__}: {error}"
        seconds = round(time.monotonic() - started, 2)
        return Record(question.id, question.db, "error", key, seconds=seconds, error=told)
    return _record(agent, question, answer, key, time.monotonic() - started)


def _record(
    agent: "Agent", question: Question, answer: "Answer", key: str, seconds: float
) -> Record:
    """The answer carries the first 100 rows of its evidence; all of them are in the memory."""
    known = agent._memory.evidence(answer.thread_id)
    cited = [known[c.evidence_id] for c in answer.citations if c.evidence_id in known]
    whole = [e.rows for e in cited if e.columns and not e.truncated]
    found = score(answer.status, answer.text, whole, question.gold_rows)
    tried = [str(s.arguments.get("query")) for s in answer.steps if s.tool == "sql"]
    queries = [e.query for e in cited if e.kind == "rows" and e.query] or tried
    usage = answer.usage
    return Record(
        id=question.id,
        db=question.db,
        status=answer.status,
        key=key,
        correct=found.correct,
        rows_ok=found.rows_ok,
        stands_in_text=found.stands_in_text,
        confidence=answer.confidence,
        llm_calls=usage.llm_calls,
        input_tokens=usage.input_tokens,
        cached_input_tokens=usage.cached_input_tokens,
        output_tokens=usage.output_tokens,
        seconds=round(seconds, 2),
        sql=list(dict.fromkeys(queries)),
        text=answer.text,
        model=answer.audit.model,
        trace_id=answer.trace_id,
    )


async def _close(models: "Iterable[ChatModel]") -> None:
    for model in {id(m): m for m in models}.values():
        await model.aclose()


def _prepare(results: Results, keep: bool) -> str:
    """The key of the code as it is now; results of other code are set aside unless kept."""
    from agent.assemble import product_version

    key = code_key(ROOT, product_version())
    aside = None if keep else results.set_aside(key)
    if aside is not None:
        _say(f"the code is another than that of the results: they are now in {aside}")
    return key


def _wanted(questions: list[Question], only: str, limit: int | None) -> list[Question]:
    names = {name for name in only.split(",") if name}
    unknown = names - {question.db for question in questions}
    if unknown:
        raise SystemExit(f"no questions on {', '.join(sorted(unknown))}")
    return [q for q in questions if not names or q.db in names][:limit]


def _progress(at: int, total: int, record: Record) -> str:
    verdict = "correct" if record.correct else record.error or "not correct"
    return (
        f"{at}/{total} {record.id} ({record.db}): {record.status}, {verdict},"
        f" {record.llm_calls} calls, {record.seconds:.1f} s"
    )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description="The benchmark of answers.")
    parser.add_argument("--data", type=Path, required=True, help="questions and databases")
    parser.add_argument("--work", type=Path, default=Path(".bench"), help="stores and results")
    parser.add_argument("--all", action="store_true", help="all questions instead of the 48")
    parser.add_argument("--only", default="", help="these databases, with commas between them")
    parser.add_argument("--limit", type=int, help="at most so many questions")
    parser.add_argument("--redo", action="store_true", help="ask again what has a result")
    parser.add_argument("--keep", action="store_true", help="go on with results of other code")
    parser.add_argument("--report", action="store_true", help="only the report, nothing runs")
    parser.add_argument("--verdicts", type=Path, help="a person's kinds of wrong answers")
    return parser


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)  # noqa: T201


def _print(text: str) -> None:
    print(text, flush=True)  # noqa: T201


if __name__ == "__main__":
    wait_passively()
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
