"""The ingest run: lock, copy, tables, documents, check, publish."""

from ingest.pipeline.run import run_ingest
from ingest.report import Changes, IngestReport, Progress
from ingest.store.generations import rollback

__all__ = ["Changes", "IngestReport", "Progress", "rollback", "run_ingest"]
