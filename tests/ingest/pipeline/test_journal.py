from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from ingest.embedders import Embedder, Encoded, EncodedPassages, Vectors
from ingest.embedders.seeded import SeededEmbedder
from ingest.pipeline.embedding import embed_in_batches
from ingest.pipeline.journal import JOURNAL, EmbeddingJournal, remove_journal
from ingest.sparse import SparseVector

TEXTS = [f"passage {n}" for n in range(10)]


class Learned(SeededEmbedder):
    """Also gives a sparse vector, and fails from the nth text on."""

    learned_sparse = True

    def __init__(self, fails_from: int = 10_000) -> None:
        super().__init__()
        self.fails_from = fails_from
        self.asked: list[str] = []

    def _encode_passages(self, texts: Sequence[str]) -> EncodedPassages:
        if len(self.asked) + len(texts) > self.fails_from:
            raise KeyboardInterrupt
        self.asked += texts
        dense: Vectors = self._embed_passages(texts)
        return EncodedPassages(dense, [SparseVector((len(t),), (0.1,)) for t in texts])


def run(data_dir: Path, embedder: Embedder, texts: Sequence[str], concurrency: int = 1) -> Vectors:
    journal = EmbeddingJournal(data_dir, embedder)
    try:
        found = list(embed_in_batches(texts, embedder, journal, size=3, concurrency=concurrency))
    finally:
        journal.close()
    return np.concatenate([batch.passages.dense for batch in found])


@pytest.mark.parametrize("concurrency", [1, 3])
def test_batches_come_in_the_order_of_the_texts(tmp_path: Path, concurrency: int) -> None:
    embedder = SeededEmbedder()
    vectors = run(tmp_path, embedder, TEXTS, concurrency)
    assert np.array_equal(vectors, embedder.embed_passages(TEXTS))


def test_what_was_embedded_before_an_interruption_is_not_embedded_again(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        run(tmp_path, Learned(fails_from=6), TEXTS)
    second = Learned()
    journal = EmbeddingJournal(tmp_path, second)
    batches = list(embed_in_batches(TEXTS, second, journal, size=3, concurrency=1))
    journal.close()
    assert second.asked == TEXTS[6:]
    assert [b.fresh for b in batches] == [0, 0, 3, 1]
    assert batches[0].passages.sparse == [SparseVector((9,), (0.1,))] * 3
    dense = np.concatenate([b.passages.dense for b in batches])
    assert np.array_equal(dense, SeededEmbedder().embed_passages(TEXTS))


def test_vectors_of_another_model_are_not_taken(tmp_path: Path) -> None:
    run(tmp_path, SeededEmbedder(seed=1), TEXTS)
    other = SeededEmbedder(seed=2)
    assert np.array_equal(run(tmp_path, other, TEXTS), other.embed_passages(TEXTS))


def test_a_text_that_stands_twice_in_a_batch_is_embedded_once(tmp_path: Path) -> None:
    embedder = Learned()
    vectors = run(tmp_path, embedder, ["a b", "c", "a b"])
    assert embedder.asked == ["a b", "c"]
    assert np.array_equal(vectors[0], vectors[2])


def test_a_damaged_journal_costs_only_the_embedding(tmp_path: Path) -> None:
    (tmp_path / JOURNAL).write_bytes(b"no database" * 100)
    embedder = SeededEmbedder()
    assert np.array_equal(run(tmp_path, embedder, TEXTS), embedder.embed_passages(TEXTS))


def test_a_journal_that_cannot_be_written_stops_nothing(tmp_path: Path) -> None:
    journal = EmbeddingJournal(tmp_path / "nowhere", SeededEmbedder())
    journal.write(["a"], [Encoded(np.zeros(64, dtype=np.float32))])
    assert journal.read(["a"]) == {}


def test_a_removed_journal_leaves_no_file(tmp_path: Path) -> None:
    run(tmp_path, SeededEmbedder(), TEXTS)
    assert (tmp_path / JOURNAL).exists()
    remove_journal(tmp_path)
    assert not list(tmp_path.iterdir())
