"""Limits of the calculation tool."""

from pydantic import Field

from ingest.store.settings import Section


class CalcSettings(Section):
    """Seconds and megabytes of one calculation; its worker is killed a second past the limit."""

    time_limit_s: float = Field(default=5.0, gt=0, le=60)
    memory_mb: int = Field(default=256, ge=16, le=4096)
    recursion_depth: int = Field(default=200, ge=10, le=1000)
    log_chars: int = Field(default=4_000, ge=100)
    max_code_chars: int = Field(default=20_000, ge=100)
    workers: int = Field(default=2, ge=1, le=32)
