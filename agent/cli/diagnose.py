"""`zaiko trace` and `zaiko doctor`."""

from typing import Annotated

import typer

from agent.cli.boundary import exit_with
from agent.cli.options import DataDir, Json, data_dir_of, existing_dir_of
from agent.cli.output import emit_json, print_table, show


def trace(
    id: Annotated[
        str | None, typer.Argument(help="A trace id or its beginning; none lists.")
    ] = None,
    data_dir: DataDir = None,
    json_: Json = False,
) -> None:
    """Draw the tree of a question: what ran, for how long, with which tokens and evidence."""
    from agent.telemetry import list_traces, load_trace, render  # noqa: PLC0415

    path = existing_dir_of(data_dir)
    if id is None:
        summaries = list_traces(path, 20)
        if json_:
            emit_json({"traces": [s.model_dump() for s in summaries]})
        else:
            columns = ("trace_id", "start", "ms", "status", "thread_id", "spans")
            print_table(columns, [[getattr(s, c) for c in columns] for s in summaries])
        return
    found = load_trace(path, id)
    if json_:
        emit_json(found.to_json())
    else:
        print(render(found))


def doctor(data_dir: DataDir = None, json_: Json = False) -> None:
    """Say which part runs where and what is missing. Exit 1 when something must be done."""
    from agent.doctor import examine  # noqa: PLC0415

    checks = examine(data_dir_of(data_dir))
    bad = any(c.severity == "error" for c in checks)
    if json_:
        emit_json({"ok": not bad, "checks": [c.to_json() for c in checks]})
    else:
        for check in checks:
            show(f"{check.severity:8}{check.name:12}{check.message}")
            if check.remedy and check.severity != "ok":
                show(f"{'':20}next: {check.remedy}")
    exit_with(1 if bad else 0)
