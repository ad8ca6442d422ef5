"""The benchmark of retrieval: BM25, dense, hybrid and the default pipeline, side by side.

    python -m tests.bench.retrieval --data DIR [--work DIR] [--candidates FILE]

DIR/retrieval holds one directory a set (`corpus.jsonl`, `queries.jsonl`, `qrels.tsv`); the sample
company's documents and the questions of `eval_data/retrieval` are searched as well. Vectors are
kept in the work directory: the first run embeds everything (minutes), later ones take seconds.
`--candidates` writes what `reranker.fit` reads. Exit status 1 when a target is missed.
"""

import argparse
import json
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from statistics import fmean
from typing import TextIO

from reranker import RerankerSettings, make_reranker
from reranker.text import language
from tests.bench.retrieval_data import (
    OWN,
    Corpus,
    Query,
    Vectors,
    by_language,
    read_company,
    read_set,
    unanswerable,
)
from tests.bench.retrieval_metrics import ndcg, percentile, recall, reciprocal_rank
from tests.bench.retrieval_run import Outcome, run, searching, strategies
from tools.knowledge.extract import extract
from tools.tokens import estimate_tokens

DEFAULT = "hybrid + rerank"
CJK_RECALL = 0.95
SLACK = 0.01
MOST_EMPTY, LEAST_EMPTY = 0.03, 0.8
PASSAGE_TOKENS = 50
HALVES = ("fitted on", "shown on")


