"""Zaiko: questions about stock and sales, answered with proof.

from agent import Agent
with Agent.open("data-dir") as agent:
    answer = agent.ask("…")
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from agent.answer import Answer
    from agent.api import Agent

__all__ = ["Agent", "Answer"]


def __getattr__(name: str) -> object:
    """`Agent` and `Answer` are imported at first use: a command that lists tables needs neither."""
    if name == "Agent":
        from agent.api import Agent  # noqa: PLC0415

        return Agent
    if name == "Answer":
        from agent.answer import Answer  # noqa: PLC0415

        return Answer
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
