"""Which files the given paths hold."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from ingest.documents import DOCUMENT_SUFFIXES
from ingest.ignore import IgnoreRules
from ingest.store.errors import BadRequest
from ingest.store.manifest import FileKind, Manifest
from ingest.store.records import Failure
from ingest.tables import TABLE_SUFFIXES

SIDECAR = ".yaml"
"""What a document declares may stand beside it, in `<file name>.yaml`."""


@dataclass
class Scan:
    """What the given paths hold. All paths are absolute; `files` are in walking order.

    `unread` are directories that could not be listed: what is under them is not gone. `ignored`
    counts files whose suffix no reader knows, `left_out` files and directories that an ignore
    file names.
    """

    files: list[Path] = field(default_factory=list)
    roots: list[Path] = field(default_factory=list)
    missing: list[Path] = field(default_factory=list)
    unread: list[Path] = field(default_factory=list)
    unsupported: list[Path] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)
    ignored: int = 0
    left_out: int = 0


def kind_of(path: Path) -> FileKind | None:
    suffix = path.suffix.lower()
    if suffix in TABLE_SUFFIXES:
        return "table"
    return "document" if suffix in DOCUMENT_SUFFIXES else None


def is_sidecar(path: Path) -> bool:
    return path.suffix == SIDECAR and kind_of(path.with_suffix("")) == "document"


def scan_paths(paths: Iterable[Path], data_dir: Path, *, ignore_files: bool = True) -> Scan:
    """Walk the paths; hidden files, office lock files and the data directory are left out, and
    with `ignore_files` what `.gitignore` and `.zaikoignore` name."""
    scan = Scan()
    walker = _Walker(scan, data_dir, ignore_files=ignore_files)
    for path in dict.fromkeys(Path(os.path.abspath(p)) for p in paths):  # noqa: PTH100
        if path.is_dir():
            scan.roots.append(path)
            walker.walk(path, IgnoreRules())
        elif not os.path.lexists(path):
            scan.missing.append(path)
        elif kind_of(path) is None:
            scan.unsupported.append(path)
        else:
            scan.files.append(path)
    scan.files = list(dict.fromkeys(scan.files))
    return scan


class _Walker:
    """Depth first, by name; a directory is entered once, so that links cannot make a loop."""

    def __init__(self, scan: Scan, data_dir: Path, *, ignore_files: bool) -> None:
        self._scan = scan
        self._ignore_files = ignore_files
        self._entered: set[tuple[int, int]] = set()
        if data_dir.is_dir():
            self._enter(data_dir)

    def walk(self, directory: Path, rules: IgnoreRules) -> None:
        try:
            if not self._enter(directory):
                return
            if self._ignore_files:
                rules = rules.within(directory)
            children = sorted(directory.iterdir(), key=lambda p: p.name)
        except OSError as error:
            self._scan.unread.append(directory)
            self._fail(directory, f"the directory cannot be listed: {error.strerror}")
            return
        for child in children:
            if not child.name.startswith((".", "~$")) and child.name.lower() != "thumbs.db":
                self._take(child, rules)

    def _take(self, path: Path, rules: IgnoreRules) -> None:
        is_directory = os.path.isdir(path)  # noqa: PTH112 - False, not an error, unreadable
        if rules.leave_out(path, is_directory=is_directory):
            self._scan.left_out += 1
        elif is_directory:
            self.walk(path, rules)
        elif kind_of(path) is not None:
            self._scan.files.append(path)
        elif not is_sidecar(path):
            self._scan.ignored += 1

    def _enter(self, directory: Path) -> bool:
        stat = directory.stat()
        identity = (stat.st_dev, stat.st_ino)
        fresh = identity not in self._entered
        self._entered.add(identity)
        return fresh

    def _fail(self, path: Path, reason: str) -> None:
        self._scan.failures.append(Failure(path=printable(path), reason=reason))


def require_input(scan: Scan, live: Callable[[], Manifest | None]) -> None:
    """Raises `BadRequest` when the run has nothing to read and nothing known to remove.

    `live` reads the live manifest; it is asked only when nothing can be read.
    """
    if scan.files or scan.unsupported:
        return
    manifest = live()
    if manifest and named_gone(scan, {entry.path for entry in manifest.files}):
        return
    if scan.roots:
        where = ", ".join(str(root) for root in scan.roots)
        suffixes = " ".join(sorted({*TABLE_SUFFIXES, *DOCUMENT_SUFFIXES}))
        reasons = "".join(f"; {f.path}: {f.reason}" for f in scan.failures)
        if scan.left_out:
            reasons += f"; {scan.left_out} left out by .gitignore or .zaikoignore (--no-ignore)"
        known = (
            [e.path for e in manifest.files if _is_under(e.path, scan.roots)] if manifest else []
        )
        if known:
            # An empty directory may be a disk that is not mounted.
            reasons += f"; what was taken in from there before stays ({len(known)} files)"
        raise BadRequest(
            f"no file that can be read in {where}{reasons}",
            f"files that can be read end in {suffixes}; to remove a file that is gone, name it: "
            f"zaiko ingest {shlex.quote(known[0]) if known else 'FILE'}",
        )
    if not scan.missing:
        raise BadRequest("no path was given", "name files or directories: zaiko ingest PATH…")
    where = ", ".join(str(path) for path in scan.missing)
    raise BadRequest(f"no such file or directory: {where}", "check the path: zaiko ingest PATH…")


def _is_under(path: str, roots: Iterable[Path]) -> bool:
    return any(Path(path).is_relative_to(root) for root in roots)


def named_gone(scan: Scan, known: Collection[str]) -> set[Path]:
    """Known files that were named by the user and are gone: they are to be removed.

    Where the directory is gone too, it may just not be mounted.
    """
    return {p for p in scan.missing if str(p) in known and p.parent.is_dir()}


def is_text(name: str) -> bool:
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def printable(path: Path) -> str:
    return os.fsencode(path).decode("utf-8", "replace")
