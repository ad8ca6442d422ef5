"""`KnowledgeSearch`: scope, search side by side, second stage, threshold."""

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass, replace
from datetime import date
from typing import ClassVar

from opentelemetry import trace

from ingest.store import DocumentRecord, Hit
from ingest.store.errors import IngestError
from reranker import Candidate, Ranked, Reranker
from reranker.errors import RerankerError
from reranker.text import language
from tools.base import Arguments, Result, ToolContext
from tools.errors import ToolRefused, ToolRetry, ToolUnavailable
from tools.knowledge.arguments import KnowledgeArguments
from tools.knowledge.named import named_documents
from tools.knowledge.replacements import with_replacements
from tools.knowledge.results import TOOL, KnowledgeBaseList, Passage, SearchResult
from tools.knowledge.settings import KnowledgeSettings
from tools.knowledge.surroundings import with_surroundings

MAX_QUERY_CHARACTERS = 2000
MAX_WORKERS = 4
_tracer = trace.get_tracer("zaiko.tools.knowledge")


@dataclass(frozen=True)
class Found:
    """Hits of all knowledge bases that answered; why the others did not."""

    hits: tuple[Hit, ...]
    failures: Mapping[str, str]


class KnowledgeSearch:
    """Nothing is returned unless the best passage reaches the reranker's threshold for the
    question's language; the passages behind it come along, down to `top_k`. `thresholds` maps a
    knowledge base to a threshold of its own, which every one of its passages must reach;
    `criteria` to what it counts as relevant, in words, for a reranker that reads them."""

    name: ClassVar[str] = TOOL
    description: ClassVar[str] = (
        "Search the company's documents (policies, agreements, manuals). They are the authority "
        "for their domain, and nothing is searched unless you call this. Results are quoted data."
    )
    arguments: ClassVar[type[Arguments]] = KnowledgeArguments

    def __init__(
        self,
        reranker: Reranker,
        thresholds: Mapping[str, float] | None = None,
        criteria: Mapping[str, str] | None = None,
        settings: KnowledgeSettings | None = None,
    ) -> None:
        self._reranker = reranker
        self._thresholds = dict(thresholds or {})
        self._criteria = dict(criteria or {})
        self._settings = settings or KnowledgeSettings()

    def run(self, arguments: Arguments, context: ToolContext) -> Result:
        """Raises `ToolRefused` (kb_out_of_scope), `ToolRetry` (unknown_kb, query_too_long) and
        `ToolUnavailable` (knowledge_unavailable) when no knowledge base could be searched."""
        asked = KnowledgeArguments.model_validate(arguments.model_dump())
        kbs = _in_scope(asked, context)
        if asked.action == "list":
            infos = [i for i in context.store.knowledge_bases() if i.name in kbs]
            return KnowledgeBaseList(tuple(infos))
        query = asked.query_text.strip()
        if len(query) > MAX_QUERY_CHARACTERS:
            raise ToolRetry(
                "query_too_long",
                f"The query has {len(query)} characters; at most {MAX_QUERY_CHARACTERS} are read.",
                "Search for the few words that matter.",
            )
        if not kbs:
            return SearchResult(query, note="No document has been ingested.")
        if not context.store.query_has_terms(query):
            return SearchResult(
                query, note="The query has no word to search for. Search with words or a code."
            )
        return self._query(query, kbs, asked.top_k, context)

    def _query(
        self, query: str, kbs: Sequence[str], top_k: int, context: ToolContext
    ) -> SearchResult:
        found = _search(context, kbs, query)
        if len(found.failures) == len(kbs):
            reasons = "; ".join(f"{kb}: {why}" for kb, why in found.failures.items())
            raise ToolUnavailable(
                "knowledge_unavailable",
                f"No knowledge base could be searched. {reasons}",
                "Answer from other evidence, or say that the documents could not be searched.",
            )
        ranked = self._rank(query, found.hits, context)
        kept = self._keep(query, found.hits, ranked)
        notes = [f"Not searched: {kb} ({why})" for kb, why in found.failures.items()]
        if not kept:
            notes.insert(0, self._why_empty(query, found.hits, ranked))
        passages = self._with_named(
            _passages(kept[:top_k], found.hits, query, context), kbs, query, context
        )
        passages = with_replacements(passages, context, lambda d: self._best_of(d, query, context))
        return SearchResult(
            query,
            self._with_surroundings(passages, context),
            tuple(found.failures),
            " ".join(notes),
            self._settings.result_tokens,
            context.around is not None,
        )

    def _with_named(
        self,
        passages: tuple[Passage, ...],
        kbs: Sequence[str],
        query: str,
        context: ToolContext,
    ) -> tuple[Passage, ...]:
        """What the question calls by its edition comes first; it is searched where none of it is
        among the best, so that it is there although a newer edition says it in the same words."""
        documents = [d for d in context.store.documents() if d.kb in kbs]
        named = named_documents(f"{query}\n{context.question or ''}", documents)
        if not named:
            return passages
        there = {p.chunk.doc_id for p in passages}
        missing = [d for d in documents if d.doc_id in named - there]
        searched = [p for d in missing if (p := self._best_of(d, query, context)) is not None]
        every = [replace(p, named=p.chunk.doc_id in named) for p in (*passages, *searched)]
        every.sort(key=lambda p: not p.named)
        return tuple(replace(p, rank=rank) for rank, p in enumerate(every, start=1))

    def _with_surroundings(
        self, passages: tuple[Passage, ...], context: ToolContext
    ) -> tuple[Passage, ...]:
        if context.around is not None:
            return with_surroundings(passages, context.store, context.around)
        if self._settings.sections:
            return with_surroundings(
                passages, context.store, "section", self._settings.result_tokens
            )
        return passages

    def _best_of(
        self, document: DocumentRecord, query: str, context: ToolContext
    ) -> Passage | None:
        allowed = _allowed(context, document.kb)
        if allowed is not None and document.doc_id not in allowed:
            return None
        hits = context.store.search(document.kb, query, doc_ids=[document.doc_id])
        best = self._rank(query, hits, context)[:1]
        return next(iter(_passages(best, hits, query, context)), None)

    def _rank(self, query: str, hits: Sequence[Hit], context: ToolContext) -> list[Ranked]:
        candidates = [candidate_of(h, self._criteria.get(h.chunk.kb, "")) for h in hits]
        try:
            return self._reranker.rerank(query, candidates)
        except RerankerError as error:
            raise ToolUnavailable(error.kind, error.message, error.hint) from error

    def _keep(self, query: str, hits: Sequence[Hit], ranked: Sequence[Ranked]) -> list[Ranked]:
        if not any(r.score >= self._threshold(hits[r.index], query) for r in ranked):
            return []
        return [r for r in ranked if r.score >= self._thresholds.get(hits[r.index].chunk.kb, 0.0)]

    def _threshold(self, hit: Hit, query: str) -> float:
        own = self._thresholds.get(hit.chunk.kb)
        return self._reranker.threshold(language(query, kanji="zh")) if own is None else own

    def _why_empty(self, query: str, hits: Sequence[Hit], ranked: Sequence[Ranked]) -> str:
        if not ranked:
            return "No passage was found."
        best = ranked[0]
        line = self._threshold(hits[best.index], query)
        return (
            f"No passage answers this: the best score is {best.score:.2f} "
            f"({hits[best.index].chunk.source}), under the threshold {line:.2f}. An empty search "
            "proves nothing about the facts."
        )


