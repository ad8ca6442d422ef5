import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ingest.report import IngestReport
from ingest.store import Store

Ingest = Callable[..., IngestReport]
Contents = Callable[[], dict[str, Any]]


POINTS = [
    "locked",
    "copied",
    "tables",
    "documents",
    "embedded",
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


MANY = """
import os, signal, sys
from pathlib import Path
from ingest.embedders.seeded import SeededEmbedder
from ingest.pipeline import run_ingest
from ingest.store import IngestSettings

class Dying(SeededEmbedder):
    left = int(sys.argv[3])

    def _embed_passages(self, texts):
        if self.left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        self.left -= 1
        return super()._embed_passages(texts)

settings = IngestSettings(embed_batch=2)
run_ingest(Path(sys.argv[1]), [Path(sys.argv[2])], settings=settings, embedder=Dying())
"""


@pytest.fixture
def library(tmp_path: Path) -> Path:
    """10 documents of one passage each: 5 batches of 2."""
    root = tmp_path / "library"
    root.mkdir()
    for n in range(10):
        (root / f"rule-{n}.md").write_text(f"# Rule {n}\n\nShelf {n} holds {n + 20} boxes.\n")
    return root


@pytest.mark.slow
@pytest.mark.parametrize("batches", [0, 1, 4])
def test_what_was_embedded_before_a_kill_is_not_embedded_again(
    *,
    library: Path,
    data_dir: Path,
    python_path: dict[str, str],
    ingest: Ingest,
    embedder: Any,
    opened: Callable[[], Store],
    batches: int,
) -> None:
    command = [sys.executable, "-c", MANY, str(data_dir), str(library), str(batches)]
    done = subprocess.run(command, env=python_path, capture_output=True, text=True, check=False)
    assert done.returncode == -signal.SIGKILL, done.stderr
    assert not (data_dir / "CURRENT").exists()

    assert ingest(library).documents.added == 10
    # A batch is written down when the next one is asked for.
    assert embedder.passages in (10 - 2 * batches, 10 - 2 * (batches - 1))
    sources = [h.chunk.source for h in opened().search("default", "Rule shelf boxes")]
    assert sorted(sources) == [f"library/rule-{n}.md" for n in range(10)]
    assert sorted(p.name for p in data_dir.iterdir()) == ["CURRENT", "generations", "writer.lock"]


@pytest.mark.slow
def test_kills_at_random_moments_in_a_row_lose_and_double_nothing(
    library: Path,
    data_dir: Path,
    python_path: dict[str, str],
    ingest: Ingest,
    opened: Callable[[], Store],
) -> None:
    """Each run is killed from outside a little later after it took the lock, and a file is
    changed before each."""
    command = [sys.executable, "-c", RUN, str(data_dir), str(library), "nowhere"]
    for row, seconds in enumerate((0.0, 0.01, 0.03, 0.06, 0.1, 0.15, 0.2)):
        (library / f"rule-{row}.md").write_text(f"# Rule {row}\n\nShelf {row} is empty.\n")
        child = subprocess.Popen(command, env=python_path, stdout=subprocess.PIPE)
        assert child.stdout is not None
        assert child.stdout.readline() == b"locked\n"
        time.sleep(seconds)
        child.kill()
        child.communicate()
        assert child.returncode in (0, -signal.SIGKILL), row
    ingest(library)
    with opened() as store:
        hits = store.search("default", "Rule shelf boxes empty")
    said = {n: "is empty." if n < 7 else f"holds {n + 20} boxes." for n in range(10)}
    assert sorted(h.chunk.text for h in hits) == [
        f"Rule {n}\n\nShelf {n} {words}" for n, words in said.items()
    ]
