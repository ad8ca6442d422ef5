"""`zaiko search` with the llm reranker: its model is made, asked over the wire, and closed."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from agent.usage_log import read_usage
from tests.support.deepseek_server import KEY, StrictDeepSeek, fail, say


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[StrictDeepSeek]:
    running = StrictDeepSeek()
    monkeypatch.setenv("ZAIKO_RERANKER__KIND", "llm")
    monkeypatch.setenv("ZAIKO_RERANKER__LLM__LOW", "1")  # asked however sure the second stage is
    monkeypatch.setenv("ZAIKO_MODEL__PROVIDER", "openai_compatible")
    monkeypatch.setenv("ZAIKO_MODEL__BASE_URL", running.url)
    monkeypatch.setenv("ZAIKO_MODEL__MODEL", "deepseek-flash")
    monkeypatch.setenv("ZAIKO_MODEL__API_KEY", KEY)
    monkeypatch.setenv("ZAIKO_MODEL__MAX_RETRIES", "0")
    yield running
    running.close()


def test_the_passages_are_rated_by_the_configured_model(
    zaiko: Any, data_dir: Path, server: StrictDeepSeek, monkeypatch: pytest.MonkeyPatch
) -> None:
    ratings = [{"passage": n, "score": 6 - n, "reason": f"place {n}"} for n in (1, 2)]
    server.play(say(json.dumps({"ratings": ratings})))
    search = ("search", "return goods", "--data-dir", data_dir, "--json")
    judged = zaiko(*search).json()["results"]
    monkeypatch.setenv("ZAIKO_RERANKER__KIND", "deterministic")
    alone = zaiko(*search).json()["results"]
    for number, (rating, found, second) in enumerate(zip((5, 4), judged, alone, strict=True), 1):
        score = 0.4 * second["score"] + 0.6 * (rating - 1) / 4
        assert found["score"] == pytest.approx(score, abs=1e-4)
        assert found["reason"] == f"model {rating}/5: place {number}; {second['reason']}"
    assert [line["role"] for line in read_usage(data_dir)] == ["judge"]


def test_a_model_that_refuses_is_an_error_with_a_way_out(
    zaiko: Any, data_dir: Path, server: StrictDeepSeek
) -> None:
    server.play(fail(401, "Authentication Fails"))
    called = zaiko("search", "return goods", "--data-dir", data_dir)
    assert (called.code, called.out) == (1, "")
    assert "the llm reranker" in called.err
    assert 'set reranker.kind = "deterministic"' in called.err