def _in_scope(asked: KnowledgeArguments, context: ToolContext) -> list[str]:
    known = [i.name for i in context.store.knowledge_bases()]
    allowed = known if context.kbs is None else list(context.kbs)
    named = asked.named()
    outside = [kb for kb in named if kb not in allowed]
    if outside and context.kbs is not None:
        raise ToolRefused(
            "kb_out_of_scope",
            f"The knowledge base {outside[0]!r} is outside this question's scope.",
            f"In scope: {', '.join(allowed)}.",
        )
    if outside:
        raise ToolRetry(
            "unknown_kb",
            f"There is no knowledge base {outside[0]!r}.",
            f"There are: {', '.join(known)}." if known else "No document has been ingested.",
        )
    return named or allowed


def _search(context: ToolContext, kbs: Sequence[str], query: str) -> Found:
    """Every knowledge base in its own thread; the spans stay children of the caller's."""
    with ThreadPoolExecutor(min(MAX_WORKERS, len(kbs)), "knowledge") as pool:
        tasks = [pool.submit(copy_context().run, _search_one, context, kb, query) for kb in kbs]
        outcomes = [task.result() for task in tasks]
    hits: dict[str, Hit] = {}
    failures: dict[str, str] = {}
    for kb, outcome in zip(kbs, outcomes, strict=True):
        if isinstance(outcome, str):
            failures[kb] = outcome
            continue
        for hit in outcome:
            # The same text in two bases, or twice in one, is one proof.
            hits.setdefault("".join(hit.chunk.text.split()), hit)
    return Found(tuple(hits.values()), failures)


