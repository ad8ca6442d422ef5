import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from reranker.features import NAMES
from reranker.fit import Case, fit_answer, fit_order, fit_orders, newton, ranking, shares


def make_case(x: Any, gold: list[bool], kind: str = "answerable", lost: int = 0) -> Case:
    return Case("set", kind, 0, "ja", np.array(x, dtype=float), np.array(gold), lost)


def rows(*named: dict[str, float]) -> list[list[float]]:
    return [[row.get(name, 0.0) for name in NAMES] for row in named]


def test_newton_finds_the_log_odds() -> None:
    """Three of four: log(3), with a penalty too small to see."""

    def likelihood(weights: Any) -> float:
        return float(3 * weights[0] - 4 * np.logaddexp(0, weights[0]))

    def slopes(weights: Any) -> Any:
        p = 1 / (1 + np.exp(-weights[0]))
        return np.array([3 - 4 * p]), np.array([[4 * p * (1 - p)]])

    found = newton(likelihood, slopes, np.zeros(1), np.ones(1, dtype=bool), 1e-9)
    assert found == pytest.approx([np.log(3)], abs=1e-4)


def test_a_set_counts_by_the_root_of_its_size() -> None:
    weights = shares(["a"] * 4 + ["b"])
    assert weights.mean() == pytest.approx(1.0)
    assert weights[:4].sum() / weights[4] == pytest.approx(2.0)  # √4 : √1


def test_a_weight_of_the_wrong_sign_is_left_out() -> None:
    """`words` against the right one, `rare_words` with it."""
    case = make_case(rows({"rare_words": 1}, {"words": 1}), [True, False])
    weights = fit_order([case] * 20)
    assert weights[NAMES.index("words")] == 0.0
    assert weights[NAMES.index("rare_words")] > 1


def test_the_threshold_leaves_two_in_a_hundred_answerable_queries_empty() -> None:
    answerable = [make_case(rows({"cosine": n / 50}), [True]) for n in range(100)]
    absent = [make_case(rows({"cosine": -n / 50}), [False], "absent") for n in range(100)]
    orders = fit_orders([make_case(rows({"cosine": 1}, {}), [True, False])])
    model = fit_answer([*answerable, *absent], orders)
    # every query has the share 1/100: the second one reaches 0.02 and is the first at the line
    assert sum(model.value(c) < 0 for c in answerable) == 1
    assert all(model.value(c) < 0 for c in absent[1:])


def test_ranking_is_recall_at_5_and_mean_reciprocal_rank() -> None:
    x = rows({"cosine": 3}, {"cosine": 2}, {"cosine": 1})
    order = np.array([float(n == "cosine") for n in NAMES])
    second, first = make_case(x, [False, True, False]), make_case(x, [True, False, False])
    halved = make_case(x, [True, False, False], lost=1)
    assert ranking([second, first], {"ja": order}) == (1.0, 0.75)
    assert ranking([halved], {"ja": order}) == (0.5, 1.0)


def test_the_command_prints_the_tables(tmp_path: Path) -> None:
    lines = []
    for n in range(24):
        right = {"id": "r", "text": f"返品{n}番の期限", "cosine": 0.9, "bm25": 9.0}
        wrong = {"id": "w", "text": "照明の点検", "cosine": 0.8, "bm25": 1.0}
        record = {"set": "s", "half": n % 2, "query": f"返品{n}番", "gold": ["r"]}
        lines.append(json.dumps(record | {"kind": "answerable", "candidates": [right, wrong]}))
        absent = record | {"kind": "absent", "gold": [], "candidates": [wrong]}
        lines.append(json.dumps(absent))
    file = tmp_path / "candidates.jsonl"
    file.write_text("\n".join(lines), encoding="utf-8")
    out = subprocess.check_output([sys.executable, "-m", "reranker.fit", str(file)], text=True)
    assert "s                    shown   R@5 1.000 MRR 1.000  answerable empty 0.000 of 12" in out
    assert "absent empty 1.000 of 12" in out
    assert 'RANK ja = {"cosine": ' in out and "BIAS = {" in out and 'ANSWER = {"cosine": ' in out
