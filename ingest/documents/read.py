"""A file becomes a `Document`: the reader of its format, its metadata, title and language."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from ingest.documents.language import detect_language
from ingest.documents.metadata import read_sidecar
from ingest.documents.model import Block, Document, place
from ingest.documents.readers import reader_for
from ingest.store.errors import FileRejected

_MAX_TITLE = 120


def read_document(path: Path) -> Document:
    """The document in `path`.

    Raises FileRejected (message and hint) for a format without a reader, and for a file that
    is empty, encrypted, cut off, undecodable or without readable text.
    """
    raw = reader_for(path).read(path)
    text, blocks = place(raw.parts)
    if not any(char.isalnum() for char in text):
        raise FileRejected(f"{path.name}: holds no text", "remove the file or fill it")
    metadata = {**raw.metadata, **read_sidecar(path)}
    return Document(
        title=_title(metadata, blocks, raw.title, path),
        language=detect_language(text),
        text=text,
        blocks=blocks,
        pages=raw.pages,
        metadata=metadata,
    )


def _title(metadata: Mapping[str, object], blocks: Sequence[Block], own: str, path: Path) -> str:
    declared = metadata.get("title")
    heading = next((block.text for block in blocks if block.kind == "heading"), "")
    for candidate in (declared if isinstance(declared, str) else "", heading, own):
        title = " ".join(candidate.split())
        if title:
            return title[:_MAX_TITLE]
    return path.stem
