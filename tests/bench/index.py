"""The benchmark of the vector index: size and speed at 10,000 and 100,000 chunks.

    python -m tests.bench.index [--sizes 10000,100000] [--no-local]

Chunks are made up, seeded: unit vectors around a few hundred topics, texts with words that are
rare or common as in a language (Zipf), so that graph and posting lists look like real ones. Each
size is measured in a process of its own, for its memory. "With embedding" adds one query's
embedding by e5, measured beside. The same queries run on qdrant-client's own engine (its local
mode) at 10,000.
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from qdrant_client import QdrantClient

from ingest.embedders import make_embedder
from ingest.index import VectorIndex, create_index, open_index
from ingest.index.server import ServerIndex
from ingest.sparse import Bm25, SparseVector
from ingest.store.records import Chunk
from ingest.store.settings import ServerSettings
from tests.bench.retrieval_metrics import percentile

SIZES = (10_000, 100_000)
LOCAL_SIZE = 10_000
DIMENSION = 384
TOPICS, WORDS, WORDS_A_CHUNK = 300, 30_000, 60
BATCH, QUERIES, LOCAL_QUERIES = 1000, 200, 20
MOST_MS = 10.0
Batch = tuple[list[Chunk], NDArray[Any], list[SparseVector]]


def main(arguments: Sequence[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    if options.measure:
        sys.stdout.write(json.dumps(measure(options.measure, options.local)))
        return 0
    sizes = [int(size) for size in options.sizes.split(",")]
    embedding = _embedding_ms()
    found = []
    for size in sizes:
        local = not options.no_local and size == LOCAL_SIZE
        found.append(_in_its_own_process(size, local))
        sys.stdout.write("\n".join(lines(found[-1], embedding)) + "\n\n")
        sys.stdout.flush()
    slow = [f for f in found if f["p50_ms"] > MOST_MS]
    for f in slow:
        sys.stdout.write(f"missed: p50 {f['p50_ms']:.1f} ms at {f['chunks']:,} chunks\n")
    return 1 if slow else 0


def lines(found: dict[str, float], embedding: Sequence[float]) -> list[str]:
    p50, p95 = found["p50_ms"], found["p95_ms"]
    own50, own95 = percentile(embedding, 0.5), percentile(embedding, 0.95)
    out = [
        f"{found['chunks']:,.0f} chunks, {DIMENSION} dimensions",
        f"  ingest without embedding   {found['chunks'] / found['write_s']:,.0f} chunks/s written, "
        f"then {found['build_s']:.1f} s for the graph",
        f"  hybrid query               p50 {p50:.2f}  p95 {p95:.2f} ms",
        f"  hybrid query, embedded     p50 {p50 + own50:.2f}  p95 {p95 + own95:.2f} ms",
        f"  memory of the process      {found['memory_mb']:,.0f} MB at most",
        f"  on disk                    {found['disk_mb']:,.0f} MB",
        f"  reopen                     {found['reopen_s']:.2f} s",
    ]
    if "local_p50_ms" in found:
        out.append(
            f"  qdrant-client local mode   p50 {found['local_p50_ms']:.1f} ms: "
            f"{found['local_p50_ms'] / p50:.0f} times as long"
        )
    return out


def measure(size: int, local: bool) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "index"
        index = create_index("edge", path, DIMENSION)
        write_s = _write(index, size)
        started = time.perf_counter()
        index.close()
        build_s = time.perf_counter() - started
        started = time.perf_counter()
        index = open_index("edge", path)
        index.count()
        reopen_s = time.perf_counter() - started
        ms = _query(index, QUERIES)
        index.close()
        disk = sum(f.stat().st_blocks * 512 for f in path.rglob("*") if f.is_file())
    found = {
        "chunks": float(size),
        "write_s": write_s,
        "build_s": build_s,
        "reopen_s": reopen_s,
        "p50_ms": percentile(ms, 0.5),
        "p95_ms": percentile(ms, 0.95),
        "disk_mb": disk / 1e6,
        "memory_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3,
    }
    return found | ({"local_p50_ms": percentile(_local(size), 0.5)} if local else {})


def batches(size: int, seed: int = 0) -> Iterator[Batch]:
    """Chunks, unit vectors (n, DIMENSION) and BM25 vectors. `seed` 1 gives other chunks of the
    same topics: queries."""
    random = np.random.default_rng([7, seed])
    topics = np.random.default_rng(7).normal(size=(TOPICS, DIMENSION))
    bm25 = Bm25(WORDS_A_CHUNK)
    for start in range(0, size, BATCH):
        count = min(BATCH, size - start)
        of = random.integers(TOPICS, size=count)
        vectors = topics[of] + random.normal(size=(count, DIMENSION))
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        words = np.minimum(random.zipf(1.3, size=(count, WORDS_A_CHUNK)), WORDS)
        texts = [" ".join(f"w{word}x" for word in row) for row in words]
        chunks = [_chunk(start + n, text) for n, text in enumerate(texts)]
        yield chunks, vectors.astype(np.float32), [bm25.document(t) for t in texts]


def _chunk(number: int, text: str) -> Chunk:
    return Chunk(
        chunk_id=f"c{number}",
        doc_id=f"d{number // 20}",
        kb="bench",
        source=f"d{number // 20}.md",
        ordinal=number % 20,
        text=text,
        start=0,
        end=len(text),
        language="en",
    )


def _write(index: VectorIndex, size: int) -> float:
    """Seconds of writing alone, making up the chunks not counted."""
    spent = 0.0
    for chunks, vectors, sparse in batches(size):
        started = time.perf_counter()
        index.upsert(chunks, vectors, sparse)
        spent += time.perf_counter() - started
    return spent


def _query(index: VectorIndex, count: int) -> list[float]:
    """Milliseconds of each hybrid query, after ten to warm up: eight words and a vector."""
    times = []
    chunks, vectors, _ = next(batches(count + 10, seed=1))
    bm25 = Bm25(WORDS_A_CHUNK)
    for number, (chunk, vector) in enumerate(zip(chunks, vectors, strict=True)):
        words = " ".join(chunk.text.split()[:8])
        started = time.perf_counter()
        index.search(vector, bm25.query(words), dense_limit=20, sparse_limit=20)
        if number >= 10:
            times.append((time.perf_counter() - started) * 1000)
    return times


def _local(size: int) -> list[float]:
    with tempfile.TemporaryDirectory() as directory, warnings.catch_warnings():
        # It warns that it has no payload index and is meant for fewer points.
        warnings.simplefilter("ignore", UserWarning)
        client, server = QdrantClient(":memory:"), ServerSettings(url="memory")
        index = ServerIndex.create(Path(directory) / "index", DIMENSION, client, server)
        _write(index, size)
        ms = _query(index, LOCAL_QUERIES)
        index.close()
    return ms


def _embedding_ms() -> list[float]:
    embedder, times = make_embedder("e5"), []
    for _ in range(20):
        started = time.perf_counter()
        embedder.embed_query("返品の期限は何日ですか")
        times.append((time.perf_counter() - started) * 1000)
    return times


def _in_its_own_process(size: int, local: bool) -> dict[str, float]:
    command = [sys.executable, "-m", "tests.bench.index", "--measure", str(size)]
    out = subprocess.run(
        [*command, *(["--local"] if local else [])], check=True, capture_output=True, text=True
    )
    found: dict[str, float] = json.loads(out.stdout)
    return found


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--sizes", default=",".join(map(str, SIZES)))
    parser.add_argument("--no-local", action="store_true", help="leave out the local mode")
    parser.add_argument("--measure", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--local", action="store_true", help=argparse.SUPPRESS)
    return parser


if __name__ == "__main__":
    sys.exit(main())
