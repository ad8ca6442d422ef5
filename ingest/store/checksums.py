"""Checksums of a generation: what changed since it was published, seen without opening a part.

`checksums.json` holds the size and a SHA-256 of every other file. The sum runs over the offset
and the bytes of each block of 64 KiB that is not all zeros: an index file is mostly a hole, which
is not read, and a copy without holes has the same sum. A generation of an earlier version has no
such file. Opening an index rewrites some of its files with the same bytes, through
`.atomicwrite…` directories, which do not count.
"""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from pydantic import ValidationError

from ingest.store.errors import StoreBroken
from ingest.store.holes import filled_blocks
from ingest.store.records import Record

CHECKSUMS = "checksums.json"
_PASSING = ".atomicwrite"


class FileSum(Record):
    size: int
    sha256: str


class Checksums(Record):
    """`files` by path under the generation, with `/`."""

    files: dict[str, FileSum]


class FileDamage(NamedTuple):
    """`path` is relative to the generation; `problem` follows it in a sentence."""

    path: str
    problem: str

    def __str__(self) -> str:
        return f"{self.path} {self.problem}"


def write_checksums(generation: Path) -> None:
    """The last file of a generation; nothing in it may change after this."""
    paths = sorted(p for p in generation.rglob("*") if p.is_file() and not _is_passing(p))
    files = {
        p.relative_to(generation).as_posix(): FileSum(size=p.stat().st_size, sha256=_sum(p))
        for p in paths
        if p != generation / CHECKSUMS
    }
    text = Checksums(files=files).model_dump_json(indent=1)
    (generation / CHECKSUMS).write_text(text + "\n", encoding="utf-8")


def changed_files(generation: Path, *, but: str = "") -> list[FileDamage] | None:
    """Files that are lost, cut off or have other content; None without checksums.

    Reads all files, except those whose path begins with `but`. Raises `StoreBroken` when the
    checksums themselves are damaged.
    """
    known = _read(generation)
    return None if known is None else list(_compared(generation, known, but, content=True))


def cut_off_files(generation: Path, *, but: str = "") -> list[FileDamage]:
    """Files that are lost or of another size; reads none of them. [] without checksums.

    Raises `StoreBroken` when the checksums themselves are damaged.
    """
    known = _read(generation)
    return [] if known is None else list(_compared(generation, known, but, content=False))


def _compared(
    generation: Path, known: Checksums, but: str, *, content: bool
) -> Iterator[FileDamage]:
    for path, was in known.files.items():
        if not (but and path.startswith(but)):
            damage = _damage(generation, path, was, content)
            if damage is not None:
                yield damage


def _read(generation: Path) -> Checksums | None:
    path = generation / CHECKSUMS
    try:
        return Checksums.model_validate_json(path.read_bytes())
    except FileNotFoundError:
        return None
    except OSError as error:
        raise StoreBroken(f"cannot read {path}: {error.strerror}") from error
    except ValidationError as error:
        raise StoreBroken(f"{path} is damaged") from error


def _damage(generation: Path, path: str, was: FileSum, content: bool) -> FileDamage | None:
    file = generation / path
    try:
        size = file.stat().st_size
        if size != was.size:
            return FileDamage(path, f"is damaged: {size:,} bytes, {was.size:,} expected")
        if content and _sum(file) != was.sha256:
            return FileDamage(path, "has other content than when it was published")
    except FileNotFoundError:
        return FileDamage(path, "is missing")
    except OSError as error:
        return FileDamage(path, f"cannot be read: {error.strerror}")
    return None


def _sum(path: Path) -> str:
    total = sha256()
    with path.open("rb", buffering=0) as file:
        for start, block in filled_blocks(file.fileno()):
            total.update(start.to_bytes(8, "big"))
            total.update(block)
    return total.hexdigest()


def _is_passing(path: Path) -> bool:
    return any(part.startswith(_PASSING) for part in path.parts)
