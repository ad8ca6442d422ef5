"""Errors of the ingest room, sorted by who acts next.

IngestError
├── FileRejected          the user mends or removes one file; the rest goes on
└── StoreError            the operator acts
    ├── BadRequest        the caller: no such path, nothing to read, a name that cannot be
    ├── StoreMissing      nothing was ingested here yet
    ├── StoreBroken       a generation is damaged or half-written
    ├── StoreLocked       another writer holds the lock
    ├── EmbedderMismatch  the index was built by another embedder
    ├── MissingExtra      a chosen part needs a package that is not installed
    ├── UnknownKnowledgeBase
    └── OutOfScope        the caller of this store may not read that knowledge base
"""


class IngestError(Exception):
    """What happened (`message`) and what to do next (`hint`); `kind` is the stable JSON name."""

    kind = "ingest_error"

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class FileRejected(IngestError):
    kind = "file_rejected"


class StoreError(IngestError):
    kind = "store_error"


class BadRequest(StoreError):
    kind = "usage"


class StoreMissing(StoreError):
    kind = "store_missing"


class StoreBroken(StoreError):
    kind = "store_broken"


class StoreLocked(StoreError):
    kind = "store_locked"


class EmbedderMismatch(StoreError):
    kind = "embedder_mismatch"


class MissingExtra(StoreError):
    kind = "missing_extra"


class UnknownKnowledgeBase(StoreError):
    kind = "unknown_knowledge_base"


class OutOfScope(StoreError):
    kind = "kb_out_of_scope"
