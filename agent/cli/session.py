"""The one place where the command line makes an `Agent`."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from agent.api import Agent, Event
    from agent.settings import Settings


def open_agent(
    settings: Settings,
    data_dir: Path,
    *,
    today: date | None = None,
    kbs: list[str] | None = None,
    on_event: Event | None = None,
) -> Agent:
    """An agent over an existing data directory, with the models that the settings name."""
    from agent.api import Agent, silent  # noqa: PLC0415  the heavy part

    return Agent(settings, data_dir, today=today, kbs=kbs, on_event=on_event or silent)