def main(arguments: Sequence[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    vectors = Vectors(options.work / "vectors")
    sets = sorted(p.parent for p in (options.data / "retrieval").glob("*/corpus.jsonl"))
    if not sets:
        sys.stderr.write(f"no set in {options.data / 'retrieval'}; name its parent with --data\n")
        return 2
    nothing = unanswerable(vectors)
    misses: list[str] = []
    emptiness: list[tuple[str, Outcome]] = []
    with _output(options.candidates) as out:
        for corpus in _corpora(sets, vectors):
            lines, missed, outcomes = measure(corpus, nothing)
            _print(lines)
            misses += missed
            emptiness += [(corpus.name, o) for o in outcomes]
            if out is not None:
                out.writelines(candidate_lines(corpus.name, outcomes))
    lines, missed = threshold_report(emptiness)
    _print([*lines, *_embedding_time(vectors), ""])
    misses += missed
    _print([f"missed: {m}" for m in misses] or ["every target is met"])
    return 1 if misses else 0


def _corpora(sets: Sequence[Path], vectors: Vectors) -> Iterator[Corpus]:
    for directory in sets:
        yield read_set(directory, vectors)
    company = read_company(vectors)
    yield company
    yield from by_language(company)


def measure(corpus: Corpus, nothing: Sequence[Query]) -> tuple[list[str], list[str], list[Outcome]]:
    """The lines of its table, the targets it misses, and what the default pipeline returned for
    every query, the unanswerable ones included."""
    asked = [q for q in corpus.queries if q.kind == "answerable"]
    others = [q for q in corpus.queries if q.kind != "answerable"]
    with searching(corpus, make_reranker(RerankerSettings())) as ready:
        found = {name: run(how, asked) for name, how in strategies(ready).items()}
        rest = run(ready.default, [*others, *nothing])
    lines = [f"{corpus.name}: {len(corpus.chunks)} passages, {len(asked)} queries", HEADER]
    lines += [row(name, outcomes) for name, outcomes in found.items()]
    lines += [*compression(found[DEFAULT]), ""]
    return lines, targets(corpus, found), [*found[DEFAULT], *rest]


HEADER = (
    f"  {'':<16} {'R@5':>6} {'R@20':>6} {'MRR@10':>7} {'nDCG@10':>8} {'p50 ms':>8} {'p95 ms':>8}"
)


def row(name: str, outcomes: Sequence[Outcome]) -> str:
    ms = [o.ms for o in outcomes]
    return (
        f"  {name:<16} {_recall(outcomes, 5):6.3f} {_recall(outcomes, 20):6.3f} "
        f"{_mrr(outcomes):7.3f} {fmean(ndcg(o.ranked, o.query.gold) for o in outcomes):8.3f} "
        f"{percentile(ms, 0.5):8.2f} {percentile(ms, 0.95):8.2f}"
    )


def targets(corpus: Corpus, found: Mapping[str, Sequence[Outcome]]) -> list[str]:
    """What the default pipeline should reach on this set and does not. A part of the company's
    documents is there for the threshold only."""
    if "," in corpus.name:
        return []
    singles = ("BM25 alone", "dense alone")
    missed = []
    for name, metric in (("Recall@5", lambda o: _recall(o, 5)), ("MRR@10", _mrr)):
        ours, before = metric(found[DEFAULT]), metric(found["hybrid"])
        best = max(metric(found[s]) for s in singles)
        if ours < best - SLACK:
            missed.append(f"{corpus.name}: {name} {ours:.3f}, a single strategy {best:.3f}")
        if ours < before:
            missed.append(f"{corpus.name}: {name} {ours:.3f} after the second stage, {before:.3f}")
    spoken = {language(c.text, kanji="zh") for c in corpus.chunks[:20]}
    if (
        not corpus.name.startswith(OWN)
        and spoken & {"ja", "zh"}
        and _recall(found[DEFAULT], 5) < CJK_RECALL
    ):
        missed.append(f"{corpus.name}: Recall@5 {_recall(found[DEFAULT], 5):.3f} < {CJK_RECALL}")
    return missed


def threshold_report(outcomes: Sequence[tuple[str, Outcome]]) -> tuple[list[str], list[str]]:
    """Shares of queries that come back empty, by set and half; the targets missed on the half
    that was not fitted on."""
    reranker = make_reranker(RerankerSettings())
    lines, missed = ["Share of queries that come back empty"], []
    for half in (1, 0):
        lines.append(f"  the half that the scale was {HALVES[half]}")
        for name in [*dict.fromkeys(n for n, _ in outcomes), "all"]:
            parts = []
            for kind in ("answerable", "reworded", "absent", "near"):
                best = [
                    (o.best or 0.0) < reranker.threshold(language(o.query.text, kanji="zh"))
                    for n, o in outcomes
                    if name in (n, "all") and o.query.kind == kind and o.query.half == half
                ]
                if not best:
                    continue
                share = fmean(best)
                parts.append(f"{kind} {share:.3f} of {len(best)}")
                if name == "all" and half == 1 and kind == "answerable" and share > MOST_EMPTY:
                    missed.append(f"{share:.3f} of the answerable queries come back empty")
                if name == "all" and half == 1 and kind == "absent" and share < LEAST_EMPTY:
                    missed.append(f"only {share:.3f} of what nothing answers comes back empty")
            lines.append(f"    {name:<20} {', '.join(parts)}")
    return lines, missed


def compression(outcomes: Sequence[Outcome]) -> list[str]:
    """How often the passage that a query's answer stands in still says it when it is cut to 50
    tokens, and what that saves; for sets that come with answers."""
    kept, before, after = [], 0, 0
    for outcome in outcomes:
        for hit in outcome.hits[:5]:
            text, query = hit.chunk.text, outcome.query
            short = extract(text, query.text, PASSAGE_TOKENS)
            before, after = before + estimate_tokens(text), after + estimate_tokens(short)
            if hit.chunk.chunk_id in query.gold and any(a in text for a in query.answers):
                kept.append(any(a in short for a in query.answers))
    if not kept:
        return []
    return [
        f"  cut to {PASSAGE_TOKENS} tokens: {fmean(kept):.3f} of {len(kept)} right passages still "
        f"say the answer; {after / before:.2f} of the tokens"
    ]


def candidate_lines(name: str, outcomes: Iterable[Outcome]) -> Iterable[str]:
    for o in outcomes:
        candidates = [
            {
                "id": h.chunk.chunk_id,
                "text": h.chunk.text,
                "heading": list(h.chunk.heading),
                "language": h.chunk.language,
            }
            | h.model_dump(exclude={"chunk"})
            for h in o.hits
        ]
        record = {
            "set": name,
            "kind": o.query.kind,
            "half": o.query.half,
            "query": o.query.words,
            "gold": sorted(o.query.gold),
            "candidates": candidates,
        }
        yield json.dumps(record, ensure_ascii=False) + "\n"


def _recall(outcomes: Sequence[Outcome], k: int) -> float:
    return fmean(recall(o.ranked, o.query.gold, k) for o in outcomes)


def _mrr(outcomes: Sequence[Outcome]) -> float:
    return fmean(reciprocal_rank(o.ranked, o.query.gold) for o in outcomes)


def _embedding_time(vectors: Vectors) -> list[str]:
    """Of one query; the table's times are without it."""
    times = []
    for text in ("返品の期限は何日ですか", "退货期限是几天", "How long do customers have?") * 5:
        started = time.perf_counter()
        vectors.embedder.embed_query(text)
        times.append((time.perf_counter() - started) * 1000)
    p50, p95 = percentile(times, 0.5), percentile(times, 0.95)
    return [f"Embedding a query (e5), on top of the times above: p50 {p50:.1f} p95 {p95:.1f} ms"]


def _output(path: Path | None) -> AbstractContextManager[TextIO | None]:
    return path.open("w", encoding="utf-8") if path else nullcontext()


def _print(lines: Iterable[str]) -> None:
    sys.stdout.write("\n".join(lines) + "\n")
    sys.stdout.flush()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--work", type=Path, default=Path(".bench"))
    parser.add_argument("--candidates", type=Path)
    return parser


if __name__ == "__main__":
    sys.exit(main())
