"""The benchmark of ingest: pages and passages a second, and what our own code takes of the time.

    python -m tests.bench.ingest --data DIR [--pages 120] [--embedder e5|seeded]

Of the documents under DIR the shortest are taken first, until they have so many pages; a file
without page numbers counts as one. They are taken in once by `run_ingest`, whose stages are timed
from its own marks; the engine's share of embedding is timed inside of it. What the libraries take
to parse is measured by calling them alone: PyMuPDF's text and table search, python-docx, pptx.

Seconds are of CPU, so that a busy machine does not change the shares; rates are by the clock.
Pages that need OCR are left out.
"""

import argparse
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pymupdf

from ingest.documents import Document, chunk_document, read_document
from ingest.embedders import Embedder, EncodedPassages, make_embedder
from ingest.pipeline import run_ingest
from ingest.scan import kind_of
from ingest.store import IngestSettings
from ingest.store.errors import FileRejected

MAX_OVERHEAD = 0.15
_MUPDF: Any = pymupdf
_TEXT = pymupdf.TEXTFLAGS_DICT & ~pymupdf.TEXT_PRESERVE_IMAGES


@dataclass
class Times:
    """CPU seconds and clock seconds by stage."""

    cpu: dict[str, float] = field(default_factory=dict)
    clock: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def measure(self, stage: str) -> Iterator[None]:
        cpu, clock = time.process_time(), time.perf_counter()
        try:
            yield
        finally:
            self.add(stage, time.process_time() - cpu, time.perf_counter() - clock)

    def add(self, stage: str, cpu: float, clock: float) -> None:
        self.cpu[stage] = self.cpu.get(stage, 0.0) + cpu
        self.clock[stage] = self.clock.get(stage, 0.0) + clock


class TimedEmbedder(Embedder):
    """The given embedder; `times` gets what it takes to embed."""

    def __init__(self, inner: Embedder, times: Times) -> None:
        self._inner = inner
        self._times = times
        self.name, self.dimension = inner.name, inner.dimension
        self.learned_sparse = inner.learned_sparse

    def prepare(self, concurrency: int) -> None:
        self._inner.prepare(concurrency)

    def encode_passages(self, texts: Sequence[str]) -> EncodedPassages:
        with self._times.measure("embedder"):
            return self._inner.encode_passages(texts)

    def _model_hash(self) -> str:
        return self._inner.model_hash

    def _embed_query(self, text: str) -> Any:
        return self._inner.embed_query(text)

    def _embed_passages(self, texts: Sequence[str]) -> Any:
        return self._inner.embed_passages(texts)

    def _count_tokens(self, text: str) -> int:
        return self._inner.count_tokens(text)


@dataclass(frozen=True)
class Result:
    files: int
    pages: int
    passages: int
    times: Times

    @property
    def total(self) -> float:
        return self.times.cpu["total"]

    @property
    def own(self) -> float:
        """CPU seconds that neither the parsing libraries nor the embedder took."""
        return self.total - self.times.cpu["parser"] - self.times.cpu["embedder"]

    @property
    def overhead(self) -> float:
        return max(0.0, self.own) / self.total


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--pages", type=int, default=120)
    parser.add_argument("--embedder", default="e5", choices=("e5", "seeded"))
    options = parser.parse_args(arguments)
    files = [path for path in sorted(options.data.rglob("*")) if kind_of(path) == "document"]
    if not files:
        sys.stderr.write(f"error: no document in {options.data}; next: name another --data DIR\n")
        return 2
    result = measure(files, options.pages, make_embedder(options.embedder))
    sys.stdout.write(report(result))
    return 0 if result.overhead <= MAX_OVERHEAD else 1


def measure(files: Iterable[Path], pages: int, embedder: Embedder) -> Result:
    times = Times()
    documents = dict(_chosen(files, pages))
    counted = sum(document.pages or 1 for document in documents.values())
    timed = TimedEmbedder(embedder, times)
    embedder.embed_passages(["warm"])
    with times.measure("parser"):
        for path in documents:
            parse_raw(path)
    with times.measure("parse"):
        for path in documents:
            read_document(path, ocr=lambda: None)
    with times.measure("chunk"):
        for document in documents.values():
            _chunk(document, embedder.count_tokens)
    with tempfile.TemporaryDirectory() as directory:
        marks = _Marks()
        report = run_ingest(
            Path(directory),
            tuple(documents),
            settings=IngestSettings(),
            embedder=timed,
            at=marks,
        )
        marks.into(times)
    return Result(len(documents), counted, report.chunks, times)


