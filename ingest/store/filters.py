"""Which documents a caller lets a search see, decided from the records before it runs."""

import unicodedata
from collections.abc import Iterable
from datetime import date
from fnmatch import fnmatchcase

from ingest.store.records import DocumentRecord, DocumentStatus, Language, Record
from ingest.store.status import StatusIndex


class DocumentFilter(Record):
    """Set by the caller, never by a model. Every condition that is given must hold; the values of
    one are alternatives. `valid_on`: documents that applied on that day, as far as the records
    of all documents say. `sources` are paths as they are cited, `*` and `?` allowed
    (`policies/*.md`)."""

    statuses: tuple[DocumentStatus, ...] = ()
    languages: tuple[Language, ...] = ()
    valid_on: date | None = None
    sources: tuple[str, ...] = ()

    def select(self, records: Iterable[DocumentRecord], index: StatusIndex) -> frozenset[str]:
        """The ids of the documents that it allows; `index` knows them all."""
        statuses = index.statuses()
        return frozenset(
            r.doc_id
            for r in records
            if (not self.statuses or statuses[r.doc_id].status in self.statuses)
            and (not self.languages or r.language in self.languages)
            and (self.valid_on is None or index.applied(r.doc_id, self.valid_on) is not False)
            and (not self.sources or any(_matches(r.source, s) for s in self.sources))
        )


def _matches(source: str, pattern: str) -> bool:
    """Brackets mean themselves: they are common in file names."""
    pattern = unicodedata.normalize("NFC", pattern)
    return fnmatchcase(source, pattern.replace("[", "[[]"))
