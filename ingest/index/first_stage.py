"""Writes what the first stage finds for a retrieval set: the input of `reranker.fit`.

    python -m ingest.index.first_stage OUT SET…

A set is a directory with `corpus.jsonl` and `queries.jsonl` (`_id`, `text`) and `qrels.tsv`
(query-id, corpus-id, score, a header line). OUT/<set>.jsonl gets one line a query: query, gold
ids, candidates. Embedded with e5; the vectors are kept in OUT/<set>.npz and used again.
"""

import argparse
import json
import tempfile
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ingest.embedders import make_embedder
from ingest.index import create_index
from ingest.sparse import Bm25, average_length
from ingest.store.records import Chunk, Hit
from ingest.store.settings import KnowledgeBaseSettings

Texts = dict[str, str]


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


def find(corpus: Texts, queries: Texts, cache: Path) -> dict[str, list[Hit]]:
    """The hits of every query, with the default number of candidates."""
    limits = KnowledgeBaseSettings()
    passages, questions = embed(corpus, queries, cache)
    bm25 = Bm25(average_length(corpus.values()))
    chunks = [
        Chunk(
            chunk_id=i, doc_id=i, kb="set", source=i, ordinal=0, text=t, start=0, end=len(t)
        )
        for i, t in corpus.items()
    ]
    with tempfile.TemporaryDirectory() as directory:
        index = create_index("edge", Path(directory) / "index", passages.shape[1])
        index.upsert(chunks, passages, [bm25.document(t) for t in corpus.values()])
        found = {
            query_id: index.search(
                vector,
                bm25.query(text),
                dense_limit=limits.dense_candidates,
                sparse_limit=limits.sparse_candidates,
            )
            for (query_id, text), vector in zip(queries.items(), questions, strict=True)
        }
        index.close()
    return found


def write(directory: Path, out: Path) -> None:
    corpus = read_texts(directory / "corpus.jsonl")
    queries = read_texts(directory / "queries.jsonl")
    gold = read_gold(directory / "qrels.tsv")
    found = find(corpus, queries, out / f"{directory.name}.npz")
    with (out / f"{directory.name}.jsonl").open("w", encoding="utf-8") as lines:
        for query_id, hits in found.items():
            candidates = [
                {"id": h.chunk.chunk_id, "text": h.chunk.text} | h.model_dump(exclude={"chunk"})
                for h in hits
            ]
            record = {
                "query": queries[query_id],
                "gold": gold.get(query_id, []),
                "candidates": candidates,
            }
            lines.write(json.dumps(record, ensure_ascii=False) + "\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("out", type=Path)
    parser.add_argument("sets", type=Path, nargs="+")
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    for directory in arguments.sets:
        write(directory, arguments.out)


if __name__ == "__main__":
    main()
