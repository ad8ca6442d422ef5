"""Which documents a caller lets a search see, decided from the records before it runs."""

from collections.abc import Iterable, Mapping
from datetime import date
from fnmatch import fnmatchcase

from ingest.store.records import DocumentRecord, DocumentStatus, Record
from ingest.store.status import EffectiveStatus


class DocumentFilter(Record):
    """Set by the caller, never by a model. Every condition that is given must hold; the values of
    one are alternatives. `valid_on`: documents that applied on that day, as far as they say.
    `sources` are paths as they are cited, `*` and `?` allowed (`policies/*.md`)."""

    statuses: tuple[DocumentStatus, ...] = ()
    languages: tuple[str, ...] = ()
    valid_on: date | None = None
    sources: tuple[str, ...] = ()

    def allows(self, record: DocumentRecord, status: DocumentStatus) -> bool:
        return (
            (not self.statuses or status in self.statuses)
            and (not self.languages or record.language in self.languages)
            and (self.valid_on is None or _applied(record, self.valid_on))
            and (not self.sources or any(fnmatchcase(record.source, s) for s in self.sources))
        )

    def select(
        self, records: Iterable[DocumentRecord], statuses: Mapping[str, EffectiveStatus]
    ) -> frozenset[str]:
        """The ids of the documents that it allows."""
        return frozenset(r.doc_id for r in records if self.allows(r, statuses[r.doc_id].status))


def _applied(record: DocumentRecord, day: date) -> bool:
    begun = record.valid_from is None or record.valid_from <= day
    return begun and (record.valid_to is None or day <= record.valid_to)
