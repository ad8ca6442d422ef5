"""The read side of what ingest built; nothing else of `ingest` is imported by the other rooms."""

from ingest.store.empty import EmptyStore
from ingest.store.filters import DocumentFilter
from ingest.store.records import (
    Catalog,
    Chunk,
    ColumnRecord,
    DocumentRecord,
    DocumentStatus,
    Hit,
    JoinRecord,
    TableRecord,
)
from ingest.store.settings import IngestSettings, KnowledgeBaseSettings
from ingest.store.status import EffectiveStatus, StatusIndex
from ingest.store.store import KnowledgeBaseInfo, Store

__all__ = [
    "Catalog",
    "Chunk",
    "ColumnRecord",
    "DocumentFilter",
    "DocumentRecord",
    "DocumentStatus",
    "EffectiveStatus",
    "EmptyStore",
    "Hit",
    "IngestSettings",
    "JoinRecord",
    "KnowledgeBaseInfo",
    "KnowledgeBaseSettings",
    "StatusIndex",
    "Store",
    "TableRecord",
]
