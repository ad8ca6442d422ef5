"""Fits the deterministic second stage on one half of the queries, shows it on the other, and
prints the tables of `weights.py`.

    python -m reranker.fit FILE

A line of the file (`python -m tests.bench.retrieval --candidates FILE` writes it) is a query with
its first-stage candidates: `set, kind, half (0 to fit on, 1 to show), query, gold (ids),
candidates[{id, text, heading, language, fused, cosine, bm25, …}]`. Kinds: `answerable`;
`reworded` (answerable, half of its words gone from the sparse side); `absent` (nothing in the set
answers it); `near` (on the subject of a passage that does not answer it; shown only).

The order of candidates is fitted by the likelihood of the right ones among a query's candidates
(conditional logit: McFadden 1974), the answer model by a logistic regression over what the
candidates offer together. A set counts by the square root of its number of queries. Parts of a
set ("company, ja only") judge whether a question is answered; their order is the set's.
"""

import argparse
import json
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from reranker.base import Candidate
from reranker.features import LANGUAGES, NAMES, compare, features, of_list
from reranker.text import Language

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
MAY_BE_EMPTY = 0.02
"""The share of answerable queries that stay under the threshold in the half that is fitted on,
every set counting the same."""
FIXED = {"identifiers_missing": -2.0}
"""By hand: the sets hold hardly any codes, and a passage without the code that was asked for
answers only if everything else speaks for it."""
SIGNS = np.array([0.0 if n == "foreign" or n in FIXED else 1.0 for n in NAMES])
"""What a feature may do: more of it never speaks against its meaning."""
RANKED = np.array([n not in ("foreign", *FIXED) for n in NAMES])
JUDGED = np.array([n in ("cosine", "words", "foreign") for n in NAMES])
"""The columns that are fitted; more of them judged no better on the other half."""


@dataclass(frozen=True)
class Case:
    """One query: its language, features (n, k) of its candidates, which are right, and how many
    right ones the first stage did not find."""

    set: str
    kind: str
    half: int
    asked: Language
    x: Floats
    gold: Bools
    lost: int = 0

    @property
    def family(self) -> str:
        return self.set.partition(",")[0]


Orders = Mapping[Language, Floats]


@dataclass(frozen=True)
class Model:
    orders: Orders
    biases: Mapping[Language, float]
    answer: Floats

    def value(self, case: Case) -> float:
        """0 is the threshold."""
        offered = first(case, self.orders)
        return self.biases[case.asked] + float(offered @ self.answer)


def read_case(line: str) -> Case | None:
    """None when the first stage found nothing."""
    record = json.loads(line)
    found = record["candidates"]
    if not found:
        return None
    candidates = [Candidate(**{k: v for k, v in c.items() if k != "id"}) for c in found]
    comparisons = compare(record["query"], candidates)
    gold = np.array([c["id"] in record["gold"] for c in found])
    return Case(
        record["set"],
        record["kind"],
        record["half"],
        comparisons[0].asked,
        features(comparisons),
        gold,
        len(record["gold"]) - int(gold.sum()),
    )


def first(case: Case, orders: Orders) -> Floats:
    """What the candidates offer together, with the first of their order."""
    return of_list(case.x, int((case.x @ orders[case.asked]).argmax()))


def shares(groups: Sequence[object], power: float = 0.5) -> Floats:
    """Weights by which a group of n counts as n ** power; their mean is 1."""
    sizes = Counter(groups)
    weights = np.array([sizes[g] ** (power - 1) for g in groups])
    out: Floats = weights * len(groups) / weights.sum()
    return out


def fit_orders(cases: Sequence[Case]) -> dict[Language, Floats]:
    """By the query's language; one without letters is taken for the first."""
    orders = {name: fit_order([c for c in cases if c.asked == name]) for name in LANGUAGES}
    return {**orders, "other": orders[LANGUAGES[0]]}


def fit_order(cases: Sequence[Case], allowed: Bools = RANKED, l2: float = 1.0) -> Floats:
    """Weights (k,). A column whose weight comes out with the wrong sign is left out."""
    asked = [c for c in cases if c.gold.any() and c.set == c.family]
    share = shares([c.set for c in asked])
    fixed = np.array([FIXED.get(n, 0.0) for n in NAMES])

    def likelihood(weights: Floats) -> float:
        means = [float(np.log(_softmax(c.x @ weights)[c.gold]).mean()) for c in asked]
        return float(share @ np.array(means))

    def slopes(weights: Floats) -> tuple[Floats, Floats]:
        gradient, hessian = np.zeros(len(NAMES)), np.zeros((len(NAMES), len(NAMES)))
        for s, case in zip(share, asked, strict=True):
            p = _softmax(case.x @ weights)
            mean = p @ case.x
            gradient += s * (case.x[case.gold].mean(axis=0) - mean)
            hessian += s * ((case.x * p[:, None]).T @ case.x - np.outer(mean, mean))
        return gradient, hessian

    while True:
        weights = newton(likelihood, slopes, fixed, allowed, l2)
        wrong = (weights * SIGNS < 0) & allowed
        if not wrong.any():
            return weights
        allowed = allowed & ~wrong


