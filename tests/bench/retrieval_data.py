"""What the retrieval benchmark searches: sets of passages and queries, embedded once and kept."""

import hashlib
import json
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from ingest.documents import chunk_document, context_prefix, read_document
from ingest.documents.language import detect_language
from ingest.embedders import Embedder, make_embedder
from ingest.store.records import Chunk

EVAL_DATA = Path(__file__).resolve().parents[2] / "eval_data"
OWN = "company"
CHUNK_TOKENS, OVERLAP = 400, 0.1
_PIECE = re.compile(r"[぀-ヿ㐀-鿿豈-﫿]{1,2}|[^\W぀-ヿ㐀-鿿豈-﫿]+")


@dataclass(frozen=True)
class Query:
    """`kind`: answerable, reworded (half of its words gone from the sparse side), absent (nothing
    answers it) or near (on the subject of a document that does not answer it). `half`: 0 to fit
    on, 1 to show. `words` is what BM25 gets."""

    id: str
    text: str
    kind: str
    vector: NDArray[Any]
    words: str
    gold: frozenset[str] = frozenset()
    answers: tuple[str, ...] = ()

    @property
    def half(self) -> int:
        return crc32(self.id.encode()) % 2


@dataclass(frozen=True)
class Corpus:
    """Passages as an index takes them. `texts` are what is embedded and weighted."""

    name: str
    chunks: tuple[Chunk, ...]
    texts: tuple[str, ...]
    vectors: NDArray[Any]
    queries: tuple[Query, ...]


class Vectors:
    """Embeds with e5, once for all runs: `passages` and `queries` are kept in `directory`."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._embedder: Embedder | None = None

    @property
    def embedder(self) -> Embedder:
        if self._embedder is None:
            self._embedder = make_embedder("e5")
        return self._embedder

    def passages(self, texts: Sequence[str]) -> NDArray[Any]:
        return self._kept("p", texts)

    def queries(self, texts: Sequence[str]) -> NDArray[Any]:
        return self._kept("q", texts)

    def _kept(self, kind: str, texts: Sequence[str]) -> NDArray[Any]:
        key = hashlib.sha256(json.dumps([kind, *texts]).encode()).hexdigest()[:24]
        path = self._directory / f"{key}.npy"
        if not path.exists():
            self._directory.mkdir(parents=True, exist_ok=True)
            if kind == "p":
                vectors = self.embedder.embed_passages(texts)
            else:
                vectors = np.stack([self.embedder.embed_query(t) for t in texts])
            np.save(path, vectors)
        kept: NDArray[Any] = np.load(path)
        return kept


def read_set(directory: Path, vectors: Vectors) -> Corpus:
    """A set of `corpus.jsonl`, `queries.jsonl` and `qrels.tsv` (query-id, corpus-id, score). A
    query without a judgement is left out."""
    corpus, asked = _records(directory / "corpus.jsonl"), _records(directory / "queries.jsonl")
    gold: dict[str, set[str]] = defaultdict(set)
    for line in (directory / "qrels.tsv").read_text(encoding="utf-8").splitlines()[1:]:
        query_id, passage_id, _ = line.split("\t")
        gold[query_id].add(passage_id)
    texts = tuple(r["text"] for r in corpus)
    chunks = tuple(_chunk(r["_id"], r["text"]) for r in corpus)
    random, queries = Random(0), []
    embedded = vectors.queries([r["text"] for r in asked])
    for record, vector in zip(asked, embedded, strict=True):
        if record["_id"] not in gold:
            continue
        query = Query(
            record["_id"],
            record["text"],
            "answerable",
            vector,
            record["text"],
            frozenset(gold[record["_id"]]),
            tuple(record.get("answers", ())),
        )
        words = _reworded(query.text, random)
        queries += [query, *([replace(query, kind="reworded", words=words)] if words else [])]
    return Corpus(directory.name, chunks, texts, vectors.passages(texts), tuple(queries))


def read_company(vectors: Vectors) -> Corpus:
    """The sample company's documents, cut as ingest cuts them; questions in three languages, some
    in another one than the document's."""
    chunks: list[Chunk] = []
    texts: list[str] = []
    count = vectors.embedder.count_tokens
    for path in sorted((EVAL_DATA / "company" / "documents").iterdir()):
        document = read_document(path)
        cut = chunk_document(
            document,
            doc_id=path.name,
            kb=OWN,
            source=path.name,
            count_tokens=count,
            chunk_tokens=CHUNK_TOKENS,
            overlap=OVERLAP,
        )
        chunks += cut
        heads = (context_prefix(document.title, c.heading, count, CHUNK_TOKENS) for c in cut)
        texts += [head + c.text for head, c in zip(heads, cut, strict=True)]
    asked = _records(EVAL_DATA / "retrieval" / "company.jsonl")
    embedded = vectors.queries([r["text"] for r in asked])
    queries = [
        Query(r["id"], r["text"], "answerable", v, r["text"], _holding(r, chunks))
        for r, v in zip(asked, embedded, strict=True)
    ]
    return Corpus(OWN, tuple(chunks), tuple(texts), vectors.passages(texts), tuple(queries))


def by_language(corpus: Corpus) -> list[Corpus]:
    """The passages of one language each, with the queries that they answer: a base in a language
    that the question is not in."""
    spoken = sorted({c.language for c in corpus.chunks})
    return [_only(corpus, language) for language in spoken]


def _only(corpus: Corpus, language: str) -> Corpus:
    kept = [i for i, c in enumerate(corpus.chunks) if c.language == language]
    ids = {corpus.chunks[i].chunk_id for i in kept}
    queries = [replace(q, gold=q.gold & ids) for q in corpus.queries if q.gold & ids]
    return Corpus(
        f"{corpus.name}, {language} only",
        tuple(corpus.chunks[i] for i in kept),
        tuple(corpus.texts[i] for i in kept),
        corpus.vectors[kept],
        tuple(queries),
    )


def unanswerable(vectors: Vectors) -> tuple[Query, ...]:
    """Questions that nothing in any set answers."""
    asked = _records(EVAL_DATA / "retrieval" / "unanswerable.jsonl")
    embedded = vectors.queries([r["text"] for r in asked])
    return tuple(
        Query(r["id"], r["text"], r["kind"], v, r["text"])
        for r, v in zip(asked, embedded, strict=True)
    )


def _holding(record: dict[str, Any], chunks: Sequence[Chunk]) -> frozenset[str]:
    """The chunks of the source that say the phrase. Raises `ValueError` when none does."""
    phrase = "".join(record["phrase"].split())
    found = frozenset(
        c.chunk_id
        for c in chunks
        if c.source == record["source"] and phrase in "".join([*c.heading, *c.text.split()])
    )
    if not found:
        raise ValueError(f"{record['id']}: no passage of {record['source']} says {phrase!r}")
    return found


def _records(path: Path) -> list[dict[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def _chunk(name: str, text: str) -> Chunk:
    return Chunk(
        chunk_id=name,
        doc_id=name,
        kb="set",
        source=name,
        ordinal=0,
        text=text,
        start=0,
        end=len(text),
        language=detect_language(text),
    )


def _reworded(text: str, random: Random) -> str:
    """Without about half of its words (of two characters in CJK runs): a question that uses
    other words than the passage."""
    return " ".join(_kept(text, random))


def _kept(text: str, random: Random) -> Iterator[str]:
    return (word for word in _PIECE.findall(text) if random.random() < 0.5)