class _Marks:
    """Called by a run at its marks: the time of each stage between two of them."""

    def __init__(self) -> None:
        self._at = [("start", time.process_time(), time.perf_counter())]

    def __call__(self, mark: str) -> None:
        if mark != "embedded":
            self._at.append((mark, time.process_time(), time.perf_counter()))

    def into(self, times: Times) -> None:
        for (_, cpu, clock), (mark, next_cpu, next_clock) in zip(
            self._at, self._at[1:], strict=False
        ):
            times.add(f"until {mark}", next_cpu - cpu, next_clock - clock)
        (_, cpu, clock), (_, last_cpu, last_clock) = self._at[0], self._at[-1]
        times.add("total", last_cpu - cpu, last_clock - clock)


def _chosen(files: Iterable[Path], pages: int) -> Iterator[tuple[Path, Document]]:
    """Documents that are read whole without OCR, the shortest first."""
    read: list[tuple[int, Path]] = []
    for path in files:
        try:
            read.append((_page_count(path), path))
        except RuntimeError:
            continue  # encrypted, damaged: nothing to measure
    left = pages
    for count, path in sorted(read):
        if left <= 0 or count > left:
            continue
        try:
            document = read_document(path, ocr=lambda: None)
        except FileRejected:
            continue
        if not document.metadata.get("skipped_pages"):
            left -= count
            yield path, document


def _page_count(path: Path) -> int:
    if path.suffix.lower() != ".pdf":
        return 1
    with _MUPDF.open(path) as pdf:
        if pdf.needs_pass:
            raise RuntimeError("encrypted")
        return int(pdf.page_count)


def parse_raw(path: Path) -> None:
    """What the libraries do for a file, called by nobody's code but theirs."""
    suffix = path.suffix.lower()
    if suffix == ".pdf":
        with _MUPDF.open(path) as pdf:
            for page in pdf:
                _parse_page(page)
    elif suffix == ".docx":
        import docx

        docx.Document(str(path))
    elif suffix == ".pptx":
        import pptx

        pptx.Presentation(str(path))
    else:
        path.read_bytes().decode("utf-8", "replace")


def _parse_page(page: Any) -> None:
    page.get_text("dict", flags=_TEXT)
    if page.get_cdrawings():
        page.get_text("words")
        for strategy in ("lines_strict", "lines"):
            tables = page.find_tables(strategy=strategy).tables
            for table in tables:
                table.extract()
            if tables:
                break


def _chunk(document: Document, count: Callable[[str], int]) -> None:
    chunk_document(
        document,
        doc_id="d",
        kb="default",
        source="d",
        count_tokens=count,
        chunk_tokens=400,
        overlap=0.1,
    )


def report(result: Result) -> str:
    cpu, clock = result.times.cpu, result.times.clock
    stages = {
        "parse": cpu["parse"],
        "  of it the libraries": cpu["parser"],
        "chunk": cpu["chunk"],
        "embed (the embedder)": cpu["embedder"],
        "store (passages, tables of documents)": cpu.get("until indexed", 0.0) - cpu["embedder"],
        "check, publish": result.total
        - cpu.get("until indexed", 0.0)
        - cpu.get("until documents", 0.0),
        "total of the run": result.total,
    }
    lines = [
        f"{result.files} files, {result.pages} pages, {result.passages} passages",
        f"pages a second     {result.pages / clock['until documents']:8.2f}  (parsed and cut)",
        f"passages a second  {result.passages / clock['until indexed']:8.2f}  (embedded and stored)",
        "",
        "| stage | CPU s | share |",
        "| --- | ---: | ---: |",
        *(f"| {name} | {s:.2f} | {s / result.total:.1%} |" for name, s in stages.items()),
        "",
        f"own overhead over libraries and embedder: {result.own:.2f} s, {result.overhead:.1%}"
        f" (limit {MAX_OVERHEAD:.0%})",
    ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.exit(main())