def fit_answer(cases: Sequence[Case], orders: Orders) -> Model:
    """Every set counts the same, and in it the answerable queries as much as the others."""
    spoken = [[float(c.asked == n) for n in LANGUAGES] for c in cases]
    x = np.hstack([np.array(spoken), np.array([first(c, orders) for c in cases])])
    y = np.array([float(c.kind != "absent") for c in cases])
    share = shares([(c.family, c.kind == "absent") for c in cases], 0.0)
    languages = np.ones(len(LANGUAGES), dtype=bool)
    fixed = np.array([*np.zeros(len(LANGUAGES)), *(FIXED.get(n, 0.0) for n in NAMES)])

    def likelihood(weights: Floats) -> float:
        z = x @ weights
        return float((share * (y * z - np.logaddexp(0, z))).sum())

    def slopes(weights: Floats) -> tuple[Floats, Floats]:
        p = 1 / (1 + np.exp(-x @ weights))
        return x.T @ (share * (y - p)), (x * (share * p * (1 - p))[:, None]).T @ x

    chosen = np.concatenate([languages, JUDGED])
    weights = newton(likelihood, slopes, fixed, chosen, 1.0)
    biases = dict(zip(LANGUAGES, map(float, weights), strict=False))
    model = Model(orders, biases | {"other": min(biases.values())}, weights[len(LANGUAGES) :])
    return _at_threshold(model, [c for c in cases if c.kind == "answerable"])


def newton(
    likelihood: Callable[[Floats], float],
    slopes: Callable[[Floats], tuple[Floats, Floats]],
    start: Floats,
    columns: Bools,
    l2: float,
) -> Floats:
    """The weights of the greatest penalised likelihood, `columns` moving from `start`; a step that
    would lower it is halved."""

    def penalised(weights: Floats) -> float:
        return likelihood(weights) - l2 / 2 * float((weights[columns] ** 2).sum())

    weights, height = start.copy(), penalised(start)
    for _ in range(100):
        gradient, hessian = slopes(weights)
        descent = gradient[columns] - l2 * weights[columns]
        step = np.linalg.solve(
            hessian[np.ix_(columns, columns)] + l2 * np.eye(columns.sum()), descent
        )
        reached, size = height - 1.0, 2.0
        while reached < height and size > 1e-6:
            size /= 2
            moved = weights.copy()
            moved[columns] += size * step
            reached = penalised(moved)
        if reached - height < 1e-8:
            break
        weights, height = moved, reached
    return weights


def _at_threshold(model: Model, answerable: Sequence[Case]) -> Model:
    """With the biases moved so that `MAY_BE_EMPTY` of these are under 0."""
    values = np.array([model.value(c) for c in answerable])
    share = shares([c.family for c in answerable], 0.0)
    order = np.argsort(values)
    under = np.cumsum(share[order]) / share.sum()
    line = float(values[order][np.searchsorted(under, MAY_BE_EMPTY)])
    moved = {name: bias - line for name, bias in model.biases.items()}
    return replace(model, biases=moved)


def _softmax(values: Floats) -> Floats:
    powers = np.exp(values - values.max())
    out: Floats = powers / powers.sum()
    return out


def ranking(cases: Sequence[Case], orders: Orders) -> tuple[float, float]:
    """(Recall@5, MRR@10)."""
    recalls, reciprocals = [], []
    for case in cases:
        right = case.gold[np.argsort(-(case.x @ orders[case.asked]), kind="stable")][:10]
        recalls.append(right[:5].sum() / (case.gold.sum() + case.lost))
        reciprocals.append(1 / (1 + int(right.argmax())) if right.any() else 0.0)
    return float(np.mean(recalls)), float(np.mean(reciprocals))


def report(cases: Sequence[Case], model: Model) -> list[str]:
    """By set and half: the ranking, and the share of each kind that comes back empty."""
    lines = []
    for name in [*sorted({c.set for c in cases}), "all"]:
        for half, word in enumerate(("fitted", "shown")):
            parts = [f"{name:<20} {word:<6}"]
            for kind in ("answerable", "reworded", "absent", "near"):
                here = [
                    c for c in cases if name in (c.set, "all") and (c.half, c.kind) == (half, kind)
                ]
                if here and kind == "answerable":
                    parts.append("R@5 {:.3f} MRR {:.3f}".format(*ranking(here, model.orders)))
                if here:
                    empty = float(np.mean([model.value(c) < 0 for c in here]))
                    parts.append(f"{kind} empty {empty:.3f} of {len(here)}")
            lines.append("  ".join(parts))
    return lines


def literal(weights: Floats) -> str:
    pairs = (f'"{n}": {w:.3f}' for n, w in zip(NAMES, weights, strict=True) if w)
    return "{" + ", ".join(pairs) + "}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("file", type=Path)
    with parser.parse_args().file.open(encoding="utf-8") as lines:
        cases = [case for case in map(read_case, lines) if case is not None]
    fitting = [c for c in cases if c.half == 0 and c.kind != "near"]
    model = fit_answer(fitting, fit_orders(fitting))
    biases = ", ".join(f'"{n}": {v:.3f}' for n, v in model.biases.items())
    tables = [
        *(f"RANK {name} = {literal(order)}" for name, order in model.orders.items()),
        f"BIAS = {{{biases}}}",
        f"ANSWER = {literal(model.answer)}",
    ]
    sys.stdout.write("\n".join([*report(cases, model), *tables]) + "\n")


if __name__ == "__main__":
    main()
