import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from reranker import Candidate
from reranker.features import NAMES
from reranker.fit import Case, fit, logistic, ranking, threshold


def make_case(x: Any, y: list[float], absent: Any = ((1.0,),), count: int = 1) -> Case:
    return Case(
        ids=tuple("abc"[: len(y)]),
        candidates=(Candidate("t"),) * len(y),
        gold=frozenset(i for i, v in zip("abc", y, strict=False) if v),
        x=np.array(x, dtype=float),
        y=np.array(y),
        absent=np.array(absent, dtype=float),
        count=count,
    )


def test_a_bias_alone_is_the_log_odds() -> None:
    weights = logistic(np.ones((4, 1)), np.array([1.0, 0, 0, 0]), np.ones(1))
    assert weights == pytest.approx([np.log(1 / 3)], abs=1e-6)


def test_a_disallowed_column_has_no_weight() -> None:
    x = np.array([[1.0, 3.0], [1.0, -3.0]] * 5)
    weights = logistic(x, np.array([1.0, 0.0] * 5), np.array([1.0, 0.0]))
    assert weights[1] == 0.0


def test_a_weight_of_the_wrong_sign_is_left_out() -> None:
    """`words` against the labels, `rare_words` with them."""
    words, rare = NAMES.index("words"), NAMES.index("rare_words")
    x = np.zeros((2, len(NAMES)))
    x[:, 0] = 1
    x[0, rare] = x[1, words] = 1
    case = make_case(x, [1.0, 0.0], absent=x[1:])
    weights = fit([case] * 20, np.ones(len(NAMES)))
    assert weights[words] == 0.0
    assert weights[rare] > 0


def test_the_threshold_leaves_two_in_three_unanswerable_below() -> None:
    cases = [make_case([[0.0]], [1.0], absent=[[float(n)]]) for n in range(11)]
    assert threshold(cases, np.ones(1)) == pytest.approx(6.6)


def test_ranking_is_recall_at_5_and_mean_reciprocal_rank() -> None:
    second = make_case(np.zeros((3, 1)), [0.0, 1.0, 0.0])
    first = make_case(np.zeros((3, 1)), [1.0, 0.0, 0.0])
    scores = np.array([3.0, 2.0, 1.0])
    assert ranking([(second, scores), (first, scores)]) == (1.0, 0.75)


def test_the_command_prints_weights_of_the_sets_language(tmp_path: Path) -> None:
    lines = []
    for n in range(20):
        right = {
            "id": f"r{n}",
            "text": f"返品{n}番の期限",
            "fused": 0.03,
            "cosine": 0.9,
            "bm25": 9.0,
        }
        wrong = {"id": f"w{n}", "text": "照明の点検", "fused": 0.02, "cosine": 0.8, "bm25": 1.0}
        ranks = {"dense_rank": 1, "sparse_rank": 1}
        candidates = [right | ranks, wrong | ranks]
        record = {"query": f"返品{n}番", "gold": [f"r{n}"], "candidates": candidates}
        lines.append(json.dumps(record))
    for suffix in ("", ".small", ".small-reworded"):
        (tmp_path / f"set{suffix}.jsonl").write_text("\n".join(lines), encoding="utf-8")
    command = [sys.executable, "-m", "reranker.fit", str(tmp_path)]
    out = subprocess.check_output(command, text=True)
    assert "set: 20 queries" in out
    assert "second stage R@5 1.000  MRR 1.000" in out
    assert '"ja": {"bias": ' in out and '"other": {"bias": ' in out
