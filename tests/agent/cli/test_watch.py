"""`zaiko ingest --watch` as a process: it follows, and ends when it is told to."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

# A test run in the background of a shell has SIGINT ignored, and so would its children.
MAIN = (
    "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
    "from agent.cli import main; main()"
)
HEADER = "as_of,sku,quantity\n"


class Watch:
    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process = process

    def report(self) -> Any:
        """The next line on stdout."""
        assert self.process.stdout is not None
        return json.loads(self.process.stdout.readline())

    def ended_by(self, number: int) -> tuple[int, str, str]:
        self.process.send_signal(number)
        out, err = self.process.communicate(timeout=60)
        return self.process.returncode, out.decode(), err.decode()


@pytest.fixture
def stock(tmp_path: Path) -> Path:
    """Tables alone: no embedder is loaded."""
    root = tmp_path / "stock"
    root.mkdir()
    (root / "osaka.csv").write_text(f"{HEADER}2026-11-30,XR-4200,12\n")
    return root


@pytest.fixture
def watch(stock: Path, tmp_path: Path) -> Iterator[Watch]:
    """The data directory is inside of what is followed."""
    process = subprocess.Popen(
        [
            *(sys.executable, "-c", MAIN, "ingest", str(stock), "--watch", "--json"),
            *("--data-dir", str(stock / "zaiko-data")),
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[3])},
    )
    yield Watch(process)
    if process.poll() is None:
        process.kill()
        process.communicate()


@pytest.mark.slow
def test_every_change_is_one_report_and_an_interruption_ends_it_cleanly(
    watch: Watch, stock: Path
) -> None:
    assert watch.report()["tables"]["added"] == 1
    (stock / "tokyo.csv").write_text(f"{HEADER}2026-11-30,XR-4200,7\n")
    second = watch.report()
    assert (second["tables"]["added"], second["tables"]["unchanged"]) == (1, 1)
    (stock / "osaka.csv").unlink()
    third = watch.report()
    assert (third["tables"]["deleted"], third["data_revision"]) == (1, 3)
    code, out, err = watch.ended_by(signal.SIGINT)
    assert (code, out) == (0, "")
    assert err.splitlines()[-1] == "ended; what was finished is kept"
    assert "Traceback" not in err
    assert not list((stock / "zaiko-data" / "generations").glob(".*"))


@pytest.mark.slow
def test_a_service_manager_ends_it_as_cleanly(watch: Watch) -> None:
    watch.report()
    code, out, err = watch.ended_by(signal.SIGTERM)
    assert (code, out, "Traceback" in err) == (0, "", False)


def test_a_path_that_is_not_there_is_an_error_at_once(zaiko: Any, tmp_path: Path) -> None:
    called = zaiko("ingest", tmp_path / "nowhere", "--watch")
    assert called.code == 2
    assert "no such file or directory" in called.err
