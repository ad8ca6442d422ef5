import os
import subprocess
import sys

import numpy as np
import pytest

from ingest.embedders import Embedder, make_embedder
from ingest.store.errors import MissingExtra, StoreError


@pytest.fixture(scope="module", params=["e5", "seeded"])
def embedder(request: pytest.FixtureRequest) -> Embedder:
    return make_embedder(request.param)


def test_vectors_are_unit_float32_of_the_stated_dimension(embedder: Embedder) -> None:
    query = embedder.embed_query("返品の期限は？")
    passages = embedder.embed_passages(["返品は30日以内", "returns"])
    assert query.shape == (embedder.dimension,)
    assert passages.shape == (2, embedder.dimension)
    assert query.dtype == passages.dtype == np.float32
    assert np.linalg.norm(passages, axis=1) == pytest.approx([1, 1], abs=1e-4)


def test_no_texts_give_an_empty_matrix(embedder: Embedder) -> None:
    assert embedder.embed_passages([]).shape == (0, embedder.dimension)


def test_blank_text_has_a_zero_vector_and_keeps_its_place(embedder: Embedder) -> None:
    passages = embedder.embed_passages(["在庫", " \n", "\0"])
    assert passages[0].any()
    assert not passages[1:].any()
    assert not embedder.embed_query("　").any()


def test_text_after_a_nul_is_not_lost(embedder: Embedder) -> None:
    assert np.allclose(embedder.embed_query("stock\0 level"), embedder.embed_query("stock level"))


def test_a_lone_surrogate_does_not_fail(embedder: Embedder) -> None:
    assert embedder.embed_passages(["stock \ud800"]).any()


def test_a_passage_sharing_the_subject_is_closer(embedder: Embedder) -> None:
    query = embedder.embed_query("返品の期限は何日ですか")
    near, far = embedder.embed_passages(["返品の期限は30日です", "Forklift battery charging"])
    assert near @ query > far @ query + 0.02


def test_tokens_are_counted_without_prefix_and_special_tokens(embedder: Embedder) -> None:
    assert embedder.count_tokens("") == 0
    assert embedder.count_tokens("stock") == 1
    assert embedder.count_tokens("stock " * 300) == 300


def test_the_model_hash_is_stable(embedder: Embedder) -> None:
    assert embedder.model_hash == make_embedder(embedder.name).model_hash
    assert len(embedder.model_hash) == 64


def test_e5_matches_across_languages() -> None:
    e5 = make_embedder("e5")
    query = e5.embed_query("What is the deadline for returning goods?")
    near, far = e5.embed_passages(["商品の返品期限は30日です。", "倉庫の照明は毎朝点検する。"])
    assert near @ query > far @ query


def test_loading_e5_leaves_the_environment_as_it_was() -> None:
    before = dict(os.environ)
    make_embedder("e5")
    assert dict(os.environ) == before


@pytest.mark.slow
def test_e5_runs_on_one_openmp_thread_unless_told_otherwise() -> None:
    script = (
        "from ingest.embedders import make_embedder\n"
        "import os; e = make_embedder('e5')\n"
        "e.embed_passages(['stock level'] * 8)\n"
        "from pathlib import Path; print(len(list(Path('/proc/self/task').iterdir())))"
    )
    environment = {k: v for k, v in os.environ.items() if k != "OMP_NUM_THREADS"}
    environment["OPENBLAS_NUM_THREADS"] = "1"
    counts = []
    for extra in ({}, {"OMP_NUM_THREADS": "3"}):
        out = subprocess.check_output(
            [sys.executable, "-c", script], env=environment | extra, text=True
        )
        counts.append(int(out))
    assert counts[1] == counts[0] + 2


def test_a_missing_package_names_the_install_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "FlagEmbedding", None)
    with pytest.raises(MissingExtra) as caught:
        make_embedder("bge_m3")
    assert "pip install FlagEmbedding" in caught.value.hint


def test_an_unknown_name_lists_the_choices() -> None:
    with pytest.raises(StoreError) as caught:
        make_embedder("word2vec")
    assert "bge_m3" in caught.value.hint
