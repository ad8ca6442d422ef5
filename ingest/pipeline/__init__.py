"""The ingest run: lock, copy, tables, documents, check, publish."""

from ingest.pipeline.push import Pushed, push_index
from ingest.pipeline.run import run_ingest
from ingest.report import Changes, IngestReport, Progress
from ingest.store.generations import rollback

__all__ = [
    "Changes",
    "IngestReport",
    "Progress",
    "Pushed",
    "push_index",
    "rollback",
    "run_ingest",
]
