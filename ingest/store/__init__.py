"""The read side of what ingest built; nothing else of `ingest` is imported by the other rooms."""

from ingest.store.empty import EmptyStore
from ingest.store.records import (
    Catalog,
    Chunk,
    ColumnRecord,
    DocumentRecord,
    Hit,
    JoinRecord,
    TableRecord,
)
from ingest.store.settings import IngestSettings, KnowledgeBaseSettings
from ingest.store.store import KnowledgeBaseInfo, Store

__all__ = [
    "Catalog",
    "Chunk",
    "ColumnRecord",
    "DocumentRecord",
    "EmptyStore",
    "Hit",
    "IngestSettings",
    "JoinRecord",
    "KnowledgeBaseInfo",
    "KnowledgeBaseSettings",
    "Store",
    "TableRecord",
]
