"""The catalog's first draft: the tables as ingested, and the joins that the data prove."""

from ingest.catalog.draft import draft_catalog

__all__ = ["draft_catalog"]
