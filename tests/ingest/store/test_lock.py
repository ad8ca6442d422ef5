import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from ingest.store.errors import StoreLocked
from ingest.store.lock import Lease, sole_use, writer_lock

HOLD = """
import sys, time
from pathlib import Path
from ingest.store.lock import writer_lock
with writer_lock(Path(sys.argv[1]), 0):
    print("held", flush=True)
    time.sleep(60)
"""


@pytest.fixture
def holder(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path)], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None and process.stdout.readline() == "held\n"
    yield process
    process.kill()
    process.wait()
    process.stdout.close()


def test_a_second_writer_is_told_who_holds_the_lock(
    tmp_path: Path, holder: subprocess.Popen[str]
) -> None:
    with pytest.raises(StoreLocked) as caught, writer_lock(tmp_path, 0.1):
        pass
    assert f"process {holder.pid} since 20" in caught.value.message
    assert "-c" in caught.value.message
    assert "wait" in caught.value.hint


def test_an_argument_that_is_no_utf8_stands_in_the_lock_escaped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", ["zaiko", "ingest", os.fsdecode(b"st\xffck.csv")])
    with (
        writer_lock(tmp_path, 0),
        pytest.raises(StoreLocked, match="st\udcffck"),
        writer_lock(tmp_path, 0),
    ):
        pass


def test_a_second_writer_waits_as_long_as_it_was_told(
    tmp_path: Path, holder: subprocess.Popen[str]
) -> None:
    started = time.monotonic()
    with pytest.raises(StoreLocked), writer_lock(tmp_path, 0.5):
        pass
    assert 0.5 <= time.monotonic() - started < 5


def test_a_killed_writer_leaves_the_lock_free(
    tmp_path: Path, holder: subprocess.Popen[str]
) -> None:
    holder.kill()
    holder.wait()
    with writer_lock(tmp_path, 0):
        assert f'"pid": {os.getpid()}' in (tmp_path / "writer.json").read_text()


def test_a_finished_writer_leaves_no_name_behind(tmp_path: Path) -> None:
    with writer_lock(tmp_path, 0):
        pass
    assert not (tmp_path / "writer.json").exists()


def test_a_generation_with_a_reader_is_not_for_sole_use(tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text("{}")
    first, second = Lease.take(tmp_path), Lease.take(tmp_path)
    assert first and second
    first.release()
    with sole_use(tmp_path) as unused:
        assert not unused
    second.release()
    with sole_use(tmp_path) as unused:
        assert unused
        assert Lease.take(tmp_path) is None


def test_a_lease_is_taken_without_write_permission(tmp_path: Path) -> None:
    manifest = tmp_path / "manifest.json"
    manifest.write_text("{}")
    manifest.chmod(0o444)
    lease = Lease.take(tmp_path)
    assert lease
    lease.release()


def test_there_is_no_lease_on_a_generation_that_is_gone(tmp_path: Path) -> None:
    assert Lease.take(tmp_path / "7") is None
