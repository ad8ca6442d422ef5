import pytest

from ingest.index.fusion import fuse

RANKINGS = {"dense": [("a", 0.9), ("b", 0.7), ("c", 0.5)], "sparse": [("b", 8.0), ("d", 2.0)]}


def test_rrf_sums_the_reciprocal_ranks_whatever_the_weights() -> None:
    fused = fuse(RANKINGS, "rrf", {"dense": 9.0})
    assert fused == pytest.approx({"a": 1 / 61, "b": 1 / 62 + 1 / 61, "c": 1 / 63, "d": 1 / 62})


def test_weighted_rrf_multiplies_each_strategy() -> None:
    fused = fuse(RANKINGS, "weighted_rrf", {"dense": 0.5})
    assert fused["a"] == pytest.approx(0.5 / 61)
    assert fused["b"] == pytest.approx(0.5 / 62 + 1 / 61)


def test_max_takes_the_best_scaled_score() -> None:
    # dense 0.5–0.9 is scaled to 0–1, sparse 2–8 to 0–1
    assert fuse(RANKINGS, "max") == pytest.approx({"a": 1.0, "b": 1.0, "c": 0.0, "d": 0.0})


def test_a_list_of_one_score_is_all_best() -> None:
    assert fuse({"dense": [("a", 0.3)]}, "max") == {"a": 1.0}


def test_nothing_found_is_nothing_fused() -> None:
    assert fuse({"dense": []}, "max") == {}
