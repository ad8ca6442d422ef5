"""Limits of the SQL tool."""

from pydantic import Field

from ingest.store.settings import Section


class SqlSettings(Section):
    """Seconds, megabytes and rows; enforced in the worker process and by its parent."""

    time_limit_s: float = Field(default=10.0, gt=0, le=600)
    memory_mb: int = Field(default=1024, ge=64, description="DuckDB's own memory_limit")
    address_space_mb: int = Field(
        default=2048, ge=1024, description="RLIMIT_AS of the worker: bounds what DuckDB's does not"
    )
    threads: int = Field(default=2, ge=1, le=64)
    rows_kept: int = Field(default=10_000, ge=1, le=1_000_000)
    rows_shown: int = Field(default=20, ge=1, le=200)
    max_sql_chars: int = Field(default=20_000, ge=100, le=1_000_000)
