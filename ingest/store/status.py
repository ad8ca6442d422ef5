"""The effective status of documents, by one rule over all records, and its notes.

A document is superseded when it says so itself, or when another one that is in force (neither
proposed nor rejected, and valid already on the day of asking) says that it supersedes it. It is
partly superseded when it calls itself so, or when another one in force says that it supersedes a
part of it. A rejected one stays rejected. What replaces it is followed to the end of the chain;
a chain that closes on itself decides nothing: the status is then `unknown`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import date, timedelta
from typing import Final, NamedTuple

from ingest.store.records import DocumentRecord, DocumentStatus
from ingest.store.references import Finder

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


class Validity(NamedTuple):
    """The days on which a document applies, both included; None where a side is not known."""

    start: date | None
    end: date | None


class StatusIndex:
    """The statuses of a set of documents, computed once from their records.

    `today` is the day of asking: a document that is valid only later replaces nothing yet.
    Without it, every document that is in force counts.
    """

    def __init__(self, records: Iterable[DocumentRecord], today: date | None = None) -> None:
        self._records = {record.doc_id: record for record in records}
        self._find = Finder(self._records.values())
        self._all_claims = self._claims(lambda r: r.supersedes)
        begun = [self._begun(self._all_claims, today)]
        begun.append(self._begun(self._claims(lambda r: r.partly_supersedes), today))
        self._claimed, self._partly = begun
        self._direct = {doc_id: self._replacer(r) for doc_id, r in self._records.items()}
        self._final = {doc_id: self._resolve(doc_id) for doc_id in self._records}

    def statuses(self, kbs: Collection[str] | None = None) -> dict[str, EffectiveStatus]:
        """Of every document by id; a replacing one outside of `kbs` is `external`."""
        return {
            doc_id: EffectiveStatus(status, self._source(replacer, kbs))
            for doc_id, (status, replacer) in self._final.items()
        }

    def note(self, doc_id: str, language: str, kbs: Collection[str] | None = None) -> str:
        """The note in `ja`, `en` or `zh` (anything else: `en`); "" when there is none.

        A replacing document outside of `kbs` is not named.
        """
        if doc_id not in self._final:
            return ""
        language = language if language in NOTES else "en"
        status, replacer = self._final[doc_id]
        name = self._name(doc_id, self._seen(replacer, kbs), language)
        # A title is a document's own text: it may hold line breaks.
        return NOTES[language].get(status, "").format(" ".join(name.split()))

    def replacement(self, doc_id: str) -> DocumentRecord | None:
        """The document of the set that replaces this one, wholly or in part."""
        _, replacer = self._final.get(doc_id, ("undeclared", None))
        return self._records.get(replacer or "")

    def validity(self, doc_id: str) -> Validity:
        """From `valid_from` (or the document's date) to `valid_to`, or to the day before the
        first document that replaces it begins."""
        record = self._records[doc_id]
        start = _begins(record)
        if record.valid_to is not None or record.declared == "partly_superseded":
            return Validity(start, record.valid_to)
        replacers = list(self._all_claims.get(doc_id, ()))
        if (named := self._named_replacer(record)) in self._records:
            replacers.append(self._records[named])
        begins = [day for r in replacers if (day := _begins(r)) and (not start or day > start)]
        return Validity(start, min(begins) - timedelta(days=1) if begins else None)

    def applied(self, doc_id: str, on: date) -> bool | None:
        """Whether the document applied on that day; None where its records do not tell.

        A proposed or rejected one never did. One that was replaced or retired on a day that
        nobody wrote down may have.
        """
        status, _ = self._final[doc_id]
        start, end = self.validity(doc_id)
        before = start is not None and on < start
        after = end is not None and on > end
        if status in _NOT_IN_FORCE or before or after:
            return False
        ended = status in ("superseded", "deprecated", "unknown") and end is None
        return None if start is None or ended else True

    def _replacer(self, record: DocumentRecord) -> str | None:
        """The doc_id of what directly replaces the record, `external`, or None."""
        named = self._named_replacer(record)
        if named is not None:
            return named
        for claims in (self._claimed, self._partly):
            if replacers := claims.get(record.doc_id):
                return max(replacers, key=lambda r: (r.document_date or date.min, r.source)).doc_id
        if record.declared in ("superseded", "partly_superseded"):
            return EXTERNAL
        return None

    def _named_replacer(self, record: DocumentRecord) -> str | None:
        """What the record itself names as its replacement."""
        if not record.superseded_by:
            return None
        return self._find(record.superseded_by, record) or EXTERNAL

    def _claims(
        self, named: Callable[[DocumentRecord], Sequence[str]]
    ) -> Mapping[str, list[DocumentRecord]]:
        """For each document, those in force that name it."""
        claimed: dict[str, list[DocumentRecord]] = defaultdict(list)
        for record in self._records.values():
            if record.declared in _NOT_IN_FORCE:
                continue
            found = (self._find(reference, record) for reference in named(record))
            for old in filter(None, found):
                claimed[old].append(record)
        return claimed

    def _begun(
        self, claims: Mapping[str, list[DocumentRecord]], today: date | None
    ) -> Mapping[str, list[DocumentRecord]]:
        """Without the claims of documents that are valid only later."""
        if today is None:
            return claims
        return {
            doc_id: begun
            for doc_id, records in claims.items()
            if (begun := [r for r in records if r.valid_from is None or r.valid_from <= today])
        }

    def _status(self, doc_id: str) -> DocumentStatus:
        """The status before chains are followed."""
        record = self._records[doc_id]
        if record.declared in ("rejected", "partly_superseded") or self._direct[doc_id] is None:
            return record.declared
        if not record.superseded_by and record.declared != "superseded":
            wholly = doc_id in self._claimed
            return "superseded" if wholly else "partly_superseded"
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

    def _seen(self, replacer: str | None, kbs: Collection[str] | None) -> str | None:
        record = self._records.get(replacer or "")
        hidden = record is not None and kbs is not None and record.kb not in kbs
        return EXTERNAL if hidden else replacer

    def _source(self, replacer: str | None, kbs: Collection[str] | None) -> str | None:
        seen = self._seen(replacer, kbs)
        record = self._records.get(seen or "")
        return record.source if record else seen

    def _name(self, doc_id: str, replacer: str | None, language: str) -> str:
        record = self._records.get(replacer or "")
        if record is None:
            return EXTERNAL_NAME[language]
        own = self._records[doc_id].title
        return record.title if record.title and record.title != own else record.source


def _begins(record: DocumentRecord) -> date | None:
    return record.valid_from or record.document_date
