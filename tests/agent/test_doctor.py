"""`zaiko doctor`: every check, and that looking changes nothing."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from agent import doctor
from agent.doctor import Check, examine
from ingest.embedders import bge_m3

NAMES = [
    "python", "settings", "model", "embedder", "index", "reranker", "data", "disk", "ocr",
    "onnxruntime", "traces",
]  # fmt: skip


@pytest.fixture(autouse=True)
def no_settings_of_this_machine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in [n for n in os.environ if n.startswith(("ZAIKO_", "DEEPSEEK_", "OTEL_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("ZAIKO_CACHE_DIR", str(tmp_path / "cache"))


@pytest.fixture
def check(data_dir: Path) -> Callable[[str], Check]:
    """One check of a data directory built by another embedder (the seeded one of the tests)."""

    def of(name: str) -> Check:
        found = {c.name: c for c in examine(data_dir)}
        return found[name]

    return of


def test_every_part_is_looked_at_and_nothing_is_made(tmp_path: Path) -> None:
    missing = tmp_path / "none"
    checks = examine(missing)
    assert [c.name for c in checks] == NAMES
    assert not missing.exists()
    assert not (tmp_path / "cache").exists()
    for found in checks:
        assert found.message
        assert found.severity == "ok" or found.remedy, found.name


def test_missing_data_are_an_error_with_the_next_step(tmp_path: Path) -> None:
    (data,) = [c for c in examine(tmp_path / "none") if c.name == "data"]
    assert (data.severity, data.remedy) == ("error", "run: zaiko ingest PATH")


def test_broken_settings_end_the_examination(tmp_path: Path) -> None:
    (tmp_path / "zaiko.toml").write_text("nope = 1\n", encoding="utf-8")
    python, settings = examine(tmp_path)
    assert (python.name, settings.name, settings.severity) == ("python", "settings", "error")
    assert "line 1: unknown setting nope" in settings.message
    assert settings.remedy.startswith("allowed here: ")


def test_an_index_of_another_embedder_is_an_error(check: Callable[[str], Check]) -> None:
    found = check("data")
    assert found.severity == "error"
    assert "built by the embedder seeded" in found.message


def test_the_production_profile_names_what_is_missing(
    check: Callable[[str], Check], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ZAIKO_PROFILE", "production")
    monkeypatch.setattr(doctor, "find_spec", lambda name: None)
    remedies = {n: check(n).remedy for n in ("model", "embedder", "index", "reranker")}
    assert remedies["model"] == "set DEEPSEEK_API_KEY"
    assert remedies["embedder"] == bge_m3.INSTALL
    assert "edge" in remedies["index"]
    assert "model_dir" in remedies["reranker"]
    assert {check(n).severity for n in remedies} == {"error"}


def test_missing_weights_are_a_warning_and_fetched_later(check: Callable[[str], Check]) -> None:
    found = check("model")
    assert found.severity == "warning"
    assert "fetches it" in found.remedy


@pytest.mark.parametrize(
    ("content", "severity", "said"),
    [
        (None, "error", "does not exist"),
        (b"<html>", "error", "is not a GGUF weights file"),
        (b"GGUF....", "ok", "embedded, "),
    ],
)
def test_a_weights_file_of_ones_own_is_looked_at(
    check: Callable[[str], Check],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    content: bytes | None,
    severity: str,
    said: str,
) -> None:
    file = tmp_path / "own.gguf"
    if content is not None:
        file.write_bytes(content)
    monkeypatch.setenv("ZAIKO_MODEL_FILE", str(file))
    found = check("model")
    assert found.severity == severity
    assert said in found.message


def test_keys_and_passwords_are_not_shown(
    check: Callable[[str], Check], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DEEPSEEK_API_KEY", "sk-hidden-1")
    monkeypatch.setenv("ZAIKO_MODEL__BASE_URL", "https://me:hidden-2@llm.example/v1")
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "https://me:hidden-3@otlp.example")
    assert check("model").severity == "ok"
    assert "https://***@llm.example/v1" in check("model").message
    assert check("traces").message == "beside the data, and to https://***@otlp.example"
    assert "hidden" not in check("model").message


def test_a_compatible_server_needs_an_address_and_a_model(
    check: Callable[[str], Check], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ZAIKO_MODEL__PROVIDER", "openai_compatible")
    assert check("model").remedy == "set ZAIKO_MODEL__BASE_URL, set ZAIKO_MODEL__MODEL"
    monkeypatch.setenv("ZAIKO_MODEL__BASE_URL", "http://localhost:8000")
    monkeypatch.setenv("ZAIKO_MODEL__MODEL", "m")
    assert check("model") == Check("model", "ok", "openai_compatible m at http://localhost:8000")


def test_looking_leaves_the_data_directory_as_it_was(
    check: Callable[[str], Check], data_dir: Path
) -> None:
    before = sorted(p.relative_to(data_dir) for p in data_dir.rglob("*"))
    check("data")
    assert sorted(p.relative_to(data_dir) for p in data_dir.rglob("*")) == before
