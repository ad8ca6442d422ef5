"""A file becomes a `Document`: the reader of its format, its metadata, title and language."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from ingest.documents.language import detect_language
from ingest.documents.metadata import declaration_problems, read_sidecar
from ingest.documents.model import Block, Document, place
from ingest.documents.ocr import NEEDS_OCR, OcrSource, installed_ocr
from ingest.documents.readers import reader_for
from ingest.store.errors import FileRejected

_MAX_TITLE = 120


def read_document(path: Path, *, ocr: OcrSource = installed_ocr) -> Document:
    """The document in `path`. `ocr` is asked for an engine when a page is an image.

    Raises FileRejected (message and hint) for a format without a reader, and for a file that
    is empty, encrypted, cut off, undecodable or without readable text.
    """
    raw = reader_for(path, ocr).read(path)
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


def reading_problems(document: Document) -> tuple[str, ...]:
    """What of the file is not in the document, for its owner: pages that could not be read, and
    declarations that say nothing."""
    skipped, images, lines = (
        document.metadata.get(name) for name in ("skipped_pages", "image_pages", "unreadable_lines")
    )
    pages: dict[str, list[str]] = {}
    for page, reason in skipped.items() if isinstance(skipped, dict) else ():
        pages.setdefault(f"left out, the rest was taken in: {reason}", []).append(str(page))
    for page in images if isinstance(images, list) else ():
        reason = f"read without the image that covers most of it: {NEEDS_OCR}"
        pages.setdefault(reason, []).append(str(page))
    for page, count in lines.items() if isinstance(lines, dict) else ():
        reason = f"read without lines whose text has no usable characters ({count})"
        pages.setdefault(reason, []).append(str(page))
    unread = (f"page {', '.join(numbers)} {reason}" for reason, numbers in pages.items())
    declared = (f"taken in, but {told}" for told in declaration_problems(document.metadata))
    return (*unread, *declared)


def _title(metadata: Mapping[str, object], blocks: Sequence[Block], own: str, path: Path) -> str:
    declared = metadata.get("title")
    heading = next((block.text for block in blocks if block.kind == "heading"), "")
    for candidate in (declared if isinstance(declared, str) else "", heading, own):
        title = " ".join(candidate.split())
        if title:
            return title[:_MAX_TITLE]
    return path.stem
