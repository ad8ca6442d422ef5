"""Fits the deterministic second stage and prints `weights.py`.

    python -m reranker.fit DIRECTORY…

A directory holds `<set>.jsonl`, `<set>.small.jsonl` and `<set>.small-reworded.jsonl` (as
`ingest.index.first_stage` writes them), one line a query: `query`, `gold` (ids) and `candidates`
with `id, text, fused, cosine, bm25, dense_rank, sparse_rank`. Every query is used twice: with its
candidates, and with the gold ones taken away, when nothing among the rest is right.

Fitted on whole sets alone, questions in other words than the passage's, and small knowledge
bases, fall under the threshold almost always; hence the mix.
"""

import argparse
import json
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from reranker.base import Candidate
from reranker.features import LANGUAGES, NAMES, compare, features
from reranker.text import Language, language

Floats = NDArray[np.float64]
MIX = {"": 4, ".small": 1, ".small-reworded": 1}
"""How often the cases of each file are counted."""
SIGNS = np.array([-1 if n.endswith("_missing") else 0 if n == "bias" else 1 for n in NAMES])
"""What a feature may do: more of it never speaks against its meaning."""
LEXICAL = np.array([float(n != "identifiers_missing") for n in NAMES])
"""Columns fitted for a language; the sets hold too few codes to say anything about them."""
DENSE = np.array([float(n in ("bias", "fused") or n.startswith("cosine")) for n in NAMES])
"""Columns fitted for pairs without a common language."""
FOLDS = 5
BELOW = 0.66
"""The share of unanswerable queries whose best candidate stays under the threshold."""


@dataclass(frozen=True)
class Case:
    """One query: features (n, k) and labels (n,) of its candidates, ids in first-stage order."""

    ids: tuple[str, ...]
    candidates: tuple[Candidate, ...]
    gold: frozenset[str]
    x: Floats
    y: Floats
    absent: Floats
    """Features of the candidates without the gold ones."""
    count: int


Sets = dict[str, list[Case]]
Judged = tuple[Case, Floats, Floats]


def read_case(line: str, count: int) -> Case | None:
    record = json.loads(line)
    query, gold = record["query"], frozenset(record["gold"])
    ids = tuple(c["id"] for c in record["candidates"])
    candidates = tuple(
        Candidate(**{k: v for k, v in c.items() if k != "id"}) for c in record["candidates"]
    )
    rest = [c for i, c in zip(ids, candidates, strict=True) if i not in gold]
    if not gold or not rest:
        return None
    return Case(
        ids,
        candidates,
        gold,
        features(compare(query, candidates), candidates),
        np.array([float(i in gold) for i in ids]),
        features(compare(query, rest), rest),
        count,
    )


def read_cases(path: Path, count: int) -> list[Case]:
    with path.open(encoding="utf-8") as lines:
        cases = (read_case(line, count) for line in lines)
        return [case for case in cases if case is not None]


def language_of(cases: Sequence[Case]) -> Language:
    texts = [c.candidates[0].text for c in cases]
    found = [language(t, kanji="zh") for t in texts]
    return max(LANGUAGES, key=found.count)


def logistic(x: Floats, y: Floats, allowed: Floats, l2: float = 1.0) -> Floats:
    """Newton's method on the penalised log-likelihood; weights of disallowed columns are 0."""
    weights = np.zeros(x.shape[1])
    columns = np.flatnonzero(allowed)
    part, penalty = x[:, columns], np.full(len(columns), l2)
    penalty[columns == 0] = 1e-9
    for _ in range(100):
        p = 1 / (1 + np.exp(-part @ weights[columns]))
        gradient = part.T @ (y - p) - penalty * weights[columns]
        hessian = (part * (p * (1 - p))[:, None]).T @ part + np.diag(penalty)
        step = np.linalg.solve(hessian, gradient)
        weights[columns] += step
        if np.abs(step).max() < 1e-8:
            break
    return weights


def fit(cases: Sequence[Case], allowed: Floats) -> Floats:
    """Columns whose weight comes out with the wrong sign are left out and the rest refitted."""
    x = np.vstack([m for c in cases for m in (c.x, c.absent) * c.count])
    y = np.concatenate([v for c in cases for v in (c.y, np.zeros(len(c.absent))) * c.count])
    while True:
        weights = logistic(x, y, allowed)
        wrong = (weights * SIGNS < 0) & (allowed > 0)
        if not wrong.any():
            return weights
        allowed = np.where(wrong, 0.0, allowed)


