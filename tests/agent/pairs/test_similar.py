import numpy as np

from agent.pairs.similar import Question, Threshold, best, likeness

HERE = Threshold(same=0.93, other=0.915)


def question(words: str, language: str = "en", cosine: float = 1.0) -> Question:
    """A vector with this cosine to the one of `question(…)`."""
    vector = np.array([cosine, np.sqrt(1 - cosine**2)], dtype=np.float32)
    return Question(words, language, vector)


def test_in_one_language_nearness_needs_shared_words() -> None:
    asked = question("units of value sold in date")
    assert likeness(asked, question("units of value bought in date", cosine=0.95), HERE)
    assert likeness(asked, question("oldest customer names", cosine=0.95), HERE) is None
    assert likeness(asked, question("units of value bought in date", cosine=0.9), HERE) is None


def test_in_two_languages_nearness_decides() -> None:
    asked = question("units sold in date")
    assert likeness(asked, question("dateの出庫数", "ja", cosine=0.92), HERE)
    assert likeness(asked, question("dateの出庫数", "ja", cosine=0.9), HERE) is None


def test_without_vectors_most_words_must_be_shared() -> None:
    asked = Question("total units sold at value", "en")
    assert likeness(asked, Question("total units sold at value in date", "en"), None)
    assert likeness(asked, Question("total price of value", "en"), None) is None


def test_the_most_alike_comes_first_and_the_unlike_not_at_all() -> None:
    asked = question("units of value sold in date")
    stored = [
        question("oldest customer names", cosine=0.5),
        question("units of value bought in date", cosine=0.95),
        question("units of value sold in date", cosine=1.0),
    ]
    assert best(asked, stored, HERE) == [2, 1]
