"""What changed: files on disk against the manifest of the live generation, by content hash."""

from __future__ import annotations

import hashlib
import os
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from stat import S_ISREG

from ingest.scan import SIDECAR, Scan, is_text, kind_of, named_gone, printable
from ingest.store.manifest import FileEntry, FileKind, Manifest, Root
from ingest.store.records import Failure


@dataclass(frozen=True)
class Found:
    """A file of this run. `modified` (ns) and `size` tell whether it changes while being read."""

    path: Path
    source: str
    kind: FileKind
    sha256: str
    size: int
    modified: int
    recipe: str
    sidecar: str = ""

    def entry(self, kb: str, **parts: object) -> FileEntry:
        return FileEntry.model_validate(
            {
                "path": str(self.path),
                "source": self.source,
                "sha256": self.sha256,
                "size": self.size,
                "kind": self.kind,
                "recipe": self.recipe,
                "sidecar": self.sidecar,
                "kb": kb if self.kind == "document" else None,
                **parts,
            }
        )

    def still_the_same(self) -> bool:
        stat = self.path.stat()
        return (stat.st_size, stat.st_mtime_ns) == (self.size, self.modified)


@dataclass(frozen=True)
class Change:
    """`old` is the entry that `found` replaces; None for a new file."""

    found: Found
    old: FileEntry | None = None


@dataclass
class Plan:
    """`redeclared` are documents with the text that they had, wherever they lie now, and another
    sidecar. `failures` hold the kind of each file that could not be read; its old version stays.
    """

    changed: list[Change] = field(default_factory=list)
    redeclared: list[Change] = field(default_factory=list)
    moved: list[Change] = field(default_factory=list)
    unchanged: list[FileEntry] = field(default_factory=list)
    deleted: list[FileEntry] = field(default_factory=list)
    failures: list[tuple[FileKind, Failure]] = field(default_factory=list)
    roots: tuple[Root, ...] = ()

    def work(self, kind: FileKind) -> bool:
        changes = [c.found.kind for c in (*self.changed, *self.redeclared, *self.moved)]
        return kind in changes or any(entry.kind == kind for entry in self.deleted)

    def changes(self, kind: FileKind) -> list[Change]:
        return self.of_kind(self.changed, kind)

    def moves(self, kind: FileKind) -> list[Change]:
        return self.of_kind(self.moved, kind)

    @staticmethod
    def of_kind(changes: Sequence[Change], kind: FileKind) -> list[Change]:
        return [c for c in changes if c.found.kind == kind]

    def deletions(self, kind: FileKind) -> list[FileEntry]:
        return [entry for entry in self.deleted if entry.kind == kind]


@dataclass(frozen=True)
class Recipes:
    """What the results depend on beside the content: another recipe takes a file in again.
    `ocr_installed` is asked only when a file waits for OCR."""

    document: str
    table: str
    max_bytes: int
    ocr_installed: Callable[[], bool] = lambda: False

    def of(self, kind: FileKind) -> str:
        return self.table if kind == "table" else self.document