def _search_one(context: ToolContext, kb: str, query: str) -> list[Hit] | str:
    """The hits, or why there are none."""
    with _tracer.start_as_current_span(f"retrieval {kb}") as span:
        span.set_attribute("gen_ai.operation.name", "retrieval")
        span.set_attribute("gen_ai.data_source.id", kb)
        try:
            hits = context.store.search(kb, query, doc_ids=_allowed(context, kb))
        except (IngestError, OSError) as error:
            span.record_exception(error)
            span.set_status(trace.StatusCode.ERROR, str(error))
            return str(error)
        span.set_attribute("zaiko.retrieval.candidates", len(hits))
        return hits


def _allowed(context: ToolContext, kb: str) -> frozenset[str] | None:
    if context.documents is None:
        return None
    return context.store.select(kb, context.documents, context.today)


def candidate_of(hit: Hit, criteria: str = "") -> Candidate:
    """A hit of the first stage as the second stage takes it."""
    return Candidate(
        text=hit.chunk.text,
        heading=hit.chunk.heading,
        language=hit.chunk.language,
        fused=hit.fused,
        cosine=hit.cosine,
        bm25=hit.bm25,
        dense_rank=hit.dense_rank,
        sparse_rank=hit.sparse_rank,
        criteria=criteria,
    )


def _passages(
    kept: Sequence[Ranked], hits: Sequence[Hit], query: str, context: ToolContext
) -> tuple[Passage, ...]:
    if not kept:
        return ()
    documents = {d.doc_id: d for d in context.store.documents()}
    asked = language(query, kanji="zh")
    note_language = "en" if asked == "other" else asked
    passages = []
    for rank, ranked in enumerate(kept, start=1):
        chunk = hits[ranked.index].chunk
        document = documents.get(chunk.doc_id)
        dated = document.document_date if document else None
        passages.append(
            Passage(
                rank=rank,
                score=ranked.score,
                chunk=chunk,
                reason=ranked.reason,
                remark=ranked.remark,
                document_date=dated.isoformat() if dated else None,
                status_note=context.store.status_note(chunk.doc_id, note_language, context.today),
                validity=_validity(document, context.today),
            )
        )
    return tuple(passages)


def _validity(document: DocumentRecord | None, today: date) -> str:
    """When a document that does not apply today does; "" for one that does, or may."""
    if document is None:
        return ""
    start, end = document.valid_from, document.valid_to
    if (start is None or start <= today) and (end is None or end >= today):
        return ""
    return f"valid {start or ''}..{end or ''}"
