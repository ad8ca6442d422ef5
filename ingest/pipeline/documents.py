"""Document files into the vector index of the draft: read and chunk all, then embed in batches."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from ingest.documents import (
    NEEDS_OCR,
    Document,
    DocumentTable,
    chunk_document,
    context_prefix,
    document_record,
    document_tables,
    read_document,
    reading_problems,
)
from ingest.embedders import Embedder
from ingest.index import VectorIndex, create_index, open_index
from ingest.pipeline.draft import Draft
from ingest.pipeline.embedding import embed_in_batches
from ingest.pipeline.failures import failure_of, is_of_the_disk
from ingest.pipeline.journal import EmbeddingJournal
from ingest.report import Changes, Meter, ProgressSink
from ingest.scan import printable
from ingest.sparse import Bm25, terms
from ingest.store.embedding import LazyEmbedder, entry_of
from ingest.store.errors import FileRejected
from ingest.store.records import Chunk, DocumentRecord, Failure
from ingest.store.settings import IngestSettings
from ingest.sync import Change, Plan

FORMER_SOURCES = 8
"""So many earlier paths of a moved document are remembered."""


@dataclass(frozen=True)
class Passages:
    """A document that was read and cut, not yet embedded.

    `texts` are what is embedded and weighted: a chunk with the title and headings over it. There
    are none for a document that only declares something else: its passages are in the index.
    """

    change: Change
    record: DocumentRecord
    chunks: tuple[Chunk, ...]
    texts: tuple[str, ...]
    terms: int
    tables: tuple[DocumentTable, ...] = ()
    problems: tuple[str, ...] = ()


class DocumentStage:
    """Takes in the documents of one run, all of one knowledge base."""

    def __init__(
        self,
        draft: Draft,
        kb: str,
        settings: IngestSettings,
        embedder: LazyEmbedder,
        progress: ProgressSink,
        journal: Callable[[Embedder], EmbeddingJournal],
        at: Callable[[str], None],
    ) -> None:
        self._draft = draft
        self._kb = kb
        self._settings = settings
        self._embedder = embedder
        self._progress = progress
        self._journal = journal
        self._at = at

    def read(self, plan: Plan, counts: Changes) -> list[Passages]:
        """Read and cut every new or changed file. One that fails keeps its earlier version."""
        redeclared = plan.of_kind(plan.redeclared, "document")
        changes = [*redeclared, *plan.changes("document")]
        ready: list[Passages] = []
        taken = set(self._draft.documents)
        meter = Meter(self._progress, "documents", len(changes))
        for done, change in enumerate(changes):
            meter.tell(done, change.found.source)
            try:
                passages = self._cut(change, taken, same_text=done < len(redeclared))
            except (FileRejected, OSError) as error:
                if is_of_the_disk(error):
                    raise
                counts.failed.append(failure_of(change.found.path, error))
                continue
            taken.add(passages.record.doc_id)
            ready.append(passages)
            path = printable(change.found.path)
            counts.failed.extend(Failure(path=path, reason=text) for text in passages.problems)
        if changes:
            meter.tell(len(changes))
        return ready

    def write(self, plan: Plan, ready: Sequence[Passages], counts: Changes) -> None:
        """Bring index and records of the draft to the new state."""
        self._follow_moves(plan, counts)
        deleted = plan.deletions("document")
        replaced = [p.change.old for p in ready if p.change.old is not None]
        new = [p for p in ready if p.texts]
        rewritten = [p.change.old for p in new if p.change.old is not None]
        outdated = [e.doc_id for e in (*deleted, *rewritten) if e.doc_id]
        if new or outdated:
            self._rewrite_index(new, outdated)
        for entry in deleted:
            self._draft.documents.pop(entry.doc_id or "", None)
            self._draft.forget(entry)
        for passages in ready:
            self._record(passages)
        counts.deleted += len(deleted)
        counts.updated += len(replaced)
        counts.added += len(ready) - len(replaced)
        self._drop_empty_index()

    def _cut(self, change: Change, taken: Collection[str], *, same_text: bool) -> Passages:
        """`same_text`: the file is the one that was read before; what it declares may differ."""
        found, kb = change.found, self._settings.knowledge_base(self._kb)
        old_id = change.old.doc_id if change.old else None
        doc_id = old_id or new_doc_id(self._kb, found.source, taken)
        document = read_document(found.path)
        earlier = self._draft.documents.get(doc_id)
        if same_text and earlier is not None and change.old and document.title == earlier.title:
            record = self._record_of(document, doc_id, change, earlier.chunks)
            return Passages(change, record, (), (), change.old.terms, *_rest(document))
        chunks = tuple(
            chunk_document(
                document,
                doc_id=doc_id,
                kb=self._kb,
                source=found.source,
                count_tokens=self._embedder.get().count_tokens,
                chunk_tokens=kb.chunk_tokens,
                overlap=kb.overlap,
            )
        )
        if not chunks:
            raise FileRejected("it holds no text", "add text to it, or remove it")
        if not found.still_the_same():
            raise FileRejected("it changed while it was being read", "run the same command again")
        count, limit = self._embedder.get().count_tokens, kb.chunk_tokens
        texts = tuple(
            context_prefix(document.title, c.heading, count, limit) + c.text for c in chunks
        )
        record = self._record_of(document, doc_id, change, len(chunks))
        count_of_terms = sum(len(terms(text)) for text in texts)
        return Passages(change, record, chunks, texts, count_of_terms, *_rest(document))

    def _record_of(
        self, document: Document, doc_id: str, change: Change, chunks: int
    ) -> DocumentRecord:
        found, earlier = change.found, self._draft.documents.get(doc_id)
        record = document_record(
            document,
            doc_id=doc_id,
            kb=self._kb,
            source=found.source,
            sha256=found.sha256,
            chunks=chunks,
        )
        return _remembering(record, earlier) if earlier else record

    def _rewrite_index(self, ready: Sequence[Passages], outdated: Sequence[str]) -> None:
        index = self._open_index()
        try:
            index.delete_documents(outdated)
            self._embed(index, ready, outdated)
            index.flush()
        finally:
            index.close()

    def _open_index(self) -> VectorIndex:
        path, server = self._draft.index_path(self._kb), self._settings.server
        if path.exists():
            return open_index(self._draft.index, path, read_only=False, server=server)
        path.parent.mkdir(exist_ok=True)
        embedder = self._embedder.get()
        return create_index(
            self._draft.index,
            path,
            embedder.dimension,
            learned=embedder.learned_sparse,
            server=server,
        )

    def _embed(
        self, index: VectorIndex, ready: Sequence[Passages], outdated: Collection[str]
    ) -> None:
        if not ready:
            return
        embedder = self._embedder.get()
        self._draft.embedder = entry_of(embedder)
        average = self._new_average(ready, outdated)
        self._draft.average_length[self._kb] = average
        bm25 = Bm25(average)
        chunks = [chunk for passages in ready for chunk in passages.chunks]
        texts = [text for passages in ready for text in passages.texts]
        meter, done = Meter(self._progress, "embed", len(chunks)), 0
        journal = self._journal(embedder)
        try:
            for batch in embed_in_batches(
                texts,
                embedder,
                journal,
                size=self._settings.embed_batch,
                concurrency=self._settings.embed_concurrency,
            ):
                taken, sparse = chunks[batch.part], map(bm25.document, texts[batch.part])
                index.upsert(taken, batch.passages.dense, list(sparse), batch.passages.sparse)
                done += len(taken)
                meter.tell(done, taken[-1].source, free=len(taken) - batch.fresh)
                self._at("embedded")
        finally:
            journal.close()

    def _new_average(self, ready: Sequence[Passages], outdated: Collection[str]) -> float:
        """Terms a chunk over the whole knowledge base, as it will be after this run."""
        kept = [r for r in self._draft.of_kb(self._kb) if r.doc_id not in outdated]
        term_counts = {e.doc_id: e.terms for e in self._draft.entries.values()}
        total = sum(term_counts.get(r.doc_id, 0) for r in kept) + sum(p.terms for p in ready)
        chunks = sum(r.chunks for r in kept) + sum(len(p.chunks) for p in ready)
        return total / chunks if chunks else 0.0

    def _follow_moves(self, plan: Plan, counts: Changes) -> None:
        for change in plan.moves("document"):
            old = change.old
            assert old is not None and old.doc_id is not None
            source = change.found.source
            record = self._draft.documents[old.doc_id]
            moved_record = record.model_copy(update={"source": source})
            self._draft.documents[old.doc_id] = _remembering(moved_record, record)
            moved = change.found.entry(
                self._kb, doc_id=old.doc_id, terms=old.terms, needs_ocr=old.needs_ocr
            )
            self._draft.put(moved, old)
            counts.moved += 1

    def _record(self, passages: Passages) -> None:
        record = passages.record
        self._draft.documents[record.doc_id] = record
        found = passages.change.found
        entry = found.entry(
            self._kb,
            doc_id=record.doc_id,
            terms=passages.terms,
            needs_ocr=any(NEEDS_OCR in problem for problem in passages.problems),
        )
        self._draft.put(entry, passages.change.old)

    def _drop_empty_index(self) -> None:
        if self._draft.of_kb(self._kb):
            return
        self._draft.average_length.pop(self._kb, None)
        if not self._draft.documents:
            self._draft.embedder = None
        if self._draft.index_path(self._kb).exists():
            shutil.rmtree(self._draft.index_path(self._kb))


def _rest(document: Document) -> tuple[tuple[DocumentTable, ...], tuple[str, ...]]:
    return tuple(document_tables(document)), reading_problems(document)


def _remembering(record: DocumentRecord, earlier: DocumentRecord) -> DocumentRecord:
    """With the paths that the document had before: other documents may name it by them."""
    before = (*earlier.former_sources, earlier.source)
    known = [source for source in dict.fromkeys(before) if source != record.source]
    return record.model_copy(update={"former_sources": tuple(known[-FORMER_SOURCES:])})


def new_doc_id(kb: str, source: str, taken: Collection[str]) -> str:
    """16 hexadecimal digits, fixed by knowledge base and source; unique among `taken`."""
    for attempt in range(len(taken) + 1):
        name = f"{kb}\0{source}\0{attempt}" if attempt else f"{kb}\0{source}"
        doc_id = hashlib.sha256(name.encode()).hexdigest()[:16]
        if doc_id not in taken:
            return doc_id
    raise AssertionError("unreachable: one attempt more than ids taken")


def document_recipe(kb: str, settings: IngestSettings) -> str:
    chosen = settings.knowledge_base(kb)
    return f"documents=3;tokens={chosen.chunk_tokens};overlap={chosen.overlap}"


def table_recipe(settings: IngestSettings) -> str:
    patterns = "".join(f";{pattern}" for pattern in settings.series_patterns)
    return f"tables=4;quarantine={settings.max_quarantine_share};series={settings.series}{patterns}"
