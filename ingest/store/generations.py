"""Generations on disk: `CURRENT` names the live one; a published one never changes.

    <data>/CURRENT                      "7\\n", replaced by an atomic rename
    <data>/generations/7/               published
    <data>/generations/.building-8/     half-built; cleared by the next writer
    <data>/generations/.removing-3/     half-removed; cleared by the next writer

Everything that changes the directory must hold the writer's lock (`ingest.store.lock`).
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

from ingest.store.errors import BadRequest, StoreBroken, StoreError, StoreMissing
from ingest.store.lock import Lease, sole_use, writer_lock
from ingest.store.manifest import MANIFEST, Manifest, read_manifest, require_parts
from ingest.store.settings import IngestSettings

CURRENT = "CURRENT"
BUILDING = ".building-"
REMOVING = ".removing-"
Discard = Callable[[Path], None]
"""Removes the directory of a generation, and what it stands for elsewhere."""


class Generations:
    """The generations of one data directory. Constructing it touches nothing."""

    def __init__(self, data_dir: Path) -> None:
        self.data_dir = data_dir
        self.root = data_dir / "generations"

    def path(self, revision: int) -> Path:
        return self.root / str(revision)

    def current(self) -> int | None:
        """The live revision; None when nothing was ever published here."""
        try:
            text = (self.data_dir / CURRENT).read_text(encoding="utf-8").strip()
        except (FileNotFoundError, NotADirectoryError):
            return None
        except (OSError, UnicodeDecodeError) as error:
            raise self.broken(f"cannot read {self.data_dir / CURRENT}: {error}") from error
        if not (text.isascii() and text.isdigit()):
            raise self.broken(f"{self.data_dir / CURRENT} is damaged: it says {text[:40]!r}")
        return int(text)

    def present(self) -> list[int]:
        """Published revisions on disk, ascending."""
        if not self.root.is_dir():
            return []
        names = (entry.name for entry in self.root.iterdir() if entry.is_dir())
        return sorted(int(name) for name in names if name.isascii() and name.isdigit())

    def intact(self) -> list[int]:
        """Published revisions that have all their parts, ascending."""
        return [n for n in self.present() if self._manifest_or_none(n) is not None]

    def manifest(self, revision: int) -> Manifest:
        """Raises `StoreBroken` when it is damaged or a part that it names is not there."""
        try:
            return self._read(revision)
        except StoreBroken as error:
            raise self.broken(error.message) from error

    def live(self) -> Manifest | None:
        """The live manifest; None when nothing was published, or all that was is damaged.

        Raises `StoreBroken` when the live generation is damaged and another one is intact.
        """
        try:
            revision = self.current()
            return None if revision is None else self.manifest(revision)
        except StoreBroken:
            if self.intact():
                raise
            return None

    def broken(self, message: str) -> StoreBroken:
        """The error with the way out that there is."""
        way_out = "zaiko rollback" if self.intact() else "zaiko ingest PATH… again"
        return StoreBroken(message, f"run: {way_out}")

    def next_revision(self) -> int:
        return max([*self.present(), self._current_or_zero()], default=0) + 1

    def start_building(self, revision: int) -> Path:
        building = self.root / f"{BUILDING}{revision}"
        building.mkdir(parents=True)
        return building

    def clear_half_built(self, discard: Discard = shutil.rmtree) -> None:
        """Remove what a killed writer left."""
        if not self.root.is_dir():
            return
        for entry in list(self.root.iterdir()):
            if entry.name.startswith((BUILDING, REMOVING)):
                discard(entry)

    def rename_built(self, building: Path, revision: int) -> None:
        sync_tree(building)
        building.rename(self.path(revision))
        sync_directory(self.root)

    def make_current(self, revision: int) -> None:
        """Switch the live generation; after this a power cut leaves the new one live."""
        draft = self.data_dir / f"{CURRENT}.new"
        with draft.open("w", encoding="utf-8") as file:
            file.write(f"{revision}\n")
            file.flush()
            os.fsync(file.fileno())
        draft.replace(self.data_dir / CURRENT)
        sync_directory(self.data_dir)

    def lineage(self, revision: int) -> list[int]:
        """The revision and its intact ancestors, newest first; [] when it is damaged itself.

        In the place of an ancestor that is damaged stands the newest intact one before it.
        """
        intact = {n: self._manifest_or_none(n) for n in self.present()}
        line: list[int] = []
        manifest = intact.get(revision)
        while manifest is not None:
            line.append(manifest.revision)
            parent = manifest.parent or 0
            manifest = next(
                (intact[n] for n in sorted(intact, reverse=True) if n <= parent and intact[n]), None
            )
        return line

    def remove_old(self, keep: int, discard: Discard = shutil.rmtree) -> list[int]:
        """Remove all but the live generation and its last ancestors, `keep` in all.

        What a reader has open stays. Returns the removed revisions.
        """
        current = self.current()
        if current is None:
            return []
        kept = self.lineage(current)[:keep]
        return [n for n in self.present() if n not in kept and self._remove(n, discard)]

    def _remove(self, revision: int, discard: Discard) -> bool:
        with sole_use(self.path(revision)) as unused:
            if not unused:
                return False
            doomed = self.root / f"{REMOVING}{revision}"
            self.path(revision).rename(doomed)
        discard(doomed)
        return True

    def _manifest_or_none(self, revision: int) -> Manifest | None:
        try:
            return self._read(revision)
        except StoreBroken:
            return None

    def _read(self, revision: int) -> Manifest:
        manifest = read_manifest(self.path(revision))
        require_parts(self.path(revision), manifest)
        return manifest

    def _current_or_zero(self) -> int:
        try:
            return self.current() or 0
        except StoreBroken:
            return 0


def lease_live(generations: Generations) -> tuple[int, Lease]:
    """Lease the live generation for reading.

    Raises `StoreMissing` when nothing was published, `StoreBroken` when `CURRENT` points nowhere.
    """
    previous: int | None = None
    while True:
        revision = generations.current()
        if revision is None:
            raise _missing(generations.data_dir)
        lease = Lease.take(generations.path(revision))
        if lease is not None:
            return revision, lease
        if revision == previous:
            lost = generations.path(revision) / MANIFEST
            raise generations.broken(f"the live generation {revision} has no {lost}")
        # It may have been removed between the two reads; then CURRENT names another one now.
        previous = revision


def rollback(data_dir: Path, settings: IngestSettings) -> int:
    """Make the previous generation the live one; returns its revision.

    Previous is the one that the live one was built from, or where that is gone, the newest
    intact one before it. Raises `StoreError` when there is none.
    """
    generations = Generations(data_dir)
    if not generations.present():
        raise _missing(data_dir)
    with writer_lock(data_dir, settings.lock_wait_s):
        target = _previous(generations)
        if target is None:
            raise StoreError(
                f"there is no earlier generation in {data_dir} to go back to",
                "ingest the earlier files again: zaiko ingest PATH…",
            )
        generations.make_current(target)
        return target


def _previous(generations: Generations) -> int | None:
    try:
        current = generations.current()
    except StoreBroken:
        current = None
    intact = generations.intact()
    if current is None:
        return intact[-1] if intact else None
    line = generations.lineage(current)
    if line:
        return line[1] if len(line) > 1 else None
    earlier = [n for n in intact if n < current] or [n for n in intact if n != current]
    return earlier[-1] if earlier else None


def _missing(data_dir: Path) -> StoreError:
    if data_dir.exists() and not data_dir.is_dir():
        return BadRequest(f"{data_dir} is a file, not a directory", "name a directory: --data-dir")
    return StoreMissing(f"nothing was ingested into {data_dir} yet", "run: zaiko ingest PATH")


def sync_tree(root: Path) -> None:
    """fsync every file and directory under `root`."""
    for parent, _, names in os.walk(root):
        for name in names:
            _fsync(Path(parent) / name)
        sync_directory(Path(parent))


def sync_directory(path: Path) -> None:
    _fsync(path)


def _fsync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
