from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from queue import Empty, Queue
from threading import Event, Thread

import pytest

from ingest.watch import follow

PATIENCE_S = 30.0
SILENCE_S = 1.5
"""Longer than a look and the quiet time together."""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "company"
    (root / "data").mkdir(parents=True)
    (root / "rules.md").write_text("# Rules\n")
    return root


@pytest.fixture
def following(root: Path) -> Iterator[Callable[..., Queue[int]]]:
    """Starts to follow; the queue holds the number of each run."""
    stop, threads = Event(), []

    def start(*paths: Path, does: Callable[[int], bool] = lambda n: True) -> Queue[int]:
        runs: Queue[int] = Queue()
        count = iter(range(1, 1000))

        def run() -> bool:
            number = next(count)
            done = does(number)
            runs.put(number)
            return done

        options = {"quiet_s": 0.1, "stop": stop}
        given = (list(paths) or [root], root / "data", run)
        threads.append(Thread(target=follow, args=given, kwargs=options))
        threads[-1].start()
        assert runs.get(timeout=PATIENCE_S) == 1
        return runs

    yield start
    stop.set()
    for thread in threads:
        thread.join(timeout=PATIENCE_S)
        assert not thread.is_alive()


def silent(runs: Queue[int]) -> bool:
    try:
        runs.get(timeout=SILENCE_S)
    except Empty:
        return True
    return False


@contextmanager
def expected(runs: Queue[int]) -> Iterator[None]:
    yield
    runs.get(timeout=PATIENCE_S)


@pytest.mark.slow
def test_what_changes_comes_and_goes_is_followed(
    root: Path, following: Callable[..., Queue[int]]
) -> None:
    runs = following()
    with expected(runs):
        (root / "rules.md").write_text("# Other rules\n")
    with expected(runs):
        (root / "rules.md.yaml").write_text("status: current\n")
    with expected(runs):
        (root / ".zaikoignore").write_text("*.csv\n")
    with expected(runs):
        (root / "rules.md").unlink()
    with expected(runs):
        (root / "archive").mkdir()


@pytest.mark.slow
def test_a_directory_with_a_dot_in_its_name_that_is_moved_away_is_followed(
    root: Path, following: Callable[..., Queue[int]], tmp_path: Path
) -> None:
    (root / "rules v1.2").mkdir()
    (root / "rules v1.2" / "old.md").write_text("# Old\n")
    runs = following()
    with expected(runs):
        (root / "rules v1.2").rename(tmp_path / "away")


@pytest.mark.slow
def test_what_is_not_read_starts_nothing(root: Path, following: Callable[..., Queue[int]]) -> None:
    runs = following()
    (root / "data" / "stock.csv").write_text("a\n1\n")
    (root / ".rules.md.swp").write_text("x")
    (root / "~$rules.docx").write_text("x")
    (root / "photo.raw").write_text("x")
    assert silent(runs)


@pytest.mark.slow
def test_a_burst_of_changes_is_one_run(root: Path, following: Callable[..., Queue[int]]) -> None:
    runs = following()
    with expected(runs):
        for n in range(20):
            (root / f"note-{n}.md").write_text(f"# {n}\n")
    assert silent(runs)


@pytest.mark.slow
def test_what_changes_during_a_run_is_seen_after_it(
    root: Path, following: Callable[..., Queue[int]]
) -> None:
    def change(number: int) -> bool:
        if number == 1:
            (root / "late.md").write_text("# Late\n")
        return True

    runs = following(does=change)
    assert runs.get(timeout=PATIENCE_S) == 2


@pytest.mark.slow
def test_a_run_that_could_not_be_made_is_tried_again(
    root: Path, following: Callable[..., Queue[int]]
) -> None:
    runs = following(does=lambda number: number >= 3)
    assert [runs.get(timeout=PATIENCE_S) for _ in range(2)] == [2, 3]
    assert silent(runs)


@pytest.mark.slow
def test_a_named_file_is_followed_through_its_replacement(
    root: Path, following: Callable[..., Queue[int]]
) -> None:
    runs = following(root / "rules.md")
    with expected(runs):
        (root / "draft").write_text("# New rules\n")
        (root / "draft").rename(root / "rules.md")
    (root / "other.md").write_text("# Other\n")
    assert silent(runs)