class Planner:
    """Compares a scan with the live manifest (None: a first run) for one knowledge base."""

    def __init__(self, scan: Scan, live: Manifest | None, kb: str, recipes: Recipes) -> None:
        self._scan = scan
        self._kb = kb
        self._recipes = recipes
        files = live.files if live else ()
        # The notes of a workbook are a second entry of its path, which follows the tables'.
        self._known = {
            entry.path: entry for entry in files if entry.kb in (None, kb) and not _are_notes(entry)
        }
        self._roots = live.roots if live else ()
        self._named_gone = named_gone(scan, self._known)
        self._plan = Plan()

    def plan(self) -> Iterator[Path]:
        """Yields each file after hashing it; `result` is complete when the iterator ends."""
        self._fail_what_is_not_there()
        self._plan.roots = self._all_roots()
        new: list[Found] = []
        sources = _Sources(self._known.values(), self._plan.roots)
        for path in self._scan.files:
            found = self._read(path, sources)
            if found is not None and not self._compare(found):
                new.append(found)
            yield path
        gone = self._gone()
        self._match_moves(new, gone)
        self._plan.deleted = [e for e in gone.values() if self._was_removed(e)]

    @property
    def result(self) -> Plan:
        return self._plan

    def _all_roots(self) -> tuple[Root, ...]:
        fresh = (Root(path=str(path), kb=self._kb) for path in self._scan.roots)
        return tuple(dict.fromkeys((*self._roots, *(r for r in fresh if is_text(r.path)))))

    def _fail_what_is_not_there(self) -> None:
        for failure in self._scan.failures:
            self._plan.failures.append(("document", failure))
        for path in self._scan.missing:
            if path not in self._named_gone:
                self._fail("document", path, "no such file or directory")
        for path in self._scan.unsupported:
            self._fail("document", path, f"no reader for files that end in {path.suffix!r}")

    def _fail(self, kind: FileKind, path: Path, reason: str) -> None:
        self._plan.failures.append((kind, Failure(path=printable(path), reason=reason)))

    def _read(self, path: Path, sources: _Sources) -> Found | None:
        kind = kind_of(path) or "document"
        if not is_text(str(path)):
            self._fail(kind, path, "its name is not valid UTF-8; rename it")
            return None
        try:
            stat = path.stat()
            if not S_ISREG(stat.st_mode):
                self._fail(kind, path, "is not a regular file")
                return None
            if stat.st_size > self._recipes.max_bytes:
                limit = self._recipes.max_bytes // 2**20
                size = stat.st_size // 2**20
                self._fail(kind, path, f"{size} MB is over the limit of {limit} (max_file_mb)")
                return None
            sha256 = hash_file(path)
            sidecar = _hash_sidecar(path) if kind == "document" else ""
        except OSError as error:
            self._fail(kind, path, f"cannot be read: {error.strerror}")
            return None
        source, recipe = sources.of(path), self._recipes.of(kind)
        return Found(path, source, kind, sha256, stat.st_size, stat.st_mtime_ns, recipe, sidecar)

    def _compare(self, found: Found) -> bool:
        """False for a file at a path that was not known."""
        old = self._known.get(str(found.path))
        if old is None or old.kind != found.kind:
            return False
        if not _same_content(old, found) or (old.needs_ocr and self._recipes.ocr_installed()):
            self._plan.changed.append(Change(found, old))
        elif old.sidecar != found.sidecar:
            self._plan.redeclared.append(Change(found, old))
        else:
            self._plan.unchanged.append(old)
        return True

    def _gone(self) -> dict[str, FileEntry]:
        seen = {str(path) for path in self._scan.files}
        return {
            path: entry
            for path, entry in self._known.items()
            if path not in seen
            and not any(Path(path).is_relative_to(unread) for unread in self._scan.unread)
            and (self._was_removed(entry) or not os.path.lexists(path))
        }

    def _was_removed(self, entry: FileEntry) -> bool:
        """Under a root of this run, or named by it, and not there any more."""
        path = Path(entry.path)
        return path in self._named_gone or any(path.is_relative_to(r) for r in self._scan.roots)

    def _match_moves(self, new: Sequence[Found], gone: dict[str, FileEntry]) -> None:
        for found in new:
            same = [e for e in gone.values() if _same_content(e, found)]
            if not same:
                self._plan.changed.append(Change(found))
                continue
            old = max(same, key=lambda e: _likeness(e, found))
            del gone[old.path]
            same_words = old.sidecar == found.sidecar
            (self._plan.moved if same_words else self._plan.redeclared).append(Change(found, old))


def _are_notes(entry: FileEntry) -> bool:
    return entry.kind == "document" and kind_of(Path(entry.path)) == "table"


def _same_content(entry: FileEntry, found: Found) -> bool:
    return (entry.kind, entry.sha256, entry.recipe) == (found.kind, found.sha256, found.recipe)


class _Sources:
    """How files are called: by the outermost root's name and the path under it, else by name.

    Two files never share a source; the later one is then called by its absolute path.
    """

    def __init__(self, known: Iterable[FileEntry], roots: Sequence[Root]) -> None:
        self._known = {entry.path: entry.source for entry in known}
        self._used = set(self._known.values())
        self._roots = sorted((Path(root.path) for root in roots), key=lambda p: len(p.parts))

    def of(self, path: Path) -> str:
        if str(path) in self._known:
            return self._known[str(path)]
        root = next((r for r in self._roots if path.is_relative_to(r)), path.parent / path.name)
        source = unicodedata.normalize("NFC", path.relative_to(root.parent).as_posix())
        if source in self._used and not self._free(source):
            source = path.as_posix()
        self._used.add(source)
        return source

    def _free(self, source: str) -> bool:
        """The file that was called so is gone: moved, or about to be removed."""
        owners = [path for path, name in self._known.items() if name == source]
        return bool(owners) and not any(os.path.lexists(path) for path in owners)


def _likeness(entry: FileEntry, found: Found) -> tuple[bool, bool]:
    """Of several gone files with one content, the one that declared the same, then that had the
    same name, is the one that was moved."""
    return (entry.sidecar == found.sidecar, Path(entry.path).name == found.path.name)


def _hash_sidecar(path: Path) -> str:
    sidecar = path.with_name(f"{path.name}{SIDECAR}")
    return hash_file(sidecar) if sidecar.is_file() else ""


def hash_file(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
