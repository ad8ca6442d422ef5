import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from reranker import Candidate, RerankerSettings, make_reranker
from reranker.cross_encoder import CrossEncoderReranker
from reranker.errors import RerankerFailed, RerankerMisconfigured

onnx: Any = pytest.importorskip("onnx")

VOCABULARY = ["<pad>", "[UNK]", "stock", "order", "day"]


def write_tokenizer(path: Path) -> None:
    from tokenizers import Tokenizer, models, pre_tokenizers

    tokenizer: Any = Tokenizer(
        models.WordLevel({w: i for i, w in enumerate(VOCABULARY)}, unk_token="[UNK]")
    )
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.enable_padding(length=64, pad_id=0, pad_token="<pad>")  # as exports often have it
    tokenizer.save(str(path))


def write_model(path: Path, outputs: int = 1) -> None:
    """A model whose logit is the sum of the token ids minus 8, padding masked out."""
    helper, kinds = onnx.helper, onnx.TensorProto
    ids, mask = (
        helper.make_tensor_value_info(n, kinds.INT64, ["batch", "sequence"])
        for n in ("input_ids", "attention_mask")
    )
    logits = helper.make_tensor_value_info("logits", kinds.FLOAT, ["batch", outputs])
    weights = np.zeros((len(VOCABULARY), outputs), dtype=np.float32)
    weights[:, 0] = np.arange(len(VOCABULARY))
    constants = [
        onnx.numpy_helper.from_array(weights, "weights"),
        onnx.numpy_helper.from_array(np.array([1], dtype=np.int64), "axis"),
        onnx.numpy_helper.from_array(np.array([2], dtype=np.int64), "last"),
        onnx.numpy_helper.from_array(np.array(8, dtype=np.float32), "shift"),
    ]
    nodes = [
        helper.make_node("Gather", ["weights", "input_ids"], ["embedded"]),
        helper.make_node("Cast", ["attention_mask"], ["mask"], to=kinds.FLOAT),
        helper.make_node("Unsqueeze", ["mask", "last"], ["wide"]),
        helper.make_node("Mul", ["embedded", "wide"], ["kept"]),
        helper.make_node("ReduceSum", ["kept", "axis"], ["sum"], keepdims=0),
        helper.make_node("Sub", ["sum", "shift"], ["logits"]),
    ]
    graph = helper.make_graph(nodes, "tiny", [ids, mask], [logits], constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    model.ir_version = 8
    onnx.save(model, str(path))


@pytest.fixture
def model_dir(tmp_path: Path) -> Path:
    write_tokenizer(tmp_path / "tokenizer.json")
    write_model(tmp_path / "model.onnx")
    return tmp_path


def test_the_score_is_the_logistic_of_the_models_logit(model_dir: Path) -> None:
    reranker = make_reranker(RerankerSettings(kind="cross_encoder", model_dir=model_dir))
    ranked = reranker.rerank(
        "stock", [Candidate(text="order"), Candidate(text="day day"), Candidate(text="day")]
    )
    # ids: stock 2 + order 3 - 8 = -3; 2 + 4 + 4 - 8 = 2; 2 + 4 - 8 = -2
    expected = {0: 1 / (1 + np.exp(3)), 1: 1 / (1 + np.exp(-2)), 2: 1 / (1 + np.exp(2))}
    assert [r.index for r in ranked] == [1, 2, 0]
    assert [r.score for r in ranked] == pytest.approx([expected[r.index] for r in ranked])


def test_it_says_which_provider_it_got(model_dir: Path) -> None:
    import onnxruntime

    provider = CrossEncoderReranker(model_dir).provider
    assert provider in onnxruntime.get_available_providers()


def test_batches_of_any_length_agree_with_single_runs(model_dir: Path) -> None:
    texts = ["day " * (n % 7 + 1) for n in range(40)]
    reranker = CrossEncoderReranker(model_dir)
    together = {r.index: r.score for r in reranker.rerank("stock", [Candidate(t) for t in texts])}
    alone = [reranker.rerank("stock", [Candidate(t)])[0].score for t in texts]
    assert [together[i] for i in range(40)] == pytest.approx(alone)


def test_padding_of_the_tokenizer_file_is_turned_off(model_dir: Path) -> None:
    assert json.loads((model_dir / "tokenizer.json").read_text())["padding"] is not None
    reranker = CrossEncoderReranker(model_dir)
    (encoding,) = reranker._tokenizer.encode_batch([("stock", "day")])
    assert len(encoding.ids) == 2


def test_candidates_past_the_limit_are_last_and_say_so(model_dir: Path) -> None:
    candidates = [Candidate("day", fused=0.01), Candidate("order", fused=0.02)]
    ranked = CrossEncoderReranker(model_dir, max_candidates=1).rerank("stock", candidates)
    assert [r.index for r in ranked] == [1, 0]
    assert ranked[1].score == 0.0


def test_a_directory_without_a_model_names_what_is_missing(tmp_path: Path) -> None:
    with pytest.raises(RerankerMisconfigured, match=r"model\.onnx and tokenizer\.json"):
        CrossEncoderReranker(tmp_path)


def test_a_broken_model_file_is_reported(model_dir: Path) -> None:
    (model_dir / "model.onnx").write_bytes(b"not a model")
    with pytest.raises(RerankerMisconfigured, match="cannot be loaded"):
        CrossEncoderReranker(model_dir)


def test_a_model_with_several_labels_is_refused(model_dir: Path) -> None:
    write_model(model_dir / "model.onnx", outputs=3)
    with pytest.raises(RerankerFailed, match="one logit"):
        CrossEncoderReranker(model_dir).rerank("stock", [Candidate("day")])


def test_no_model_directory_is_a_clear_error() -> None:
    with pytest.raises(RerankerMisconfigured, match="no model directory"):
        make_reranker(RerankerSettings(kind="cross_encoder"))


def test_the_reason_names_what_matched(model_dir: Path) -> None:
    (only,) = CrossEncoderReranker(model_dir).rerank(
        "stock of XR-4200", [Candidate(text="XR-4200")]
    )
    assert "codes 1/1 (xr4200)" in only.reason and "words 0/1" in only.reason


def test_it_says_what_it_runs_on(model_dir: Path, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level("INFO", logger="reranker.cross_encoder"):
        reranker = CrossEncoderReranker(model_dir)
    assert reranker.runs_on == "cross_encoder on CPU"
    assert "runs on CPUExecutionProvider" in caplog.text


def test_a_provider_that_is_not_there_is_an_error_and_not_the_cpu(model_dir: Path) -> None:
    settings = RerankerSettings(kind="cross_encoder", model_dir=model_dir, provider="tensorrt")
    with pytest.raises(RerankerMisconfigured, match="was to run on tensorrt"):
        make_reranker(settings)


def test_a_damaged_tokenizer_is_an_error(model_dir: Path) -> None:
    (model_dir / "tokenizer.json").write_text("{}")
    with pytest.raises(RerankerMisconfigured, match="is not a tokenizer"):
        CrossEncoderReranker(model_dir)


def test_small_batches_give_the_same_scores(model_dir: Path) -> None:
    candidates = [Candidate(text="day " * n) for n in range(1, 6)]
    one, all_ = (
        CrossEncoderReranker(model_dir, batch=size).rerank("stock", candidates) for size in (1, 16)
    )
    assert [r.index for r in one] == [r.index for r in all_]
    assert [r.score for r in one] == pytest.approx([r.score for r in all_])
