"""The tools by hand, through the same guards as the agent's calls."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from agent.cli.options import DataDir, Json, Kb, Today, day_of, settings_of, text_of, today_of
from agent.cli.output import emit_json, print_table, printable, say, show
from agent.errors import UsageError

if TYPE_CHECKING:
    from agent.settings import Settings
    from ingest.store import DocumentFilter
    from reranker import Judge
    from tools.base import Around
    from tools.evidence import Evidence

MOST_NEIGHBOURS = 20
_ARGUMENT_NAMES = {"query_text": "query"}


def search(
    query: str,
    kb: Kb = None,
    top_k: Annotated[int, typer.Option("--top-k", min=1, max=10)] = 5,
    status: Annotated[
        list[str] | None, typer.Option("--status", help="Only documents of this status.")
    ] = None,
    language: Annotated[
        list[str] | None, typer.Option("--language", help="Only documents in it: ja, en, zh.")
    ] = None,
    source: Annotated[
        list[str] | None, typer.Option("--source", help="Only these paths: 'policies/*'.")
    ] = None,
    valid_on: Annotated[
        str | None, typer.Option("--valid-on", help="Only what applied on that day.")
    ] = None,
    around: Annotated[
        str | None,
        typer.Option("--around", help="Also what is around: N passages, section or document."),
    ] = None,
    data_dir: DataDir = None,
    json_: Json = False,
) -> None:
    """Search the documents."""
    arguments = {"query_text": query, "top_k": top_k}
    chosen = _document_filter(status, language, source, valid_on)
    wanted = _around(around)
    with ran(
        "knowledge_search", arguments, data_dir, kbs=kb, documents=chosen, around=wanted
    ) as result:
        found = result.to_json()
    if json_:
        emit_json(found)
        return
    for hit in _dicts(found["results"]):
        page = f" p.{hit['page']}" if hit["page"] else ""
        note = f"  {hit['status_note']}" if hit["status_note"] else ""
        heading = hit["heading"]
        path = " › ".join(heading) if isinstance(heading, list | tuple) else heading
        show(f"{hit['rank']}. {hit['score']:.3f}  {hit['source']}{page}  {path or ''}{note}")
        context = _dicts(hit.get("context", ()))
        for passage in (c for c in context if c["place"] == "before"):
            show(f"   … {_one_line(passage['text'])}")
        text = _one_line(hit["text"])
        show(f"   {text if context else text[:300]}")
        for passage in (c for c in context if c["place"] == "after"):
            show(f"   … {_one_line(passage['text'])}")
    for key in ("note", "failed_kbs"):
        if found.get(key):
            say(f"{key}: {printable(found[key])}")


def _one_line(text: object) -> str:
    return " ".join(str(text).split())


def _around(given: str | None) -> Around | None:
    named: dict[str | None, Around | None] = {
        None: None,
        "section": "section",
        "document": "document",
    }
    if given is None or given in named:
        return named[given]
    if given.isascii() and given.isdigit() and int(given) <= MOST_NEIGHBOURS:
        return int(given)
    raise UsageError(
        f"--around {given!r} is none of what can be shown",
        f"section, document, or a number of passages up to {MOST_NEIGHBOURS}",
    )


def _document_filter(
    status: list[str] | None,
    language: list[str] | None,
    source: list[str] | None,
    valid_on: str | None,
) -> DocumentFilter | None:
    from pydantic import ValidationError  # noqa: PLC0415

    from ingest.store import DocumentFilter  # noqa: PLC0415

    if not (status or language or source or valid_on):
        return None
    given = {
        "statuses": status or (),
        "languages": language or (),
        "sources": source or (),
        "valid_on": day_of(valid_on, "--valid-on"),
    }
    try:
        return DocumentFilter.model_validate(given)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        option = {"statuses": "--status", "languages": "--language"}.get(str(first["loc"][0]), "")
        raise UsageError(f"{option}: {first['msg']}".lstrip(": "), "zaiko search --help") from None


def sql(query: str, data_dir: DataDir = None, json_: Json = False) -> None:
    """Run one SELECT over the tables."""
    with ran("sql", {"query": query}, data_dir) as result:
        found = result.to_json()
    if json_:
        emit_json(found)
        return
    print_table([str(c["name"]) for c in _dicts(found["columns"])], found["rows"])
    say(f"{found['row_count']} rows" + (" (cut)" if found["truncated"] else ""))
    for note in found["notes"]:
        say(f"note: {note}")


def calc(code: str, data_dir: DataDir = None, json_: Json = False) -> None:
    """Run Python in the sandbox."""
    with ran("calculate", {"code": code}, data_dir, needs_store=False) as result:
        found = result.to_json()
    if json_:
        emit_json(found)
        return
    if found["log"]:
        show(str(found["log"]).rstrip())
    show(found["result"])
    for note in found.get("notes", ()):
        say(f"note: {note}")


def dates(
    expression: str, today: Today = None, data_dir: DataDir = None, json_: Json = False
) -> None:
    """Resolve a date expression: 先月, FY2025 Q3, 最近30天, last quarter."""
    arguments = {"expression": expression}
    with ran("dates", arguments, data_dir, today=today_of(today), needs_store=None) as result:
        found = result.to_json()
    if json_:
        emit_json(found)
        return
    show(f"{found['start']} … {found['end']}  {found['label']}")
    if found.get("note"):
        say(f"note: {found['note']}")


def verify(
    text: Annotated[str, typer.Option("--text", help="A file with the text; - is stdin.")],
    evidence: Annotated[Path, typer.Option("--evidence", help="JSON: evidence, or an answer.")],
    data_dir: DataDir = None,
    json_: Json = False,
) -> None:
    """Check every number, date and name of a text against evidence."""
    draft = text_of("-", "text") if text == "-" else _read_text(Path(text))
    known = {e.id: e for e in _read_evidence(evidence)}
    with ran("verify", {"text": draft}, data_dir, evidence=known, needs_store=False) as result:
        found = result.to_json()
        if json_:
            emit_json(found)
            return
        print(result.summary())
    for name in ("unsupported", "contradicted"):
        for item in _dicts(found[name]):
            show(f"{name}: {item['text']}  {item['message']}")


@contextmanager
def ran(
    name: str,
    arguments: dict[str, Any],
    data_dir: Path | None,
    *,
    today: date | None = None,
    kbs: list[str] | None = None,
    evidence: dict[str, Evidence] | None = None,
    documents: DocumentFilter | None = None,
    around: Around | None = None,
    needs_store: bool | None = True,
) -> Iterator[Any]:
    """The tool's result, while its store is open. `needs_store`: None is a store if there is one.

    Raises the errors of the tool, its store and the settings.
    """
    from pydantic import ValidationError  # noqa: PLC0415

    from agent.make_tools import close_tools, make_tool  # noqa: PLC0415
    from tools.base import ToolContext  # noqa: PLC0415

    for key, value in arguments.items():
        if isinstance(value, str):
            arguments[key] = text_of(value, _ARGUMENT_NAMES.get(key, key))
    path, settings = settings_of(data_dir)
    with ExitStack() as stack:
        judge = _judge(stack, settings, path) if name == "knowledge_search" else None
        tool = make_tool(name, settings, judge)
        try:
            parsed = tool.arguments.model_validate(arguments)
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            told = f"{first['loc'][-1]}: {first['msg']}"
            raise UsageError(told, "correct the argument") from None
        store = _store(path, settings.ingest_with_kb, needs_store)
        stack.callback(store.close)
        stack.callback(close_tools, {name: tool})
        scope = tuple(kbs) if kbs else None
        context = ToolContext(
            store=store.within(scope),
            today=today or date.today(),
            evidence=evidence or {},
            kbs=scope,
            documents=documents,
            around=around,
        )
        yield tool.run(parsed, context)


def _judge(stack: ExitStack, settings: Settings, data_dir: Path) -> Judge | None:
    """For the llm reranker only: the models' libraries are slow to import."""
    if settings.reranker.kind != "llm":
        return None
    from agent.judge import judge_by_hand  # noqa: PLC0415

    return stack.enter_context(judge_by_hand(settings, data_dir))


