import pytest

from ingest.sparse import Bm25, average_length, term_index


def test_a_document_is_weighted_by_okapi_bm25() -> None:
    vector = Bm25(average_length=4, k1=1.5, b=0.75).document("stock stock order")
    weights = dict(zip(vector.indices, vector.values, strict=True))
    # length 3: norm = 1.5 · (0.25 + 0.75 · 3/4) = 1.21875
    assert weights[term_index("stock")] == pytest.approx(2 * 2.5 / (2 + 1.21875))
    assert weights[term_index("order")] == pytest.approx(1 * 2.5 / (1 + 1.21875))


def test_a_query_term_counts_once() -> None:
    vector = Bm25(10).query("stock stock order")
    assert vector.indices == tuple(sorted([term_index("stock"), term_index("order")]))
    assert vector.values == (1.0, 1.0)


def test_indices_are_the_same_in_every_process() -> None:
    # hashlib.blake2b(b"stock", digest_size=4) = 5a 2c … fixed by the standard, not by us
    import hashlib

    digest = hashlib.blake2b(b"stock", digest_size=4).hexdigest()
    assert term_index("stock") == int(digest, 16) % 2**31


def test_indices_fit_31_bits_and_ascend() -> None:
    vector = Bm25(0).document(" ".join(f"sku-{i}" for i in range(500)))
    assert list(vector.indices) == sorted(set(vector.indices))
    assert vector.indices[0] >= 0 and vector.indices[-1] < 2**31


def test_text_without_terms_is_an_empty_vector() -> None:
    assert Bm25(5).document("。").indices == ()
    assert Bm25(5).query("").values == ()


def test_average_length_is_in_terms() -> None:
    assert average_length(["a b c", "d"]) == 2.0
    assert average_length([]) == 0.0


def test_impossible_parameters_are_refused() -> None:
    with pytest.raises(ValueError, match="average_length -1"):
        Bm25(-1)
