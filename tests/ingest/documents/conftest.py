"""Builders of small documents, and the properties every chunking must have."""

from collections.abc import Callable
from pathlib import Path

import pytest

from ingest.documents import Document, chunk_document, context_prefix, read_document
from ingest.store.records import Chunk

CountTokens = Callable[[str], int]


@pytest.fixture
def count() -> CountTokens:
    """A token for every two characters, as subword tokenizers give for Japanese."""

    def count_tokens(text: str) -> int:
        return (len(text) + 1) // 2

    return count_tokens


@pytest.fixture
def read(tmp_path: Path) -> Callable[..., Document]:
    """Writes a file and reads it as a document."""

    def write_and_read(content: str | bytes, name: str = "doc.md") -> Document:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return read_document(path)

    return write_and_read


@pytest.fixture
def chunk(count: CountTokens) -> Callable[..., list[Chunk]]:
    def run(
        document: Document, chunk_tokens: int = 100, overlap: float = 0.0, doc_id: str = "d1"
    ) -> list[Chunk]:
        return chunk_document(
            document,
            doc_id=doc_id,
            kb="policies",
            source="doc.md",
            count_tokens=count,
            chunk_tokens=chunk_tokens,
            overlap=overlap,
        )

    return run


@pytest.fixture
def uncovered() -> Callable[[Document, list[Chunk]], str]:
    """The visible characters of the document that no chunk's span holds."""

    def find(document: Document, chunks: list[Chunk]) -> str:
        held = [False] * len(document.text)
        for passage in chunks:
            held[passage.start : passage.end] = [True] * (passage.end - passage.start)
        pairs = zip(document.text, held, strict=True)
        return "".join(char for char, found in pairs if not found and not char.isspace())

    return find


@pytest.fixture
def largest(count: CountTokens) -> Callable[[Document, list[Chunk], int], int]:
    """Tokens of the longest passage, its prefix included."""

    def measure(document: Document, chunks: list[Chunk], chunk_tokens: int) -> int:
        return max(
            count(context_prefix(document.title, c.heading, count, chunk_tokens) + c.text)
            for c in chunks
        )

    return measure