def threshold(cases: Sequence[Case], weights: Floats) -> float:
    best = [(c.absent @ weights).max() for c in cases for _ in range(c.count)]
    return float(np.quantile(best, BELOW))


def cross_validated(sets: Sets, allowed: Floats) -> dict[str, list[Judged]]:
    """Every case with the scores (0 is the threshold) that a fit on the other folds gives to its
    candidates, and to those without the gold ones; by file."""
    out: dict[str, list[Judged]] = {name: [] for name in sets}
    for fold in range(FOLDS):
        others = [c for v in sets.values() for i, c in enumerate(v) if i % FOLDS != fold]
        weights = fit(others, allowed)
        line = threshold(others, weights)
        for name, cases in sets.items():
            out[name] += [
                (c, c.x @ weights - line, c.absent @ weights - line) for c in cases[fold::FOLDS]
            ]
    return out


def ranking(cases: Iterable[tuple[Case, Floats]]) -> tuple[float, float]:
    """(Recall@5, MRR@10)."""
    recalls, reciprocals = [], []
    for case, scores in cases:
        ids = [case.ids[i] for i in np.argsort(-scores, kind="stable")][:10]
        recalls.append(len(case.gold & set(ids[:5])) / len(case.gold))
        places = (1 / rank for rank, i in enumerate(ids, start=1) if i in case.gold)
        reciprocals.append(next(places, 0.0))
    return float(np.mean(recalls)), float(np.mean(reciprocals))


FIRST_STAGE: dict[str, Callable[[Candidate], float]] = {
    "BM25": lambda c: -(c.sparse_rank or 1000),
    "dense": lambda c: -(c.dense_rank or 1000),
    "RRF": lambda c: c.fused,
}


def report(name: str, cases: Sequence[Case], judged: Sequence[Judged]) -> list[str]:
    lines = [f"{name}: {len(cases)} queries"]
    for strategy, key in FIRST_STAGE.items():
        order = ((c, np.array([key(x) for x in c.candidates])) for c in cases)
        lines.append("  {:<12} R@5 {:.3f}  MRR {:.3f}".format(strategy, *ranking(order)))
    recall, mrr = ranking((c, scores) for c, scores, _ in judged)
    kept = np.mean([bool((s[c.y > 0] >= 0).any()) for c, s, _ in judged])
    below = np.mean([a.max() < 0 for _, _, a in judged])
    lines.append(f"  second stage R@5 {recall:.3f}  MRR {mrr:.3f}  ({FOLDS}-fold)")
    lines.append(f"  threshold: gold of {kept:.2f} above, {below:.2f} of unanswerable below")
    return lines


def literal(weights: Floats) -> str:
    pairs = ", ".join(f'"{n}": {w:.3f}' for n, w in zip(NAMES, weights, strict=True) if w)
    return f"{{{pairs}}}"


def centred(cases: Sequence[Case], allowed: Floats) -> Floats:
    """Weights of all cases, the bias moved so that the threshold is at 0 (a score of 0.5)."""
    weights = fit(cases, allowed)
    weights[0] -= threshold(cases, weights)
    return weights


def fit_language(name: str, sets: Sets, allowed: Floats) -> tuple[list[str], Floats]:
    """The lines of the report, and the weights; sets of one language, by file."""
    judged = cross_validated(sets, allowed)
    lines = [line for file in sets for line in report(file, sets[file], judged[file])]
    cases = [c for v in sets.values() for c in v]
    weights = centred(cases, allowed)
    for file, own in sets.items():
        shipped = ranking((c, c.x @ weights) for c in own)
        lines.append("  {} with all folds R@5 {:.3f}  MRR {:.3f}".format(file, *shipped))
    return [*lines, f'"{name}": {literal(weights)},'], weights


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("directories", type=Path, nargs="+")
    by_language: dict[str, Sets] = {}
    for directory in parser.parse_args().directories:
        names = {p.name.split(".")[0] for p in directory.glob("*.jsonl")}
        for name in sorted(names):
            sets = {
                name + suffix: read_cases(directory / f"{name}{suffix}.jsonl", count)
                for suffix, count in MIX.items()
            }
            by_language.setdefault(language_of(sets[name]), {}).update(sets)
    lines: list[str] = []
    for name, sets in by_language.items():
        lines += fit_language(name, sets, LEXICAL)[0]
    lines += fit_language(
        "other", {k: v for s in by_language.values() for k, v in s.items()}, DENSE
    )[0]
    sys.stdout.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
