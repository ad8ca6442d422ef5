"""Ranking metrics against values worked out by hand."""

import math

import pytest

from tests.bench.retrieval_metrics import ndcg, percentile, recall, reciprocal_rank


def test_recall_is_the_share_of_right_ids_within_k() -> None:
    assert recall(["a", "b", "c"], {"b", "z"}, 2) == 0.5
    assert recall(["a", "b", "c"], {"c"}, 2) == 0.0


def test_the_reciprocal_rank_is_of_the_first_right_id_within_ten() -> None:
    assert reciprocal_rank(["a", "b", "c"], {"b", "c"}) == 0.5
    assert reciprocal_rank([str(n) for n in range(20)], {"10"}) == 0.0


def test_ndcg_discounts_by_the_logarithm_of_the_rank() -> None:
    # right at ranks 1 and 3: (1 + 1/log2(4)) over the ideal 1 + 1/log2(3)
    expected = 1.5 / (1 + 1 / math.log2(3))
    assert ndcg(["a", "x", "b"], {"a", "b"}) == pytest.approx(expected)
    assert ndcg(["a", "b"], {"a", "b"}) == pytest.approx(1.0)


def test_percentiles_of_nothing_are_nothing() -> None:
    assert percentile([], 0.95) == 0.0
    assert percentile([1.0, 2.0, 3.0], 0.5) == 2.0
