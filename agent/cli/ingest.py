"""`zaiko ingest` and `zaiko rollback`: the only place that starts the ingest room's write side."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Annotated

import typer

from agent.cli.boundary import exit_with
from agent.cli.options import DataDir, Json, Paths, settings_of
from agent.cli.output import emit_json, say, show

if TYPE_CHECKING:
    from ingest.pipeline import Changes, IngestReport, Progress

EVERY_S = 1.0


def ingest(
    paths: Paths,
    kb: Annotated[
        str, typer.Option("--kb", help="The knowledge base of the documents.")
    ] = "default",
    data_dir: DataDir = None,
    json_: Json = False,
) -> None:
    """Read tables and documents into the data directory; only what changed is read again."""
    from ingest.pipeline import run_ingest  # noqa: PLC0415  the heavy part

    path, settings = settings_of(data_dir)
    report = run_ingest(
        path, paths, kb=kb, settings=settings.ingest_with_kb, progress=_ProgressLine()
    )
    if json_:
        emit_json(report.to_json())
    else:
        _print(report)
    exit_with(0 if report.ok else 1)


def rollback(data_dir: DataDir = None, json_: Json = False) -> None:
    """Go back to the generation before the live one."""
    from ingest.store.generations import rollback as roll_back  # noqa: PLC0415

    path, settings = settings_of(data_dir)
    revision = roll_back(path, settings.ingest_with_kb)
    if json_:
        emit_json({"data_revision": revision})
    else:
        print(f"data revision {revision} is live again")


class _ProgressLine:
    """At most one line a second on stderr, and one at the end of a stage."""

    def __init__(self) -> None:
        self._last = 0.0

    def __call__(self, progress: Progress) -> None:
        now = time.monotonic()
        if now - self._last < EVERY_S and progress.done < progress.total:
            return
        self._last = now
        rate = f", {progress.rate:.1f}/s" if progress.rate else ""
        left = progress.total - progress.done
        wait = f", {left / progress.rate:.0f} s left" if progress.rate and left else ""
        say(f"{progress.stage}: {progress.done}/{progress.total}{rate}{wait} {progress.path}")


def _print(report: IngestReport) -> None:
    print(f"tables     {_changes(report.tables)}")
    print(f"documents  {_changes(report.documents)}")
    print(f"chunks     {report.chunks}")
    if report.quarantined:
        print(f"quarantine {len(report.quarantined)} cells were left out:")
        for cell in report.quarantined[:10]:
            show(f"  {cell.table}.{cell.column} row {cell.row}: {cell.value!r}: {cell.reason}")
    for hidden in report.hidden_sheets:
        show(f"hidden     {hidden.path}: left out: {', '.join(hidden.sheets)}")
    for damage in report.rebuilt:
        show(f"rebuilt    {damage.name}: {damage.reason}")
    for failure in (*report.tables.failed, *report.documents.failed):
        say(f"failed: {failure.path}: {failure.reason}")
    if report.data_revision is None:
        print("nothing is published yet")
    else:
        print(f"data revision {report.data_revision} in {report.seconds:.1f} s")


def _changes(changes: Changes) -> str:
    named = ("added", "updated", "unchanged", "moved", "deleted")
    counts = [f"{getattr(changes, name)} {name}" for name in named if getattr(changes, name)]
    if changes.failed:
        counts.append(f"{len(changes.failed)} failed")
    return ", ".join(counts) or "none"
