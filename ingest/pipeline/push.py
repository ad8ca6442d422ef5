"""`push_index`: the move from the edge index to a server, without embedding again."""

from __future__ import annotations

import shutil
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from ingest.index import create_index, open_index, remove_index
from ingest.index.base import POINTER
from ingest.pipeline.check import seal_draft
from ingest.pipeline.draft import Draft, copy_files, start_draft
from ingest.pipeline.failures import broken_parts, disk_errors
from ingest.report import Progress, ProgressSink
from ingest.store.errors import StoreError, StoreMissing
from ingest.store.generations import Generations
from ingest.store.lock import writer_lock
from ingest.store.manifest import INDEX, Manifest
from ingest.store.settings import IngestSettings


@dataclass(frozen=True)
class Pushed:
    """`chunks` by knowledge base, each now a collection of the server at `url`."""

    data_revision: int
    url: str
    chunks: dict[str, int]

    def to_json(self) -> dict[str, object]:
        return {"data_revision": self.data_revision, "url": self.url, "chunks": self.chunks}


def push_index(data_dir: Path, settings: IngestSettings, progress: ProgressSink) -> Pushed:
    """Every knowledge base of the live generation, with its vectors, to `settings.server`; the
    next generation, which searches there, is published when all is there.

    A kill or a failure leaves the live generation as it was; the collections of a failure are
    removed. Raises `StoreMissing` when nothing was ingested, `StoreBroken` with
    the way out when it is damaged, `StoreError` for the server's.
    """
    generations = Generations(data_dir)
    with disk_errors(data_dir), writer_lock(data_dir, settings.lock_wait_s):
        generations.clear_half_built()
        current = generations.current()
        if current is None:
            raise StoreMissing(
                f"nothing was ingested into {data_dir} yet", "run: zaiko ingest PATH"
            )
        live = generations.manifest(current)
        revision = generations.next_revision()
        directory = generations.start_building(revision)
        draft = start_draft(directory, revision, live, "server")
        draft.index = "server"
        try:
            with broken_parts():
                chunks = _fill(draft, live, generations.path(live.revision), settings, progress)
            generations.rename_built(directory, revision)
        except BaseException:
            _discard(directory, settings)
            raise
        generations.make_current(revision)
        return Pushed(revision, str(settings.server.url), chunks)


def _fill(
    draft: Draft,
    live: Manifest,
    source: Path,
    settings: IngestSettings,
    progress: ProgressSink,
) -> dict[str, int]:
    copy_files(draft, source)
    counts = {kb: _copy(draft, live, source, kb, settings, progress) for kb in draft.bases()}
    draft.write()
    seal_draft(draft, settings.server)
    return counts


def _copy(
    draft: Draft,
    live: Manifest,
    source: Path,
    kb: str,
    settings: IngestSettings,
    progress: ProgressSink,
) -> int:
    path = draft.index_path(kb)
    path.parent.mkdir(exist_ok=True)
    here = open_index(live.index, source / INDEX / kb, server=settings.server)
    try:
        there = create_index(
            "server", path, here.dimension, learned=here.learned, server=settings.server
        )
        total, done = here.count(), 0
        for batch in here.points():
            there.put(batch)
            done += len(batch)
            progress(Progress("push", done, total, kb))
        there.close()
    finally:
        here.close()
    return done


def _discard(directory: Path, settings: IngestSettings) -> None:
    for pointer in directory.glob(f"{INDEX}/*/{POINTER}"):
        with suppress(StoreError):  # The failure that led here is the one to be told.
            remove_index(pointer.parent, server=settings.server)
    shutil.rmtree(directory, ignore_errors=True)
