import pytest

from reranker.features import LANGUAGES, NAMES
from reranker.text import Language
from reranker.weights import ANSWER, BIAS, RANK


@pytest.mark.parametrize("language", [*LANGUAGES, "other"])
def test_every_weight_names_a_feature_and_has_its_sign(language: Language) -> None:
    for weights in (RANK[language], ANSWER):
        assert weights.keys() <= set(NAMES)
        for name, weight in weights.items():
            assert name == "foreign" or (weight < 0) == name.endswith("_missing")


def test_every_language_has_a_bias() -> None:
    assert BIAS.keys() == RANK.keys() == {*LANGUAGES, "other"}


def test_the_order_does_not_depend_on_the_language_of_a_passage() -> None:
    """What a list of several languages has in common is compared; nothing is taken off."""
    assert all("foreign" not in weights for weights in RANK.values())
