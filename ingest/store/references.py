"""Finds the document that another one names in `supersedes` or `superseded_by`."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Sequence
from datetime import date
from pathlib import PurePosixPath
from typing import Final

from ingest.store.records import DocumentRecord

_Names = Callable[[DocumentRecord], Sequence[str]]


class Finder:
    """A document is named by its source path, title, file name, stem, or what its path was
    before it was moved.

    The most exact way of naming wins; within it, the same knowledge base, then the same folder,
    then the newest. What is called so now comes before what was called so once.
    """

    _WAYS: Final[tuple[_Names, ...]] = (
        lambda r: (r.source,),
        lambda r: (r.title,),
        lambda r: (PurePosixPath(r.source).name,),
        lambda r: (PurePosixPath(r.source).stem,),
        lambda r: r.former_sources,
        lambda r: tuple(PurePosixPath(s).name for s in r.former_sources),
        lambda r: tuple(PurePosixPath(s).stem for s in r.former_sources),
    )
    # By which of these ways a path is found of which only the last part is right.
    _LAST_PART: Final = (2, 3, 5, 6)

    def __init__(self, records: Iterable[DocumentRecord]) -> None:
        self._by_way: list[dict[str, list[DocumentRecord]]] = [{} for _ in self._WAYS]
        for record in records:
            for way, names in zip(self._WAYS, self._by_way, strict=True):
                for name in way(record):
                    names.setdefault(_fold(name), []).append(record)

    def __call__(self, reference: str, asking: DocumentRecord) -> str | None:
        """The doc_id; None when no other document is called so."""
        wanted = _fold(reference)
        name = PurePosixPath(wanted).name
        tries = [(names, wanted) for names in self._by_way]
        tries += [(self._by_way[way], name) for way in self._LAST_PART]
        for names, key in tries:
            others = [r for r in names.get(key, ()) if r.doc_id != asking.doc_id]
            if others:
                return max(others, key=lambda r: _preference(r, asking)).doc_id
        return None


def _preference(record: DocumentRecord, asking: DocumentRecord) -> tuple[bool, bool, date, str]:
    folder = PurePosixPath(record.source).parent == PurePosixPath(asking.source).parent
    newest = record.document_date or date.min
    return (record.kb == asking.kb, folder, newest, record.source)


def _fold(name: str) -> str:
    return unicodedata.normalize("NFKC", name).strip().strip("[]").casefold().removeprefix("./")
