"""`run_ingest`: one run from paths to a published generation."""

from __future__ import annotations

import re
import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from ingest.documents import installed_ocr
from ingest.embedders import Embedder
from ingest.index import remove_index
from ingest.index.base import POINTER
from ingest.pipeline.check import seal_draft
from ingest.pipeline.document_tables import apply_document_tables
from ingest.pipeline.documents import DocumentStage, document_recipe, table_recipe
from ingest.pipeline.draft import Draft, copy_parts, start_draft
from ingest.pipeline.failures import broken_parts, disk_errors
from ingest.pipeline.journal import EmbeddingJournal, remove_journal
from ingest.pipeline.notes import with_notes
from ingest.pipeline.repair import Live, find_live
from ingest.pipeline.tables import apply_tables, drop_unrecorded
from ingest.report import Changes, IngestReport, Meter, Progress, ProgressSink, TableNote
from ingest.scan import Scan, is_text, printable, require_input, scan_paths
from ingest.store.embedding import LazyEmbedder
from ingest.store.errors import BadRequest, StoreError
from ingest.store.generations import Generations
from ingest.store.lock import writer_lock
from ingest.store.manifest import INDEX, Manifest, read_quarantine
from ingest.store.records import HiddenSheets
from ingest.store.settings import IngestSettings
from ingest.sync import Plan, Planner, Recipes

_KB_NAME = re.compile(r"[^\W_][\w.-]{0,63}")

Points = Callable[[str], None]
"""Called with locked, copied, tables, documents, embedded (after every batch), indexed, checked, renamed, published, cleaned."""


def run_ingest(
    data_dir: Path,
    paths: Sequence[Path],
    *,
    kb: str = "default",
    settings: IngestSettings,
    progress: Callable[[Progress], None] | None = None,
    at: Points | None = None,
    embedder: Embedder | None = None,
) -> IngestReport:
    """Bring the store in line with the files under `paths`; publish only when something changed.

    A file that cannot be read is in the report, its earlier version stays, and the rest goes on.
    Damaged parts of the live generation are built again when the paths hold all their files.
    Raises `StoreError` when there is nothing to read, the directory cannot be written, or
    another writer holds it (`StoreLocked`), `StoreBroken` with the way out when the live
    generation is damaged otherwise; it is then as it was.
    """
    if not _KB_NAME.fullmatch(kb):
        raise BadRequest(
            f"{kb!r} cannot be the name of a knowledge base",
            "use letters, digits, '-', '_' and '.', at most 64, a letter or digit first",
        )
    started = time.monotonic()
    generations = Generations(data_dir)
    scan = scan_paths(paths, data_dir, ignore_files=settings.ignore_files)
    require_input(scan, generations.live)
    with disk_errors(data_dir):
        _make_directory(data_dir)
        with writer_lock(data_dir, settings.lock_wait_s):
            run = _Run(generations, scan, kb, settings, progress or _silent, at or _nowhere)
            return run.report(run.sync(embedder), started)


def _make_directory(data_dir: Path) -> None:
    if not is_text(str(data_dir)):
        raise BadRequest(
            f"the name of the data directory {printable(data_dir)} is not valid UTF-8",
            "rename it, or name another directory with --data-dir",
        )
    try:
        data_dir.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError) as error:
        raise BadRequest(
            f"{data_dir} is a file, not a directory", "name a directory with --data-dir"
        ) from error


