"""Writes what the first stage finds for a retrieval set: the input of `reranker.fit`.

    python -m ingest.index.first_stage OUT SET…

A set is a directory with `corpus.jsonl` and `queries.jsonl` (`_id`, `text`) and `qrels.tsv`
(query-id, corpus-id, score, a header line). One line a query goes to each of four files: query,
gold ids, candidates.

    OUT/<set>.jsonl              the set as it is
    OUT/<set>.reworded.jsonl     half of a query's words gone from its sparse side, as when a
                                 question is asked in other words than the passage's
    OUT/<set>.small.jsonl        the corpus dealt into bases of 24 passages
    OUT/<set>.small-reworded.jsonl

Embedded with e5; the vectors are kept in OUT/<set>.npz and used again. Seeded: the same files on
every run.
"""

import argparse
import json
import re
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ingest.embedders import make_embedder
from ingest.index import create_index
from ingest.sparse import Bm25, average_length
from ingest.store.records import Chunk, Hit
from ingest.store.settings import KnowledgeBaseSettings

Texts = dict[str, str]
Base = dict[str, tuple[str, NDArray[Any]]]
"""Passage id → text, vector."""
Queries = dict[str, tuple[str, NDArray[Any]]]
SMALL = 24
_PIECE = re.compile(r"[぀-ヿ㐀-鿿豈-﫿]{1,2}|[^\W぀-ヿ㐀-鿿豈-﫿]+")


def read_texts(path: Path) -> Texts:
    with path.open(encoding="utf-8") as lines:
        return {r["_id"]: r["text"] for r in map(json.loads, lines)}


def read_gold(path: Path) -> dict[str, list[str]]:
    gold: dict[str, list[str]] = defaultdict(list)
    for line in path.read_text(encoding="utf-8").splitlines()[1:]:
        query_id, corpus_id, _ = line.split("\t")
        gold[query_id].append(corpus_id)
    return gold


def embed(corpus: Texts, queries: Texts, cache: Path) -> tuple[NDArray[Any], NDArray[Any]]:
    if not cache.exists():
        embedder = make_embedder("e5")
        passages = embedder.embed_passages(list(corpus.values()))
        questions = np.stack([embedder.embed_query(q) for q in queries.values()])
        np.savez(cache, passages=passages, queries=questions)
    with np.load(cache) as kept:
        return kept["passages"], kept["queries"]


def reword(query: str, random: Random) -> str:
    """The query without about half of its words (of two characters in CJK runs)."""
    kept = [w for w in _PIECE.findall(query) if random.random() < 0.5]
    return " ".join(kept)


def search(base: Base, queries: Queries) -> dict[str, list[Hit]]:
    """The hits of every query, with the default number of candidates."""
    limits = KnowledgeBaseSettings()
    chunks = [
        Chunk(chunk_id=i, doc_id=i, kb="set", source=i, ordinal=0, text=t, start=0, end=len(t))
        for i, (t, _) in base.items()
    ]
    bm25 = Bm25(average_length(c.text for c in chunks))
    vectors = np.stack([v for _, v in base.values()])
    with tempfile.TemporaryDirectory() as directory:
        index = create_index("edge", Path(directory) / "index", vectors.shape[1])
        index.upsert(chunks, vectors, [bm25.document(c.text) for c in chunks])
        found = {
            query_id: index.search(
                vector,
                bm25.query(text),
                dense_limit=limits.dense_candidates,
                sparse_limit=limits.sparse_candidates,
            )
            for query_id, (text, vector) in queries.items()
        }
        index.close()
    return found


def deal(base: Base, random: Random) -> Iterator[Base]:
    ids = sorted(base)
    random.shuffle(ids)
    for start in range(0, len(ids), SMALL):
        yield {i: base[i] for i in ids[start : start + SMALL]}


def write(path: Path, bases: Iterable[Base], queries: Queries, gold: dict[str, list[str]]) -> None:
    """Each query is asked in the bases that hold a gold passage of it."""
    with path.open("w", encoding="utf-8") as lines:
        for base in bases:
            here = {q: v for q, v in queries.items() if base.keys() & set(gold.get(q, ()))}
            for query_id, hits in search(base, here).items() if here else ():
                candidates = [
                    {"id": h.chunk.chunk_id, "text": h.chunk.text} | h.model_dump(exclude={"chunk"})
                    for h in hits
                ]
                record = {
                    "query": here[query_id][0],
                    "gold": sorted(base.keys() & set(gold[query_id])),
                    "candidates": candidates,
                }
                lines.write(json.dumps(record, ensure_ascii=False) + "\n")


def write_set(directory: Path, out: Path) -> None:
    corpus = read_texts(directory / "corpus.jsonl")
    asked = read_texts(directory / "queries.jsonl")
    gold = read_gold(directory / "qrels.tsv")
    passages, questions = embed(corpus, asked, out / f"{directory.name}.npz")
    base = {i: (t, v) for (i, t), v in zip(corpus.items(), passages, strict=True)}
    queries = {i: (t, v) for (i, t), v in zip(asked.items(), questions, strict=True)}
    random = Random(0)
    reworded = {i: (reword(t, random), v) for i, (t, v) in queries.items()}
    small = list(deal(base, random))
    name = directory.name
    write(out / f"{name}.jsonl", [base], queries, gold)
    write(out / f"{name}.reworded.jsonl", [base], reworded, gold)
    write(out / f"{name}.small.jsonl", small, queries, gold)
    write(out / f"{name}.small-reworded.jsonl", small, reworded, gold)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("out", type=Path)
    parser.add_argument("sets", type=Path, nargs="+")
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    for directory in arguments.sets:
        write_set(directory, arguments.out)


if __name__ == "__main__":
    main()
