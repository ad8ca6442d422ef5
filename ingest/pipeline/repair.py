"""The live generation as a run finds it: what is damaged is built again, or the run says how."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from ingest.scan import Scan, named_gone
from ingest.store.current import clear_way
from ingest.store.damage import (
    MANIFEST_PART,
    TABLES_PART,
    Damage,
    Examined,
    examine_generation,
    lost_files,
    way_out,
)
from ingest.store.errors import StoreBroken
from ingest.store.generations import Generations
from ingest.store.manifest import CATALOG, FileEntry, Manifest
from ingest.store.settings import ServerSettings

READ_AGAIN = "read again"
"""The hash of no file: as the recipe of a table file it has that file taken in again, as the
sidecar of a document it has that document read again beside the passages that it has."""


@dataclass(frozen=True)
class Live:
    """`manifest` holds the records of the parts that are whole; None when there are none.

    `damage` is empty where the live generation is as it was published.
    """

    manifest: Manifest | None = None
    damage: tuple[Damage, ...] = ()


def find_live(generations: Generations, scan: Scan, kb: str, server: ServerSettings) -> Live:
    """Raises `StoreBroken` with the way out when the live generation is damaged and the run
    cannot build the damaged parts again, or an earlier generation is whole."""
    clear_way(generations.data_dir)
    generations.finish_first_run()
    try:
        revision = generations.current()
    except StoreBroken as error:
        if generations.earlier() is not None:
            raise
        return Live(damage=(_unknown(error.message),))
    if revision is None:
        return Live()
    examined = examine_generation(generations.path(revision), server, deep=False)
    if not examined.damage:
        return Live(examined.manifest)
    if generations.earlier() is not None or not _covers(scan, kb, examined):
        raise _error(generations, examined)
    if examined.manifest is None:
        return Live(damage=tuple(_unknown(d.reason) for d in examined.damage))
    return Live(_whole(examined), (*examined.damage, *_kept_catalog(generations, examined)))


def _unknown(reason: str) -> Damage:
    said = "what it held is not known: only the given paths are in the new generation"
    return Damage(MANIFEST_PART, f"{reason}; {said}")


def _covers(scan: Scan, kb: str, examined: Examined) -> bool:
    """The given paths hold every file that must be taken in again, or held it."""
    if examined.manifest is None:
        return True
    lost = lost_files(examined.manifest, examined.damage)
    gone = named_gone(scan, {entry.path for entry in lost})
    given = {*scan.files, *gone}
    return all(entry.kb in (None, kb) and _is_given(entry, scan, given) for entry in lost)


def _is_given(entry: FileEntry, scan: Scan, given: set[Path]) -> bool:
    path = Path(entry.path)
    if any(path.is_relative_to(unread) for unread in scan.unread):
        return False
    return path in given or any(path.is_relative_to(root) for root in scan.roots)


def _error(generations: Generations, examined: Examined) -> StoreBroken:
    said = "; ".join(f"{d.name}: {d.reason}" for d in examined.damage)
    message = f"the live generation {examined.revision} is damaged ({said})"
    return StoreBroken(message, way_out(generations, examined))


def _whole(examined: Examined) -> Manifest | None:
    parts, kbs = {d.part for d in examined.damage}, {d.kb for d in examined.damage if d.kb}
    manifest = examined.manifest
    if manifest is None or MANIFEST_PART in parts:
        return None
    lost = {entry.key for entry in lost_files(manifest, examined.damage)}
    files = [_left(e, kbs, TABLES_PART in parts) if e.key in lost else e for e in manifest.files]
    documents = tuple(d for d in manifest.documents if d.kb not in kbs)
    gone = {d.doc_id for d in manifest.documents if d.kb in kbs}
    average = manifest.bm25_average_length
    return manifest.model_copy(
        update={
            "files": tuple(entry for entry in files if entry is not None),
            "documents": documents,
            "tables": tuple(
                t for t in manifest.tables if TABLES_PART not in parts and t.doc_id not in gone
            ),
            "embedder": manifest.embedder if documents else None,
            "bm25_average_length": {k: v for k, v in average.items() if k not in kbs},
        }
    )


def _left(entry: FileEntry, kbs: Collection[str], tables_lost: bool) -> FileEntry | None:
    """What is left of a file that must be taken in again; None for a document without index."""
    if entry.kb in kbs:
        return None
    mark = "recipe" if entry.kind == "table" else "sidecar"
    return entry.model_copy(
        update={mark: READ_AGAIN, "tables": () if tables_lost else entry.tables}
    )


def _kept_catalog(generations: Generations, examined: Examined) -> list[Damage]:
    """A changed catalog may be a person's edit in the wrong place: it is kept beside the data."""
    path = generations.path(examined.revision) / CATALOG
    if not any(CATALOG in d.reason for d in examined.damage):
        return []
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return []
    kept = generations.data_dir / f"catalog-of-generation-{examined.revision}.yaml"
    kept.write_text(text, encoding="utf-8")
    return [Damage(TABLES_PART, f"what {CATALOG} said is kept in {kept}")]