@dataclass
class _Run:
    """One run under the writer's lock."""

    generations: Generations
    scan: Scan
    kb: str
    settings: IngestSettings
    progress: ProgressSink
    at: Points
    documents: Changes = field(default_factory=Changes)
    tables: Changes = field(default_factory=Changes)
    found: Live = field(default_factory=Live)

    def sync(self, embedder: Embedder | None) -> Manifest | None:
        """The live manifest after the run; None when nothing is published."""
        self.at("locked")
        self.generations.clear_half_built(self._discard)
        self.found = find_live(self.generations, self.scan, self.kb, self.settings.server)
        live = self.found.manifest
        plan = self._plan(live)
        if not (self.found.damage or plan.work("document") or plan.work("table")):
            return live
        built_by = live.embedder if live else None
        lazy = LazyEmbedder(self.settings.embedder, built_by, embedder, self.settings.bge_m3)
        return self._build(plan, live, lazy)

    def report(self, live: Manifest | None, started: float) -> IngestReport:
        cells = read_quarantine(self.generations.path(live.revision)) if live else []
        return IngestReport(
            documents=self.documents,
            tables=self.tables,
            chunks=live.chunks() if live else 0,
            quarantined=tuple(cells),
            data_revision=live.revision if live else None,
            seconds=time.monotonic() - started,
            ignored=self.scan.ignored,
            left_out=self.scan.left_out,
            rebuilt=self.found.damage,
            hidden_sheets=_hidden_sheets(live),
            apart=tuple(t.apart for t in live.tables if t.apart) if live else (),
            notes=tuple(_table_notes(live)),
        )

    def _plan(self, live: Manifest | None) -> Plan:
        settings = self.settings
        recipes = Recipes(
            document_recipe(self.kb, settings),
            table_recipe(settings),
            settings.max_file_mb * 2**20,
            ocr_installed=lambda: installed_ocr() is not None,
        )
        planner = Planner(self.scan, live, self.kb, recipes)
        meter = Meter(self.progress, "scan", len(self.scan.files))
        for done, path in enumerate(planner.plan(), start=1):
            meter.tell(done, printable(path))
        plan = planner.result
        for kind, failure in plan.failures:
            (self.tables if kind == "table" else self.documents).failed.append(failure)
        tables = {n for entry in plan.unchanged if entry.kind == "table" for n in entry.tables}
        self.tables.unchanged = len(tables)
        self.documents.unchanged = sum(entry.kind == "document" for entry in plan.unchanged)
        return plan

    def _build(self, plan: Plan, live: Manifest | None, embedder: LazyEmbedder) -> Manifest | None:
        revision = self.generations.next_revision()
        directory = self.generations.start_building(revision)
        try:
            draft = start_draft(directory, revision, live, self.settings.index)
            with broken_parts():
                manifest = self._fill(draft, plan, live, embedder)
            if manifest is not None:
                self._publish(draft)
            return manifest or live
        finally:
            with suppress(OSError):
                self._discard(directory)

    def _fill(
        self, draft: Draft, plan: Plan, live: Manifest | None, embedder: LazyEmbedder
    ) -> Manifest | None:
        """The manifest of the draft as built and checked; None when nothing changed."""
        if live is not None:
            live_path = self.generations.path(live.revision)
            copy_parts(draft, live_path, self.settings.server)
        if self.found.damage:
            drop_unrecorded(draft)
        self.at("copied")
        self._apply(draft, plan, embedder)
        if not (draft.changed or self.found.damage):
            return None
        manifest = draft.write()
        self.progress(Progress("check", 0, 1))
        seal_draft(draft, self.settings.server)
        self.progress(Progress("check", 1, 1))
        self.at("checked")
        return manifest

    def _apply(self, draft: Draft, plan: Plan, embedder: LazyEmbedder) -> None:
        draft.roots = plan.roots
        notes = apply_tables(draft, plan, self.settings, self.tables, self.progress)
        plan = with_notes(plan, draft, self.kb, notes)
        self.at("tables")
        stage = DocumentStage(
            draft, self.kb, self.settings, embedder, self.progress, self._journal, self.at
        )
        ready = stage.read(plan, self.documents)
        self.at("documents")
        stage.write(plan, ready, self.documents)
        apply_document_tables(draft, plan, ready, self.settings, self.tables)
        self.at("indexed")

    def _journal(self, embedder: Embedder) -> EmbeddingJournal:
        return EmbeddingJournal(self.generations.data_dir, embedder)

    def _discard(self, directory: Path) -> None:
        """With the collections of a server that it points to."""
        for pointer in directory.glob(f"{INDEX}/*/{POINTER}"):
            with suppress(StoreError):
                remove_index(pointer.parent, server=self.settings.server)
        if directory.exists():
            shutil.rmtree(directory)

    def _publish(self, draft: Draft) -> None:
        self.generations.rename_built(draft.directory, draft.revision)
        self.at("renamed")
        self.generations.make_current(draft.revision)
        self.at("published")
        remove_journal(self.generations.data_dir)
        try:
            self.generations.remove_old(self.settings.keep_generations, self._discard)
        except OSError:
            # The new generation is live; what could not be removed is tried again next time.
            return
        self.at("cleaned")


def _hidden_sheets(live: Manifest | None) -> tuple[HiddenSheets, ...]:
    return tuple(
        HiddenSheets(path=entry.path, sheets=entry.hidden_sheets)
        for entry in (live.files if live else ())
        if entry.hidden_sheets
    )


def _table_notes(live: Manifest | None) -> Iterator[TableNote]:
    """Warnings first."""
    tables = [t for t in live.tables if t.doc_id is None] if live else []
    for table in tables:
        yield from (TableNote(table.name, text, warning=True) for text in table.warnings)
    for table in tables:
        yield from (TableNote(table.name, text) for text in table.notes)


def _silent(_: Progress) -> None:
    return


def _nowhere(_: str) -> None:
    return
