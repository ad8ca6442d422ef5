"""Documents to passages that follow their headings, sentences and table rows."""

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple
from uuid import NAMESPACE_URL, uuid5

from ingest.documents.chunking.pack import pack
from ingest.documents.chunking.parents import PARENT_PASSAGES, Piece, parents
from ingest.documents.chunking.units import CountTokens, Section, Unit, sections, units
from ingest.documents.language import passage_language
from ingest.documents.model import Document
from ingest.store.records import Chunk

_PATH_SEPARATOR = " › "


def context_prefix(
    title: str, heading: Sequence[str], count_tokens: CountTokens, chunk_tokens: int
) -> str:
    """What is embedded before a passage: `title › heading path` and a line break.

    It takes at most half of `chunk_tokens`: of a longer path the outer headings go first.
    """
    path = [*heading] if heading and heading[0] == title else [title, *heading]
    while path:
        prefix = _PATH_SEPARATOR.join(" ".join(name.split()) for name in path) + "\n"
        if count_tokens(prefix) <= chunk_tokens // 2:
            return prefix
        path.pop(0 if len(path) < 3 else 1)
    return ""


def chunk_document(
    document: Document,
    *,
    doc_id: str,
    kb: str,
    source: str,
    count_tokens: CountTokens,
    chunk_tokens: int,
    overlap: float,
) -> list[Chunk]:
    """The document's passages in order.

    Each takes at most `chunk_tokens` by `count_tokens`, its `context_prefix` included; the
    spans of all together cover every visible character of `document.text`. `overlap` is the
    share of `chunk_tokens` that may be repeated from the passage before, in whole sentences.
    A passage that begins inside a table has the table's header before its rows.
    `parent` names the passages of the section around each, of at most four passages' tokens.
    Ids depend on the document's id and the passage's words and headings only.
    """
    drafts = _drafts(document, count_tokens, chunk_tokens, overlap)
    pieces = [Piece(draft.section.heading, draft.tokens) for draft in drafts]
    spans = parents(pieces, PARENT_PASSAGES * chunk_tokens)
    seen: Counter[str] = Counter()
    chunks: list[Chunk] = []
    for ordinal, (draft, span) in enumerate(zip(drafts, spans, strict=True)):
        section, unit, start, end, text, _ = draft
        block = document.blocks[unit.block]
        content = "\n".join([document.title, *section.heading, text])
        chunks.append(
            Chunk(
                chunk_id=str(uuid5(NAMESPACE_URL, f"{doc_id}\0{content}\0{seen[content]}")),
                doc_id=doc_id,
                kb=kb,
                source=source,
                ordinal=ordinal,
                text=text,
                heading=section.heading,
                page=block.page,
                box=block.box,
                start=start,
                end=end,
                language=passage_language(text, document.language),
                parent=span,
            )
        )
        seen[content] += 1
    return [_with_parent_id(chunk, chunks) for chunk in chunks]


def _drafts(
    document: Document, count_tokens: CountTokens, chunk_tokens: int, overlap: float
) -> "list[_Draft]":
    count = lru_cache(maxsize=4096)(count_tokens)
    return [
        draft
        for section in sections(document.blocks)
        for draft in _passages(document, section, count, chunk_tokens, overlap)
    ]


def _with_parent_id(chunk: Chunk, chunks: Sequence[Chunk]) -> Chunk:
    first, last = chunk.parent or (chunk.ordinal, chunk.ordinal)
    name = f"{chunk.doc_id}\0parent\0{chunks[first].chunk_id}\0{chunks[last].chunk_id}"
    return chunk.model_copy(update={"parent_id": str(uuid5(NAMESPACE_URL, name))})


class _Draft(NamedTuple):
    section: Section
    unit: Unit
    start: int
    end: int
    text: str
    tokens: int


def _passages(
    document: Document, section: Section, count: CountTokens, chunk_tokens: int, overlap: float
) -> Iterator[_Draft]:
    prefix = context_prefix(document.title, section.heading, count, chunk_tokens)
    room = max(1, chunk_tokens - (count(prefix) if prefix else 0))

    def measure(passage: Sequence[Unit]) -> int:
        return count(prefix + _text(document, passage)) - (chunk_tokens - room)

    pieces = units(document.text, document.blocks, section, count, room)
    for repeated, passage in pack(pieces, room, int(overlap * chunk_tokens), measure):
        start, end = _span(document, passage)
        tokens = sum(unit.tokens for unit in passage)
        yield _Draft(section, passage[repeated], start, end, _text(document, passage), tokens)


def _span(document: Document, passage: Sequence[Unit]) -> tuple[int, int]:
    start, end = passage[0].start, passage[-1].end
    text = document.text[start:end]
    return start + len(text) - len(text.lstrip()), end - (len(text) - len(text.rstrip()))


def _text(document: Document, passage: Sequence[Unit]) -> str:
    start, end = _span(document, passage)
    header = passage[0].header
    return f"{header}\n{document.text[start:end]}" if header else document.text[start:end]
