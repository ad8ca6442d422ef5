"""`zaiko doctor`: every check, and that looking changes nothing."""

import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from agent import doctor
from agent.doctor import examine
from agent.doctor_data import Check, check_databases, check_parts
from agent.models.settings import ModelSettings
from agent.models.weights import weights_path
from ingest.embedders import bge_m3
from ingest.store.generations import Generations
from ingest.store.settings import ServerSettings
from tests.support.copies import copied

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


def test_weights_that_are_cut_off_are_an_error(
    check: Callable[[str], Check], tmp_path: Path
) -> None:
    path = weights_path(ModelSettings(cache_dir=tmp_path / "cache"))
    path.parent.mkdir(parents=True)
    path.write_bytes(b"GGUF....")
    found = check("model")
    assert found.severity == "error"
    assert "has 8 bytes" in found.message
    assert "delete it" in found.remedy


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


def test_each_part_of_a_whole_generation_is_ok(data_dir: Path) -> None:
    assert list(check_parts(data_dir, ServerSettings())) == [
        Check("tables", "ok", "3 tables, 157 rows"),
        Check("documents", "ok", "default: 2 chunks"),
    ]


def test_each_damaged_part_is_said_with_the_command_that_mends_it(
    data_dir: Path, company_files: Path
) -> None:
    generation = data_dir / "generations" / "1"
    with (generation / "warehouse.duckdb").open("r+b") as file:
        file.seek(20_000)
        file.write(b"\xff" * 64)
    (found,) = generation.glob("index/default/segments/*/segment.json")
    found.unlink()
    documents, tables = check_parts(data_dir, ServerSettings())
    assert (documents.name, documents.severity) == ("documents", "error")
    assert documents.message.startswith("default: index/default/segments/")
    assert documents.message.endswith("/segment.json is missing")
    assert tables.message == "warehouse.duckdb has other content than when it was published"
    assert {tables.remedy, documents.remedy} == {f"run: zaiko ingest {company_files}"}


def test_a_catalog_that_a_person_edited_wrongly_is_no_damage(
    check: Callable[[str], Check], data_dir: Path
) -> None:
    (data_dir / "catalog.yaml").write_text("currency: JPY\ntabels: {}\n")
    found = check("data")
    assert found.severity == "error" and "catalog.yaml, line 2" in found.message
    assert check("tables").severity == check("documents").severity == "ok"


@pytest.fixture
def company_files(data_dir: Path) -> Path:
    (root,) = Generations(data_dir).manifest(1).roots
    return Path(root.path)


@pytest.fixture
def databases(tmp_path: Path) -> Iterator[Path]:
    """The three databases, each with a row; nobody has them open."""
    for name in ("handoffs.sqlite", "state.sqlite", "memory.sqlite"):
        with closing(sqlite3.connect(tmp_path / name)) as connection:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("CREATE TABLE t (a TEXT)")
            connection.execute("INSERT INTO t VALUES (?)", ("x" * 20_000,))
            connection.commit()
    yield tmp_path


def test_whole_databases_are_ok_and_nothing_is_made_beside_them(databases: Path) -> None:
    before = sorted(databases.iterdir())
    found = list(check_databases(databases))
    assert [(c.name, c.severity) for c in found] == [
        ("handoffs", "ok"), ("threads", "ok"), ("memory", "ok"),
    ]  # fmt: skip
    assert sorted(databases.iterdir()) == before


@pytest.mark.parametrize(
    ("file", "name", "lost"),
    [
        ("handoffs.sqlite", "handoffs", "open handoffs"),
        ("state.sqlite", "threads", "cannot be resumed"),
        ("memory.sqlite", "memory", "begin anew"),
    ],
)
def test_a_damaged_database_is_said_with_what_to_do(
    databases: Path, file: str, name: str, lost: str
) -> None:
    with (databases / file).open("r+b") as opened:
        opened.seek(4096)
        opened.write(b"\xff" * 4096)
    (found,) = [c for c in check_databases(databases) if c.severity == "error"]
    assert found.name == name
    assert f"{file} is damaged: " in found.message
    assert "move it away" in found.remedy and lost in found.remedy


@pytest.mark.parametrize("content", [b"no database at all", b"SQLite format 3\0"])
def test_a_file_that_is_no_database_is_damage(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "memory.sqlite").write_bytes(content * 100)
    (found,) = check_databases(tmp_path)
    assert (found.name, found.severity) == ("memory", "error")


def test_a_database_that_is_being_written_is_read_with_its_log(databases: Path) -> None:
    with closing(sqlite3.connect(databases / "memory.sqlite")) as writer:
        writer.execute("INSERT INTO t VALUES ('y')")
        writer.commit()
        assert (databases / "memory.sqlite-wal").stat().st_size > 0
        assert {c.severity for c in check_databases(databases)} == {"ok"}


def test_a_directory_that_may_only_be_read_is_examined(data_dir: Path, tmp_path: Path) -> None:
    copy = copied(data_dir, tmp_path / "read-only")
    paths = [copy, *copy.rglob("*")]
    for path in paths:
        path.chmod(path.stat().st_mode & ~0o222)
    try:
        assert {c.severity for c in check_parts(copy, ServerSettings())} == {"ok"}
    finally:
        for path in paths:
            path.chmod(path.stat().st_mode | 0o200)
