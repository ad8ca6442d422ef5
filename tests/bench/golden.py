"""The benchmark of the sample company: the golden questions through the configured model.

    python -m tests.bench.golden [--work DIR] [--only t01,d02] [--kind document,both] [--limit N]
                                 [--passages sentences,whole,sections] [--redo] [--report]

Right: the status is one of those expected, and for what is to be answered each expected value
stands in the text and each expected source is cited. Each question adds a line to
`<work>/golden.jsonl` at once; one that is there is not asked again. A follow-up is asked in the
thread of the question before it, which is asked again when it is not of this run.

`--passages` asks with what the model sees of a passage: the sentences that matter (the default),
the whole passage, or the section around it; of several, side by side.
"""

import argparse
import asyncio
import json
import shutil
import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

from agent.models.llama_server import wait_passively
from tests.bench.in_text import stands_in
from tests.bench.scoring import cell
from tools.knowledge.settings import KnowledgeSettings

if TYPE_CHECKING:
    from agent.answer import Answer
    from agent.api import Agent

ROOT = Path(__file__).resolve().parents[2]
DELIVERED = ("answered", "partial")
PASSAGES = {
    "sentences": KnowledgeSettings(),
    "whole": KnowledgeSettings(result_tokens=2500),
    "sections": KnowledgeSettings(result_tokens=2500, sections=True),
}
"""Five passages of at most 500 tokens are whole in 2,500."""


@dataclass(frozen=True)
class Outcome:
    id: str
    kind: str
    lang: str
    status: str
    right: bool
    why: str
    confidence: float = 0.0
    llm_calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    seconds: float = 0.0
    text: str = ""
    sources: tuple[str, ...] = ()
    sql: tuple[str, ...] = ()


