"""`zaiko ingest`, `rollback` and `index push`: the only place that starts the ingest room's write side."""

from __future__ import annotations

import signal
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from agent.cli.boundary import exit_with
from agent.cli.data import warn_of_joins
from agent.cli.options import DataDir, Json, Paths, settings_of
from agent.cli.output import emit_json, say, show
from agent.cli.pairs import check_after_change

if TYPE_CHECKING:
    from ingest.pipeline import Changes, IngestReport, Progress
    from ingest.store.records import QuarantinedCell

EVERY_S = 1.0
CELLS_SHOWN = 10
NOTES_SHOWN = 10
index = typer.Typer(help="The vector index.", no_args_is_help=True, rich_markup_mode=None)


@index.callback()
def _index() -> None:
    """The vector index."""


def ingest(
    paths: Paths,
    kb: Annotated[
        str, typer.Option("--kb", help="The knowledge base of the documents.")
    ] = "default",
    watch: Annotated[
        bool, typer.Option("--watch", help="Go on, and follow the changes until Ctrl-C.")
    ] = False,
    no_ignore: Annotated[
        bool,
        typer.Option("--no-ignore", help="Take in what .gitignore and .zaikoignore name, too."),
    ] = False,
    data_dir: DataDir = None,
    json_: Json = False,
) -> None:
    """Read tables and documents into the data directory; only what changed is read again."""
    from ingest.pipeline import run_ingest  # noqa: PLC0415  the heavy part

    path, settings = settings_of(data_dir)
    chosen = settings.ingest_with_kb
    if no_ignore:
        chosen = chosen.model_copy(update={"ignore_files": False})

    def run() -> IngestReport:
        report = run_ingest(path, paths, kb=kb, settings=chosen, progress=_ProgressLine())
        check_after_change(path, settings)
        warn_of_joins(path, settings)
        return report

    if watch:
        _follow(paths, path, run, quiet_s=chosen.watch_quiet_s, as_json=json_)
        return
    report = run()
    _tell(report, as_json=json_)
    exit_with(0 if report.ok else 1)


@index.command("push")
def push(
    url: Annotated[str, typer.Argument(help="The Qdrant server: http://host:6333.")],
    data_dir: DataDir = None,
    json_: Json = False,
) -> None:
    """Move the index to a Qdrant server, with its vectors: nothing is embedded again."""
    from ingest.pipeline import push_index  # noqa: PLC0415  the heavy part

    path, settings = settings_of(data_dir)
    chosen = settings.ingest_with_kb
    server = chosen.server.model_copy(update={"url": url})
    pushed = push_index(path, chosen.model_copy(update={"server": server}), _ProgressLine())
    if json_:
        emit_json(pushed.to_json())
        return
    for kb, count in pushed.chunks.items():
        print(f"{kb}  {count} chunks")
    print(f"data revision {pushed.data_revision} is searched at {pushed.url}")
    if settings.ingest.index != "server" or settings.ingest.server.url != url:
        say('next: set ingest.index = "server" and ingest.server.url in zaiko.toml')


def rollback(data_dir: DataDir = None, json_: Json = False) -> None:
    """Go back to the generation before the live one."""
    from ingest.store.generations import rollback as roll_back  # noqa: PLC0415

    path, settings = settings_of(data_dir)
    revision = roll_back(path, settings.ingest_with_kb)
    check_after_change(path, settings)
    if json_:
        emit_json({"data_revision": revision})
    else:
        print(f"data revision {revision} is live again")


def _follow(
    paths: Sequence[Path],
    data_dir: Path,
    run: Callable[[], IngestReport],
    *,
    quiet_s: float,
    as_json: bool,
) -> None:
    """One report a run that changed something; Ctrl-C and SIGTERM end it with exit status 0.

    What goes wrong in a run is told, and the next change tries again; before the first one, a
    path that is not there is an error.
    """
    from ingest.store.errors import BadRequest, StoreError, StoreLocked  # noqa: PLC0415
    from ingest.watch import follow  # noqa: PLC0415

    if missing := [p for p in paths if not p.exists()]:
        raise BadRequest(f"no such file or directory: {missing[0]}", "name what is to be followed")
    told: list[str] = []

    def once() -> bool:
        try:
            report = run()
        except StoreError as error:
            if [error.message] != told:
                say(f"error: {error.message}")
                say(f"next: {error.hint}" if error.hint else "waiting for the next change")
            told[:] = [error.message]
            return not isinstance(error, StoreLocked)
        if not told or told[0] != "" or _is_news(report):
            _tell(report, as_json=as_json)
        told[:] = [""]
        return True

    say(f"following {len(paths)} path{'s' if len(paths) > 1 else ''}; Ctrl-C ends it")
    with _ended_by_a_signal():
        follow(paths, data_dir, once, quiet_s=quiet_s)
    say("ended; what was finished is kept")


