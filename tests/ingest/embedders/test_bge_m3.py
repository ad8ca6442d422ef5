"""BGE-M3 on a tiny model of its architecture, with weights drawn from a seed."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ingest.embedders import Embedder, make_embedder
from ingest.index import create_index
from ingest.sparse import Bm25, SparseVector
from ingest.store.records import Chunk
from ingest.store.settings import BgeM3Settings

WHY = "needs FlagEmbedding and torch (not installed by default): see ingest/embedders/bge_m3.py"
torch: Any = pytest.importorskip("torch", reason=WHY)
pytest.importorskip("FlagEmbedding", reason=WHY)
transformers: Any = pytest.importorskip("transformers", reason=WHY)
pytestmark = pytest.mark.filterwarnings("ignore")  # of the libraries, on their own code

PIECES = [
    "▁stock",
    "▁order",
    "▁return",
    "▁days",
    "返品",
    "期限",
    "在庫",
    "▁",
    "s",
    "t",
    "o",
    "c",
    "k",
]


@pytest.fixture(scope="module")
def model_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """1024 wide, one layer, 18 tokens: what BGE-M3 is but for size."""
    from tokenizers import Tokenizer, models, pre_tokenizers, processors

    path = tmp_path_factory.mktemp("bge-m3")
    special = [("<s>", 0.0), ("<pad>", 0.0), ("</s>", 0.0), ("<unk>", -9.0)]
    pieces = [*special, *((p, -float(n + 1)) for n, p in enumerate(PIECES)), ("<mask>", 0.0)]
    tokenizer: Any = Tokenizer(models.Unigram(pieces, unk_id=3))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", special_tokens=[("<s>", 0), ("</s>", 2)]
    )
    tokenizer.save(str(path / "tokenizer.json"))
    transformers.XLMRobertaTokenizerFast(
        tokenizer_file=str(path / "tokenizer.json")
    ).save_pretrained(path)
    config = transformers.XLMRobertaConfig(
        vocab_size=len(pieces),
        hidden_size=1024,
        num_hidden_layers=1,
        num_attention_heads=16,
        intermediate_size=64,
        max_position_embeddings=514,
        pad_token_id=1,
    )
    torch.manual_seed(0)
    transformers.XLMRobertaModel(config).save_pretrained(path)
    torch.save(torch.nn.Linear(1024, 1024).state_dict(), path / "colbert_linear.pt")
    sparse = torch.nn.Linear(1024, 1)
    torch.nn.init.zeros_(sparse.weight)
    torch.nn.init.constant_(sparse.bias, 0.5)  # every token weighs a half
    torch.save(sparse.state_dict(), path / "sparse_linear.pt")
    return path


@pytest.fixture(scope="module")
def embedder(model_dir: Path) -> Embedder:
    settings = BgeM3Settings(model=str(model_dir), devices=("cpu",), batch=2)
    return make_embedder("bge_m3", settings)


def test_vectors_are_unit_float32_of_1024(embedder: Embedder) -> None:
    found = embedder.encode_passages(["stock order", "返品期限", "return days stock"])
    assert found.dense.shape == (3, 1024)
    assert found.dense.dtype == np.float32
    assert np.linalg.norm(found.dense, axis=1) == pytest.approx([1, 1, 1], abs=1e-3)
    assert found.sparse is not None and len(found.sparse) == 3


def test_batches_by_length_come_back_in_input_order(embedder: Embedder) -> None:
    texts = ["stock order return days stock order", "stock", "返品期限", "order stock"]
    together = embedder.encode_passages(texts)
    alone = [embedder.encode_passages([t]) for t in texts]
    for place, one in enumerate(alone):
        assert together.dense[place] == pytest.approx(one.dense[0], abs=1e-4)


def test_the_sparse_vector_weighs_the_tokens_of_the_text(embedder: Embedder) -> None:
    """Token ids: 4 is ▁stock, 5 ▁order; special tokens have no weight."""
    sparse = embedder.encode_query("stock order").sparse
    assert sparse is not None
    assert sparse.indices == (4, 5)
    assert sparse.values == pytest.approx((0.5, 0.5))


def test_blank_text_has_empty_vectors(embedder: Embedder) -> None:
    found = embedder.encode_query("  ")
    assert not found.dense.any()
    assert found.sparse is not None and found.sparse.indices == ()


def test_the_hash_is_of_the_weights(embedder: Embedder, model_dir: Path) -> None:
    again = make_embedder("bge_m3", BgeM3Settings(model=str(model_dir), devices=("cpu",)))
    assert embedder.model_hash == again.model_hash
    assert embedder.count_tokens("stock order") == 2


def test_an_index_searches_by_the_learned_vector_too(embedder: Embedder, tmp_path: Path) -> None:
    texts = ["stock order", "返品期限", "return days"]
    index = create_index("edge", tmp_path / "index", 1024, learned=True)
    found, bm25 = embedder.encode_passages(texts), Bm25(0)
    chunks = [
        Chunk(chunk_id=t, doc_id=t, kb="k", source=t, ordinal=0, text=t, start=0, end=len(t))
        for t in texts
    ]
    index.upsert(chunks, found.dense, [bm25.document(t) for t in texts], found.sparse)
    learned = embedder.encode_query("days").sparse
    nothing = SparseVector((), ())
    (hit,) = index.search(None, nothing, learned, dense_limit=3, sparse_limit=3)
    assert hit.chunk.text == "return days"
    index.close()
