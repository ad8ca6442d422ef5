import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import duckdb
import pytest

from ingest.embedders.seeded import SeededEmbedder
from ingest.pipeline import rollback, run_ingest
from ingest.report import IngestReport
from ingest.store import IngestSettings, Store
from ingest.store.errors import StoreLocked

Ingest = Callable[..., IngestReport]
Contents = Callable[[], dict[str, Any]]


READER = """
import sys
from pathlib import Path
import duckdb
from ingest.embedders.seeded import SeededEmbedder
from ingest.store import Store

store = Store.open(Path(sys.argv[1]), embedder=SeededEmbedder())
print(f"open {store.revision}", flush=True)
for line in sys.stdin:
    hits = store.search("default", "Okada delivers")
    with duckdb.connect(str(store.warehouse), read_only=True) as connection:
        total = connection.execute("SELECT sum(quantity) FROM stock").fetchone()[0]
    text = " ".join(hit.chunk.text for hit in hits)
    print(store.revision, total, "14 days" in text, "21 days" in text, flush=True)
"""
WRITER = """
import sys
from pathlib import Path
from ingest.embedders.seeded import SeededEmbedder
from ingest.pipeline import run_ingest
from ingest.store import IngestSettings

report = run_ingest(Path(sys.argv[1]), [Path(sys.argv[2])], embedder=SeededEmbedder(),
                    settings=IngestSettings(lock_wait_s=60))
print(report.data_revision)
"""


@pytest.fixture
def reader(
    ingest: Ingest, company: Path, data_dir: Path, python_path: dict[str, str]
) -> Iterator[subprocess.Popen[str]]:
    """A process that opened generation 1 but has not read anything of it yet."""
    ingest(company)
    process = subprocess.Popen(
        [sys.executable, "-c", READER, str(data_dir)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=python_path,
    )
    assert process.stdin and process.stdout
    assert process.stdout.readline() == "open 1\n"
    yield process
    process.kill()
    process.communicate()


def ask(process: subprocess.Popen[str]) -> str:
    assert process.stdin and process.stdout
    process.stdin.write("again\n")
    process.stdin.flush()
    return process.stdout.readline().strip()


def change(company: Path, quantity: int) -> None:
    (company / "stock.csv").write_text(f"sku,warehouse,quantity\nXR-4200,Osaka,{quantity}\n")
    okada = company / "rules" / "okada.md"
    okada.write_text(f"# Supplier agreement\n\nOkada delivers within 21 days ({quantity}).\n")


@pytest.mark.slow
def test_a_reader_keeps_its_generation_while_others_are_published(
    reader: subprocess.Popen[str], ingest: Ingest, company: Path, data_dir: Path
) -> None:
    settings = IngestSettings(keep_generations=1)
    for quantity in (100, 200):
        change(company, quantity)
        ingest(company, settings=settings)
    assert ask(reader) == "1 19 True False"
    with Store.open(data_dir, embedder=SeededEmbedder()) as store:
        assert store.revision == 3
    assert sorted(p.name for p in (data_dir / "generations").iterdir()) == ["1", "3"]


@pytest.mark.slow
def test_a_killed_reader_does_not_keep_its_generation(
    reader: subprocess.Popen[str], ingest: Ingest, company: Path, data_dir: Path
) -> None:
    reader.kill()
    reader.wait()
    change(company, 100)
    ingest(company, settings=IngestSettings(keep_generations=1))
    assert sorted(p.name for p in (data_dir / "generations").iterdir()) == ["2"]


@pytest.mark.slow
def test_two_writers_at_once_lose_nothing(
    company: Path, data_dir: Path, python_path: dict[str, str], contents: Contents
) -> None:
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, str(data_dir), str(path)],
            stdout=subprocess.PIPE,
            text=True,
            env=python_path,
        )
        for path in (company / "stock.csv", company / "rules")
    ]
    revisions = sorted(writer.communicate(timeout=120)[0].strip() for writer in writers)
    assert revisions == ["1", "2"]
    assert list(contents()["tables"]) == ["stock"]
    assert [source for source, _ in contents()["documents"]] == [
        "rules/okada.md",
        "rules/returns.md",
    ]


def test_a_second_writer_is_refused_while_the_first_is_at_work(
    ingest: Ingest, company: Path
) -> None:
    refused: list[StoreLocked] = []

    def second(point: str) -> None:
        if point == "documents":
            thread = threading.Thread(target=try_to_write)
            thread.start()
            thread.join()

    def try_to_write() -> None:
        try:
            ingest(company)
        except StoreLocked as error:
            refused.append(error)

    assert ingest(company, at=second).ok
    assert len(refused) == 1
    assert "process" in refused[0].message and "wait" in refused[0].hint


def test_rollback_waits_for_the_writer_too(ingest: Ingest, company: Path, data_dir: Path) -> None:
    ingest(company)
    change(company, 5)
    seen: list[StoreLocked] = []

    def go_back() -> None:
        try:
            rollback(data_dir, IngestSettings(lock_wait_s=0))
        except StoreLocked as error:
            seen.append(error)

    def at(point: str) -> None:
        if point == "copied":
            thread = threading.Thread(target=go_back)
            thread.start()
            thread.join()

    ingest(company, at=at)
    assert len(seen) == 1


@pytest.mark.slow
def test_many_readers_see_one_generation_each_while_ingest_runs(
    ingest: Ingest, company: Path, data_dir: Path, embedder: Any
) -> None:
    """In generation n the table holds n and so does the document."""
    stop = threading.Event()

    def read() -> set[tuple[int, int, bool]]:
        seen: set[tuple[int, int, bool]] = set()
        while not stop.is_set():
            with Store.open(data_dir, embedder=SeededEmbedder()) as store:
                text = " ".join(h.chunk.text for h in store.search("default", "Okada delivers"))
                with duckdb.connect(str(store.warehouse), read_only=True) as connection:
                    row = connection.execute("SELECT sum(quantity) FROM stock").fetchone()
                assert row is not None
                seen.add((store.revision, row[0], f"({store.revision})" in text))
        return seen

    change(company, 1)
    ingest(company)
    with ThreadPoolExecutor(4) as pool:
        readers = [pool.submit(read) for _ in range(4)]
        try:
            for quantity in range(2, 6):
                change(company, quantity)
                run_ingest(
                    data_dir,
                    [company],
                    settings=IngestSettings(keep_generations=1),
                    embedder=embedder,
                )
        finally:
            stop.set()
        seen = set().union(*(reader.result() for reader in readers))
    assert len({revision for revision, _, _ in seen}) > 1
    assert all(revision == total and in_text for revision, total, in_text in seen)


def test_many_threads_may_search_one_store(
    ingest: Ingest, company: Path, opened: Callable[[], Store]
) -> None:
    ingest(company)
    store = opened()
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: store.search("default", "返品 規程"), range(40)))
    assert all(answer == answers[0] for answer in answers)
    assert answers[0][0].chunk.source == "company/rules/returns.md"