def main(arguments: Sequence[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    wait_passively()
    golden = _golden(ROOT / "eval_data" / "golden.jsonl")
    kinds = options.kind.split(",") if options.kind else {q["kind"] for q in golden}
    wanted = [q for q in golden if not options.only or q["id"] in options.only.split(",")]
    wanted = [q for q in wanted if q["kind"] in kinds][: options.limit]
    for name in options.passages.split(","):
        path = options.work / f"golden{'' if name == 'sentences' else '_' + name}.jsonl"
        if options.redo and path.exists():
            path.unlink()
        if not options.report:
            _run(wanted, {q["id"]: q for q in golden}, options.work, path, PASSAGES[name])
        done = _read(path)
        _say(f"what the model sees of a passage: {name}")
        _say(report([done[q["id"]] for q in wanted if q["id"] in done]))
    return 0


def judge(expect: dict[str, Any], status: str, text: str, sources: Sequence[str]) -> str:
    """ "" for a right answer, else what is wrong with it."""
    if status not in expect["status"]:
        return f"{status}, expected {' or '.join(expect['status'])}"
    if status not in DELIVERED:
        return ""
    missing = [str(v) for v in expect["values"] if not stands_in(text, cell(v))]
    if missing:
        return f"not in the text: {', '.join(missing)}"
    uncited = [s for s in expect["sources"] if not any(s in source for source in sources)]
    return f"not cited: {', '.join(uncited)}" if uncited else ""


def report(outcomes: Sequence[Outcome]) -> str:
    """A line for each kind and in all, then the questions that went wrong."""
    lines = [f"{'kind':<10} {'n':>3} {'right':>6} {'wrong but delivered':>20} {'handed off':>11}"]
    kinds = [*dict.fromkeys(o.kind for o in outcomes), "all"]
    for kind in kinds:
        own = [o for o in outcomes if kind in (o.kind, "all")]
        count = Counter(
            "right" if o.right else "wrong" if o.status in DELIVERED else "other" for o in own
        )
        handed = sum(o.status == "handed_off" for o in own)
        lines.append(
            f"{kind:<10} {len(own):>3} {count['right']:>6} {count['wrong']:>20} {handed:>11}"
        )
    if outcomes:
        calls = sum(o.llm_calls for o in outcomes) / len(outcomes)
        seconds = sorted(o.seconds for o in outcomes)[len(outcomes) // 2]
        read, written = (
            sum(getattr(o, name) for o in outcomes) / len(outcomes)
            for name in ("input_tokens", "output_tokens")
        )
        lines.append(
            f"model calls {calls:.1f} a question, {read:,.0f} tokens read and {written:,.0f} "
            f"written, median {seconds:.1f} s"
        )
    return "\n".join([*lines, *(f"- {o.id}: {o.why}" for o in outcomes if not o.right)])


def _run(
    wanted: Sequence[dict[str, Any]],
    golden: dict[str, dict[str, Any]],
    work: Path,
    path: Path,
    knowledge: KnowledgeSettings,
) -> None:
    # Imported here: OpenMP must be told to wait passively before anything loads it.
    from agent.api import Agent
    from agent.assembly import make_models
    from agent.settings import load_settings
    from ingest.pipeline import run_ingest

    data = work / "company"
    data.mkdir(parents=True, exist_ok=True)
    shutil.copy(ROOT / "eval_data" / "catalog.yaml", data / "catalog.yaml")
    settings = load_settings(data).model_copy(update={"knowledge": knowledge})
    run_ingest(data, [ROOT / "eval_data" / "company"], settings=settings.ingest_with_kb)
    left = [q for q in wanted if q["id"] not in _read(path)]
    models = make_models(settings, _say)
    try:
        today = date.fromisoformat(left[0]["today"]) if left else date.min
        with Agent(settings, data, models=models, today=today) as agent:
            threads: dict[str, str] = {}
            for number, question in enumerate(left, 1):
                outcome = _ask(agent, question, golden, threads)
                with path.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(asdict(outcome), ensure_ascii=False) + "\n")
                verdict = "right" if outcome.right else outcome.why
                _say(f"{number}/{len(left)} {outcome.id}: {verdict}, {outcome.seconds} s")
    finally:
        for model in {id(m): m for m in models.values()}.values():
            asyncio.run(model.aclose())


def _ask(
    agent: "Agent",
    question: dict[str, Any],
    golden: dict[str, dict[str, Any]],
    threads: dict[str, str],
) -> Outcome:
    before = question["follows"]
    if before and before not in threads:
        threads[before] = agent.ask(golden[before]["question"]).thread_id
    started = time.monotonic()
    answer = agent.ask(question["question"], thread_id=threads.get(before) if before else None)
    threads[question["id"]] = answer.thread_id
    sources = _sources(answer)
    why = judge(question["expect"], answer.status, answer.text, sources)
    return Outcome(
        id=question["id"],
        kind=question["kind"],
        lang=question["lang"],
        status=answer.status,
        right=not why,
        why=why,
        confidence=answer.confidence,
        llm_calls=answer.usage.llm_calls,
        input_tokens=answer.usage.input_tokens,
        output_tokens=answer.usage.output_tokens,
        seconds=round(time.monotonic() - started, 1),
        text=answer.text,
        sources=sources,
        sql=tuple(str(s.arguments.get("query", s.arguments)) for s in answer.steps),
    )


def _sources(answer: "Answer") -> tuple[str, ...]:
    """What is cited, and what a cited calculation read."""
    cited = [c.source for c in answer.citations]
    return tuple(dict.fromkeys([*cited, *(e.source for e in answer.evidence)]))


def _golden(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def _read(path: Path) -> dict[str, Outcome]:
    if not path.is_file():
        return {}
    lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    return {line["id"]: Outcome(**line) for line in lines}


def _say(text: str) -> None:
    print(text, flush=True)  # noqa: T201


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.golden", description=__doc__)
    parser.add_argument("--work", type=Path, default=Path(".bench"))
    parser.add_argument("--only", default="", help="ids, separated by commas")
    parser.add_argument("--kind", default="", help="table, document, both, none")
    parser.add_argument("--passages", default="sentences", help=", ".join(PASSAGES))
    parser.add_argument("--limit", type=int, default=None)
    parser.add_argument("--redo", action="store_true", help="ask again what has a result")
    parser.add_argument(
        "--report", action="store_true", help="only print the results that are there"
    )
    return parser


if __name__ == "__main__":
    sys.exit(main())
