"""The effective status of documents, by one rule over all records, and its notes.

A document is superseded when it says so itself, or when another one that is in force (neither
proposed nor rejected) says that it supersedes it. A document that calls itself partly superseded
stays that; a rejected one stays rejected. What replaces it is followed to the end of the chain;
a chain that closes on itself decides nothing: the status is then `unknown`.
"""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from datetime import date
from pathlib import PurePosixPath
from typing import Final, NamedTuple

from ingest.store.records import DocumentRecord, DocumentStatus

EXTERNAL = "external"

NOTES: Final[Mapping[str, Mapping[DocumentStatus, str]]] = {
    "ja": {
        "superseded": "⚠️置き換え済み → {}",
        "partly_superseded": "△一部置き換え → {}",
        "proposed": "△提案中 (未承認)",
        "rejected": "⚠️却下",
        "deprecated": "⚠️非推奨",
        "unknown": "状態不明",
    },
    "en": {
        "superseded": "⚠️superseded → {}",
        "partly_superseded": "△partly superseded → {}",
        "proposed": "△proposed (not approved)",
        "rejected": "⚠️rejected",
        "deprecated": "⚠️deprecated",
        "unknown": "status unknown",
    },
    "zh": {
        "superseded": "⚠️已被取代 → {}",
        "partly_superseded": "△部分被取代 → {}",
        "proposed": "△提案中 (未批准)",
        "rejected": "⚠️已否决",
        "deprecated": "⚠️已弃用",
        "unknown": "状态不明",
    },
}
EXTERNAL_NAME: Final[Mapping[str, str]] = {"ja": "外部", "en": "external", "zh": "外部"}
_NOT_IN_FORCE: Final = ("proposed", "rejected")


class EffectiveStatus(NamedTuple):
    """`replaced_by` is the source of the replacing document, `external` when that is outside the
    set, None when nothing replaces it."""

    status: DocumentStatus
    replaced_by: str | None


class StatusIndex:
    """The statuses of a set of documents, computed once from their records."""

    def __init__(self, records: Iterable[DocumentRecord]) -> None:
        self._records = {record.doc_id: record for record in records}
        self._find = _Finder(self._records.values())
        self._claimed = self._claims()
        self._direct = {doc_id: self._replacer(r) for doc_id, r in self._records.items()}
        self._final = {doc_id: self._resolve(doc_id) for doc_id in self._records}

    def statuses(self) -> dict[str, EffectiveStatus]:
        return {
            doc_id: EffectiveStatus(status, self._source(replacer))
            for doc_id, (status, replacer) in self._final.items()
        }

    def note(self, doc_id: str, language: str) -> str:
        """The note in `ja`, `en` or `zh` (anything else: `en`); "" when there is none."""
        if doc_id not in self._final:
            return ""
        language = language if language in NOTES else "en"
        status, replacer = self._final[doc_id]
        return NOTES[language].get(status, "").format(self._name(doc_id, replacer, language))

    def _replacer(self, record: DocumentRecord) -> str | None:
        """The doc_id of what directly replaces the record, `external`, or None."""
        if record.superseded_by:
            return self._find(record.superseded_by, record) or EXTERNAL
        replacers = self._claimed.get(record.doc_id)
        if replacers:
            return max(replacers, key=lambda r: (r.document_date or date.min, r.source)).doc_id
        if record.declared in ("superseded", "partly_superseded"):
            return EXTERNAL
        return None

    def _claims(self) -> Mapping[str, list[DocumentRecord]]:
        """For each document, those in force that say they supersede it."""
        claimed: dict[str, list[DocumentRecord]] = defaultdict(list)
        for record in self._records.values():
            if record.declared in _NOT_IN_FORCE:
                continue
            found = (self._find(reference, record) for reference in record.supersedes)
            for old in filter(None, found):
                claimed[old].append(record)
        return claimed

    def _status(self, doc_id: str) -> DocumentStatus:
        """The status before chains are followed."""
        declared = self._records[doc_id].declared
        if declared in ("rejected", "partly_superseded") or self._direct[doc_id] is None:
            return declared
        return "superseded"

    def _resolve(self, doc_id: str) -> tuple[DocumentStatus, str | None]:
        status = self._status(doc_id)
        if status not in ("superseded", "partly_superseded"):
            return status, None
        seen = {doc_id}
        replacer = self._direct[doc_id]
        while replacer in self._records and self._status(replacer) == "superseded":
            if replacer in seen:
                return "unknown", None
            seen.add(replacer)
            replacer = self._direct[replacer]
        return ("unknown", None) if replacer in seen else (status, replacer)

    def _source(self, replacer: str | None) -> str | None:
        record = self._records.get(replacer or "")
        return record.source if record else replacer

    def _name(self, doc_id: str, replacer: str | None, language: str) -> str:
        record = self._records.get(replacer or "")
        if record is None:
            return EXTERNAL_NAME[language]
        own = self._records[doc_id].title
        return record.title if record.title and record.title != own else record.source


class _Finder:
    """Finds a document by what another one calls it: source path, title, file name or stem.

    The most exact way of naming wins; within it, the same knowledge base, then the newest.
    """

    _WAYS: Final[tuple[Callable[[DocumentRecord], str], ...]] = (
        lambda r: r.source,
        lambda r: r.title,
        lambda r: PurePosixPath(r.source).name,
        lambda r: PurePosixPath(r.source).stem,
    )

    def __init__(self, records: Iterable[DocumentRecord]) -> None:
        self._by_way: list[dict[str, list[DocumentRecord]]] = [{} for _ in self._WAYS]
        for record in records:
            for way, names in zip(self._WAYS, self._by_way, strict=True):
                names.setdefault(_fold(way(record)), []).append(record)

    def __call__(self, reference: str, asking: DocumentRecord) -> str | None:
        wanted = _fold(reference)
        name = PurePosixPath(wanted).name
        tries = [(names, wanted) for names in self._by_way]
        tries += [(self._by_way[2], name), (self._by_way[3], name)]
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
