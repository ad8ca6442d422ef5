"""Follows the files of an ingest: one run at the start, then one after every group of changes."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from threading import Event

from watchfiles import Change, watch

from ingest.ignore import IGNORE_FILES
from ingest.scan import is_sidecar, kind_of

LOOK_MS = 500
"""How often it looks up when nothing happens."""
LONGEST_GROUP_MS = 10_000
"""Changes that never pause are taken in this often."""


def follow(
    paths: Sequence[Path],
    data_dir: Path,
    run: Callable[[], bool],
    *,
    quiet_s: float,
    stop: Event | None = None,
) -> None:
    """Calls `run` now and whenever files under `paths` have changed and then nothing has for
    `quiet_s` seconds. A run that returns False is tried again at the next look.

    Ends when `stop` is set, or with KeyboardInterrupt.
    """
    wanted = _Wanted(paths, data_dir)
    due = True
    for changes in watch(
        *wanted.directories(),
        watch_filter=wanted,
        step=max(int(quiet_s * 1000), 1),
        debounce=max(LONGEST_GROUP_MS, int(quiet_s * 2000)),
        rust_timeout=LOOK_MS,
        yield_on_timeout=True,
        recursive=wanted.recursive,
        stop_event=stop,
    ):
        # The first yield comes once it is watching: what changes during a run is seen after it.
        if due or changes:
            due = not run()


class _Wanted:
    """Which changes matter: of files that are read, of what is said about them beside them, and
    whole directories that came or went; nothing hidden, and nothing in the data directory."""

    def __init__(self, paths: Iterable[Path], data_dir: Path) -> None:
        absolute = [Path(os.path.abspath(p)) for p in paths]  # noqa: PTH100 - links stay
        self._roots = [p for p in absolute if p.is_dir()]
        self._files = {p for p in absolute if not p.is_dir()}
        self._data_dir = data_dir.resolve()
        self.recursive = bool(self._roots)

    def directories(self) -> list[Path]:
        """A named file is watched through its directory: editors replace files."""
        around = {p.parent for p in self._files if p.parent.is_dir()}
        return sorted({*self._roots, *around})

    def __call__(self, change: Change, name: str) -> bool:
        path = Path(name)
        if path.resolve().is_relative_to(self._data_dir):
            return False
        if path in self._files or (is_sidecar(path) and path.with_suffix("") in self._files):
            return True
        return any(
            path.is_relative_to(root) and _matters(path, path.relative_to(root), change)
            for root in self._roots
        )


def _matters(path: Path, relative: Path, change: Change) -> bool:
    if path.name in IGNORE_FILES:
        return True
    if any(part.startswith((".", "~$")) for part in relative.parts):
        return False
    if kind_of(path) is not None or is_sidecar(path):
        return True
    if change is Change.deleted:
        return True  # of a directory that was moved away only this is told, whatever its name
    return change is Change.added and (path.is_dir() or not path.suffix)
