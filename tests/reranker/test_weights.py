import pytest

from reranker.features import LANGUAGES, NAMES
from reranker.text import Language
from reranker.weights import WEIGHTS


@pytest.mark.parametrize("language", [*LANGUAGES, "other"])
def test_every_weight_names_a_feature_and_has_its_sign(language: Language) -> None:
    weights = WEIGHTS[language]
    assert weights.keys() <= set(NAMES)
    for name, weight in weights.items():
        assert name == "bias" or (weight < 0) == name.endswith("_missing")


def test_words_are_not_weighed_across_languages() -> None:
    assert not WEIGHTS["other"].keys() & {"words", "rare_words", "phrases", "bm25_share"}