def _store(path: Path, settings: Any, needed: bool | None) -> Any:
    """A tool that needs no data works without a data directory, on an empty catalog."""
    from ingest.store import EmptyStore, Store  # noqa: PLC0415
    from ingest.store.errors import StoreMissing  # noqa: PLC0415

    if needed is False:
        return EmptyStore()
    try:
        return Store.open(path, settings)
    except StoreMissing:
        if needed:
            raise
        return EmptyStore()


def _read_text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(
            f"the text file {path} cannot be read: {error}", "name a UTF-8 file, or - for stdin"
        ) from None


def _read_evidence(path: Path) -> list[Evidence]:
    """A list of evidence, {"evidence": […]}, or a whole answer as `zaiko ask --json` printed it.

    What has no id is numbered by its place.
    """
    from pydantic import ValidationError  # noqa: PLC0415

    from tools.evidence import Evidence  # noqa: PLC0415

    try:
        value = json.loads(path.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError, RecursionError) as error:
        raise UsageError(f"{path} cannot be read: {error}", "give a JSON file") from None
    items: Any = value.get("evidence") if isinstance(value, dict) else value
    try:
        known = Evidence.model_fields
        return [
            Evidence.model_validate(
                {k: v for k, v in e.items() if k in known} | {"id": e.get("id") or f"E{n}"}
            )
            for n, e in enumerate(items, start=1)
        ]
    except (ValidationError, AttributeError, TypeError) as error:
        where = error.errors()[0]["loc"] if isinstance(error, ValidationError) else ()
        field = f" (wrong: {'.'.join(map(str, where))})" if where else ""
        raise UsageError(
            f"{path} is not a list of evidence{field}",
            "give what `zaiko ask --json` printed, or a list like its `evidence`",
        ) from None


def _dicts(value: Any) -> list[dict[str, Any]]:
    return list(value)
