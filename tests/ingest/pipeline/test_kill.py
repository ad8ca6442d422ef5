import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ingest.report import IngestReport

Ingest = Callable[..., IngestReport]
Contents = Callable[[], dict[str, Any]]


POINTS = [
    "locked",
    "copied",
    "tables",
    "documents",
    "indexed",
    "checked",
    "renamed",
    "published",
    "cleaned",
]
NOT_YET_LIVE = POINTS[: POINTS.index("published")]
RUN = """
import os, signal, sys
from pathlib import Path
from ingest.embedders.seeded import SeededEmbedder
from ingest.pipeline import run_ingest
from ingest.store import IngestSettings

def at(point):
    print(point, flush=True)
    if point == sys.argv[3]:
        os.kill(os.getpid(), signal.SIGKILL)

settings = IngestSettings(keep_generations=1)
run_ingest(Path(sys.argv[1]), [Path(sys.argv[2])], settings=settings, at=at,
           embedder=SeededEmbedder())
"""
CHANGED = {
    "tables": {"stock": [("XR-4200", "Osaka", 11)], "new": [("A1", 3)]},
    "documents": [("company/moved/okada.md", 1), ("company/rules/new.md", 1)],
    "found": {"default": ["company/moved/okada.md", "company/rules/new.md"]},
}


def change(company: Path) -> None:
    """One of each: changed, added, moved, deleted."""
    (company / "stock.csv").write_text("sku,warehouse,quantity\nXR-4200,Osaka,11\n")
    (company / "new.csv").write_text("code,pieces\nA1,3\n")
    (company / "moved").mkdir()
    (company / "rules" / "okada.md").rename(company / "moved" / "okada.md")
    (company / "rules" / "returns.md").unlink()
    (company / "rules" / "new.md").write_text("# New agreement\n\nThe supplier is Hayashi.\n")


@pytest.fixture
def ingest_killed_at(
    data_dir: Path, company: Path, python_path: dict[str, str]
) -> Callable[[str], list[str]]:
    def run(point: str) -> list[str]:
        """The points that the killed process passed."""
        command = [sys.executable, "-c", RUN, str(data_dir), str(company), point]
        done = subprocess.run(command, env=python_path, capture_output=True, text=True, check=False)
        assert done.returncode == -signal.SIGKILL, done.stderr
        return done.stdout.split()

    return run


@pytest.mark.slow
@pytest.mark.parametrize("point", POINTS)
def test_a_kill_at_any_point_loses_and_doubles_nothing(
    *,
    ingest_killed_at: Callable[[str], list[str]],
    ingest: Ingest,
    company: Path,
    data_dir: Path,
    contents: Contents,
    point: str,
) -> None:
    ingest(company)
    before = contents()
    change(company)
    passed = ingest_killed_at(point)
    assert passed == POINTS[: POINTS.index(point) + 1]
    assert contents() == (before if point in NOT_YET_LIVE else CHANGED)

    report = ingest(company)
    assert report.ok
    assert report.documents.any() == report.tables.any() == (point in NOT_YET_LIVE)
    assert contents() == CHANGED
    assert not list((data_dir / "generations").glob(".*"))


@pytest.mark.slow
def test_a_kill_during_the_first_run_leaves_no_store_and_the_next_run_makes_it(
    ingest_killed_at: Callable[[str], list[str]], ingest: Ingest, company: Path, data_dir: Path
) -> None:
    ingest_killed_at("checked")
    assert not (data_dir / "CURRENT").exists()
    assert ingest(company).documents.added == 2
    assert [p.name for p in (data_dir / "generations").iterdir()] == ["1"]


@pytest.mark.slow
def test_an_error_at_any_point_before_publishing_leaves_the_old_one_live(
    ingest: Ingest, company: Path, data_dir: Path, contents: Contents
) -> None:
    ingest(company)
    before = contents()
    change(company)
    for point in NOT_YET_LIVE:

        def fail(reached: str, point: str = point) -> None:
            if reached == point:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            ingest(company, at=fail)
        assert not list((data_dir / "generations").glob(".*"))
    assert contents() == before
    ingest(company)
    assert contents() == CHANGED
