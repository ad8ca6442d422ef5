"""Generations on disk: `CURRENT` names the live one; a published one never changes.

    <data>/CURRENT                      "7\\n", replaced by an atomic rename
    <data>/generations/7/               published
    <data>/generations/.building-8/     half-built; cleared by the next writer
    <data>/generations/.removing-3/     half-removed; cleared by the next writer

Everything that changes the directory must hold the writer's lock (`ingest.store.lock`).
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

from ingest.store.checksums import changed_files
from ingest.store.current import CURRENT, read_current, sync_directory, sync_tree, write_current
from ingest.store.errors import BadRequest, StoreBroken, StoreError, StoreMissing
from ingest.store.lock import Lease, sole_use, writer_lock
from ingest.store.manifest import (
    MANIFEST,
    Manifest,
    read_manifest,
    require_parts,
    rewritten,
)
from ingest.store.settings import IngestSettings

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
        """The live revision; None when nothing was ever published here.

        Raises `StoreBroken` when `CURRENT` is lost or cannot be read.
        """
        try:
            return self._named()
        except StoreBroken as error:
            raise self.broken(error.message) from error

    def _named(self) -> int | None:
        """`current`, without the way out in its error."""
        revision = read_current(self.data_dir)
        if revision is None and self._was_live():
            path = self.data_dir / CURRENT
            raise StoreBroken(f"{path} is missing, but there are generations")
        return revision

    def _was_live(self) -> bool:
        """One generation without a parent may be a first one whose writer was killed just before
        `CURRENT` was written; anything more was live."""
        present = self.present()
        if len(present) != 1:
            return bool(present)
        manifest = self._manifest_or_none(present[0])
        return manifest is not None and manifest.parent is not None

    def present(self) -> list[int]:
        """Published revisions on disk, ascending."""
        if not self.root.is_dir():
            return []
        names = (entry.name for entry in self.root.iterdir() if entry.is_dir())
        return sorted(int(name) for name in names if name.isascii() and name.isdigit())

    def is_whole(self, revision: int) -> bool:
        """It has all its parts, and no file changed since it was published. Reads all files."""
        try:
            manifest = self._read(revision)
            return not changed_files(self.path(revision), but=rewritten(manifest))
        except StoreBroken:
            return False

    def earlier(self) -> int | None:
        """The generation to roll back to: the last whole one that the live one was built from.

        Where that cannot be told, the last whole one before it, else the last whole one.
        """
        try:
            current = self._named()
        except StoreBroken:
            current = None
        present = self.present()[::-1]
        if current is None:
            candidates = present
        else:
            line = self.lineage(current)
            others = [n for n in present if n < current] or [n for n in present if n > current]
            candidates = line[1:] if line else others
        return next((n for n in candidates if self.is_whole(n)), None)

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
            if self.earlier() is not None:
                raise
            return None

    def broken(self, message: str) -> StoreBroken:
        """The error with the way out that there is."""
        way_out = "zaiko rollback" if self.earlier() is not None else "zaiko ingest PATH… again"
        first = "move it away, then " if (self.data_dir / CURRENT).is_dir() else ""
        return StoreBroken(message, f"{first}run: {way_out}")

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
        write_current(self.data_dir, revision)

    def finish_first_run(self) -> None:
        """A first writer that was killed just before it wrote `CURRENT` had checked its draft."""
        if (self.data_dir / CURRENT).exists() or self._was_live():
            return
        for revision in self.present():
            if self.is_whole(revision):
                self.make_current(revision)

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
            return self._named() or 0
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
            raise generations.broken(_why_unreadable(generations, revision))
        # It may have been removed between the two reads; then CURRENT names another one now.
        previous = revision


def _why_unreadable(generations: Generations, revision: int) -> str:
    path = generations.path(revision)
    if not path.is_dir():
        return f"{generations.data_dir / CURRENT} names generation {revision}, which is not there"
    return f"the live generation {revision} has no {path / MANIFEST}"


def rollback(data_dir: Path, settings: IngestSettings) -> int:
    """Make the previous generation the live one; returns its revision.

    Previous is the one that the live one was built from, or where that is gone or damaged, the
    newest whole one before it. Raises `StoreError` when there is none.
    """
    generations = Generations(data_dir)
    if not generations.present():
        raise _missing(data_dir)
    with writer_lock(data_dir, settings.lock_wait_s):
        target = generations.earlier()
        if target is None:
            raise StoreError(
                f"there is no earlier generation in {data_dir} to go back to",
                "ingest the earlier files again: zaiko ingest PATH…",
            )
        generations.make_current(target)
        return target


def _missing(data_dir: Path) -> StoreError:
    if data_dir.exists() and not data_dir.is_dir():
        return BadRequest(f"{data_dir} is a file, not a directory", "name a directory: --data-dir")
    return StoreMissing(f"nothing was ingested into {data_dir} yet", "run: zaiko ingest PATH")
