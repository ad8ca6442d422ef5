"""Batch engines: `local` (asyncio in this process)."""

from agent.batch.base import BatchEngine, Question, Summary, read_questions
from agent.errors import UsageError

__all__ = ["BatchEngine", "Question", "Summary", "make_engine", "read_questions"]


def make_engine(name: str) -> BatchEngine:
    """The engine of that name. Raises UsageError naming those there are."""
    if name != "local":
        raise UsageError(f"there is no batch engine {name!r}", "use --engine local")
    from agent.batch.local import LocalEngine  # noqa: PLC0415

    return LocalEngine()
