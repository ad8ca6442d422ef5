"""A wrong key, a dead server, a bad weights file: one line, and no key is ever shown."""

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.deepseek_server import KEY, StrictDeepSeek
from tests.support.desk import SIMPLE

from .conftest import Zaiko

pytestmark = pytest.mark.slow

WRONG_KEY = "sk-wrong-key-4711"


@pytest.fixture
def server() -> Iterator[StrictDeepSeek]:
    running = StrictDeepSeek()
    yield running
    running.close()


def test_a_wrong_key_is_exit_2_and_not_shown(
    zaiko: Zaiko, data_dir: Path, server: StrictDeepSeek, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DEEPSEEK_API_KEY", WRONG_KEY)
    monkeypatch.setenv("ZAIKO_MODEL__BASE_URL", server.url)
    called = zaiko("ask", SIMPLE, "--data-dir", data_dir, "--json")
    error = called.json()["error"]
    assert (called.code, error["kind"]) == (2, "model_config")
    assert "refused the API key" in error["message"]
    assert "DEEPSEEK_API_KEY" in error["hint"]
    assert len(server.requests) == 1
    debug = zaiko("ask", SIMPLE, "--data-dir", data_dir, "--debug")
    for text in (called.out, called.err, debug.out, debug.err):
        assert WRONG_KEY not in text


def test_a_server_that_is_down_is_exit_1_with_a_hint(
    zaiko: Zaiko, data_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}"
    monkeypatch.setenv("DEEPSEEK_API_KEY", KEY)
    monkeypatch.setenv("ZAIKO_MODEL__BASE_URL", url)
    monkeypatch.setenv("ZAIKO_MODEL__MAX_RETRIES", "0")
    called = zaiko("ask", SIMPLE, "--data-dir", data_dir, "--json")
    error = called.json()["error"]
    assert (called.code, error["kind"]) == (1, "model_busy")
    assert url in error["message"]
    assert "check the network and base_url" in error["hint"]
    assert KEY not in called.out + called.err


def test_a_model_without_its_address_is_exit_2(
    zaiko: Zaiko, data_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ZAIKO_MODEL__PROVIDER", "openai_compatible")
    called = zaiko("ask", SIMPLE, "--data-dir", data_dir)
    assert called.code == 2
    assert "ZAIKO_MODEL__BASE_URL and ZAIKO_MODEL__MODEL" in called.err


@pytest.mark.parametrize(
    ("content", "said"),
    [(None, "does not exist"), (b"", "is not a GGUF"), (b"hello", "is not a GGUF")],
)
def test_a_weights_file_that_is_none_is_exit_2(
    zaiko: Zaiko,
    data_dir: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    content: bytes | None,
    said: str,
) -> None:
    file = tmp_path / "model.gguf"
    if content is not None:
        file.write_bytes(content)
    monkeypatch.setenv("ZAIKO_MODEL_FILE", str(file))
    called = zaiko("ask", SIMPLE, "--data-dir", data_dir)
    assert called.code == 2
    assert said in called.err
    assert "next: correct ZAIKO_MODEL_FILE" in called.err
    (check,) = [
        c
        for c in zaiko("doctor", "--data-dir", data_dir, "--json").json()["checks"]
        if c["name"] == "model"
    ]
    assert (check["severity"], said in check["message"]) == ("error", True)


@pytest.mark.slow
def test_a_damaged_weights_file_is_exit_2(
    zaiko: Zaiko, data_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "model.gguf"
    file.write_bytes(b"GGUF" + bytes(5000))
    monkeypatch.setenv("ZAIKO_MODEL_FILE", str(file))
    called = zaiko("ask", SIMPLE, "--data-dir", data_dir)
    assert called.code == 2
    assert str(file) in called.err
    assert "Traceback" not in called.err


def test_the_production_profile_without_its_parts_is_one_line(
    zaiko: Zaiko, data_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ZAIKO_PROFILE", "production")
    called = zaiko("ask", SIMPLE, "--data-dir", data_dir)
    assert (called.code, called.out) == (2, "")
    first, second = called.err.splitlines()
    assert first.startswith("error: DeepSeek needs an API key")
    assert second.startswith("next: ")
    assert zaiko("calc", "1 + 1", "--data-dir", data_dir).out == "2\n"