@contextmanager
def _ended_by_a_signal() -> Iterator[None]:
    """SIGTERM, which a service is stopped with, ends the block as Ctrl-C does."""

    def interrupt(number: int, frame: Any) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    except KeyboardInterrupt:
        return
    finally:
        signal.signal(signal.SIGTERM, before)


def _is_news(report: IngestReport) -> bool:
    changed = report.documents.any() or report.tables.any()
    return changed or bool(report.rebuilt) or not report.ok


class _ProgressLine:
    """At most one line a second on stderr, and one at the end of a stage."""

    def __init__(self) -> None:
        self._last = 0.0

    def __call__(self, progress: Progress) -> None:
        now = time.monotonic()
        if now - self._last < EVERY_S and progress.done < progress.total:
            return
        self._last = now
        left = progress.seconds_left
        rate = f", {progress.rate:.1f}/s" if progress.rate else ""
        wait = f", {_duration(left)} left" if left and left >= 1 else ""
        say(f"{progress.stage}: {progress.done}/{progress.total}{rate}{wait} {progress.path}")


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


def _tell(report: IngestReport, *, as_json: bool) -> None:
    if as_json:
        emit_json(report.to_json())
    else:
        _print(report)


def _print(report: IngestReport) -> None:
    print(f"tables     {_changes(report.tables)}")
    print(f"documents  {_changes(report.documents)}")
    print(f"chunks     {report.chunks}")
    if report.left_out:
        print(f"left out   {report.left_out} by .gitignore or .zaikoignore (--no-ignore)")
    if report.quarantined:
        print(f"quarantine {len(report.quarantined)} cells were left out:")
        for cell in _of_each_column(report.quarantined)[:CELLS_SHOWN]:
            row = f"{cell.source} row {cell.row}" if cell.source else f"row {cell.row}"
            show(f"  {cell.table}.{cell.column} {row}: {cell.value!r}: {cell.reason}")
        if len(report.quarantined) > CELLS_SHOWN:
            print("  all of them: zaiko tables --quarantine")
    _print_notes(report)
    for hidden in report.hidden_sheets:
        show(f"hidden     {hidden.path}: left out: {', '.join(hidden.sheets)}")
    for apart in report.apart:
        show(f"apart      {apart}")
    for damage in report.rebuilt:
        show(f"rebuilt    {damage.name}: {damage.reason}")
    for failure in (*report.tables.failed, *report.documents.failed):
        say(f"failed: {failure.path}: {failure.reason}")
    if report.data_revision is None:
        print("nothing is published yet", flush=True)
    else:
        print(f"data revision {report.data_revision} in {report.seconds:.1f} s", flush=True)


def _of_each_column(cells: Sequence[QuarantinedCell]) -> list[QuarantinedCell]:
    """The first of each column before the second of any."""
    seen: Counter[tuple[str, str]] = Counter()
    places = []
    for cell in cells:
        places.append(seen[cell.table, cell.column])
        seen[cell.table, cell.column] += 1
    return [cell for _, cell in sorted(zip(places, cells, strict=True), key=lambda pair: pair[0])]


def _print_notes(report: IngestReport) -> None:
    """Every warning, and the shortest notes: what was left out of the tables, how they were read."""
    for note in (n for n in report.notes if n.warning):
        show(f"warning    {note.table}: {note.note}")
    told = sorted((n for n in report.notes if not n.warning), key=lambda n: len(n.note))
    for note in told[:NOTES_SHOWN]:
        show(f"note       {note.table}: {note.note}")
    if len(told) > NOTES_SHOWN:
        print(f"           {len(told) - NOTES_SHOWN} more notes: zaiko tables --notes")


def _changes(changes: Changes) -> str:
    named = ("added", "updated", "unchanged", "moved", "deleted")
    counts = [f"{getattr(changes, name)} {name}" for name in named if getattr(changes, name)]
    if changes.failed:
        counts.append(f"{len(changes.failed)} failed")
    return ", ".join(counts) or "none"
