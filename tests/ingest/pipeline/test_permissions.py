import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from ingest.embedders.seeded import SeededEmbedder
from ingest.pipeline import run_ingest
from ingest.report import IngestReport
from ingest.store import IngestSettings, Store
from ingest.store.errors import StoreError

NOBODY = 65534


@pytest.fixture
def place() -> Iterator[Path]:
    """A directory that every user may enter (those of tmp_path are the owner's alone)."""
    path = Path(tempfile.mkdtemp(prefix="zaiko-test-"))
    path.chmod(0o755)
    yield path
    shutil.rmtree(path)


@contextmanager
def not_root() -> Iterator[None]:
    """Permissions do not bind root: the block runs as somebody else."""
    root = os.geteuid() == 0
    if root:
        os.seteuid(NOBODY)
    try:
        yield
    finally:
        if root:
            os.seteuid(0)


def ingest(place: Path) -> IngestReport:
    return run_ingest(
        place / "data", [place / "in"], settings=IngestSettings(), embedder=SeededEmbedder()
    )


@pytest.fixture
def made(place: Path) -> Path:
    (place / "in" / "sub").mkdir(parents=True)
    (place / "in" / "stock.csv").write_text("sku,quantity\nA,1\n")
    (place / "in" / "sub" / "okada.md").write_text("# Okada\n\nOkada delivers within 14 days.\n")
    ingest(place)
    return place


def read_only(root: Path) -> None:
    for path in (root, *root.rglob("*")):
        path.chmod(0o555 if path.is_dir() else 0o444)


def writable(root: Path) -> None:
    for path in (root, *root.rglob("*")):
        path.chmod(0o777 if path.is_dir() else 0o666)


def test_a_store_that_may_only_be_read_is_read(made: Path) -> None:
    read_only(made / "data")
    try:
        with not_root(), Store.open(made / "data", embedder=SeededEmbedder()) as store:
            assert store.search("default", "Okada")[0].chunk.source == "in/sub/okada.md"
    finally:
        writable(made / "data")


def test_a_directory_that_may_not_be_written_is_said(made: Path) -> None:
    (made / "in" / "stock.csv").write_text("sku,quantity\nA,2\n")
    read_only(made / "data")
    try:
        with not_root(), pytest.raises(StoreError, match="Permission denied") as caught:
            ingest(made)
        assert "--data-dir" in caught.value.hint
    finally:
        writable(made / "data")


def test_what_lies_in_a_directory_that_cannot_be_listed_is_not_gone(made: Path) -> None:
    writable(made / "data")
    (made / "in" / "sub").chmod(0)
    try:
        with not_root():
            report = ingest(made)
    finally:
        (made / "in" / "sub").chmod(0o755)
    assert [f.path for f in report.documents.failed] == [str(made / "in" / "sub")]
    assert (report.documents.deleted, report.chunks) == (0, 1)
