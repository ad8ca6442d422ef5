"""Wires the parts of one data directory together: store, tools, models, memory, prompts."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from functools import partial
from pathlib import Path

from agent.catalog_view import quoted, render_catalog
from agent.make_tools import all_tools, close_tools
from agent.models import ChatModel, make_chat_model
from agent.models.base import ToolSpec
from agent.pairs import PairLibrary
from agent.prompts import prompt
from agent.relevance import MAX_DISTINCT, Relevance
from agent.settings import Role, Settings
from agent.toolbox import tool_specs
from ingest.store import Catalog, Store
from reranker import Judge
from tools.base import Tool, ToolContext
from tools.errors import ToolError
from tools.evidence import Evidence
from tools.sql.tool import SqlTool

ROLES: tuple[Role, ...] = ("gate", "plan", "answer", "judge")


@dataclass
class Workbench:
    """One open generation with its tools and the head of every prompt over it."""

    store: Store
    tools: dict[str, Tool]
    specs: list[ToolSpec]
    system_prompt: str
    catalog_is_whole: bool
    relevance: Relevance
    pairs: PairLibrary | None = None
    """None where there is no table."""

    def start(self) -> None:
        """Has what takes long to start begin while the first model call is under way."""
        tool = self.tools.get("sql")
        if isinstance(tool, SqlTool):
            tool.start(self.store)

    def close(self) -> None:
        close_tools(self.tools)
        self.store.close()


def open_workbench(
    data_dir: Path,
    settings: Settings,
    store: Store | None = None,
    kbs: Iterable[str] | None = None,
    judge: Judge | None = None,
) -> Workbench:
    """`store`: one already open, which the workbench then closes. `kbs`: what its questions may
    read; nothing of another knowledge base is seen by any part. `judge`: for the llm reranker.
    Raises the store's errors; creates nothing."""
    store = store or Store.open(data_dir, settings.ingest_with_kb)
    try:
        store = store.within(kbs)
        tools = _useful(all_tools(settings, judge), store)
        specs = tool_specs(tools)
        catalog, whole = render_catalog(store.catalog, settings.graph.catalog_tokens)
        system = prompt(
            "system",
            limits=settings.graph,
            tools=specs,
            catalog=catalog,
            snapshots=_snapshots(store.catalog),
            knowledge=store.knowledge_bases(),
        )
    except BaseException:
        store.close()
        raise
    pairs = _pairs(data_dir, store, tools.get("sql"))
    return Workbench(store, tools, specs, system, whole, _relevance(store, tools), pairs)


def make_models(
    settings: Settings, progress: Callable[[str], None] | None = None
) -> dict[Role, ChatModel]:
    """A client for each role; roles with the same settings share one."""
    made: dict[str, ChatModel] = {}
    models: dict[Role, ChatModel] = {}
    for role in ROLES:
        own = getattr(settings.roles, role)
        changed = {"model": own.model, "thinking": own.thinking}
        chosen = settings.model.model_copy(
            update={k: v for k, v in changed.items() if v is not None}
        )
        key = f"{chosen.model} {chosen.thinking}"
        if key not in made:
            made[key] = make_chat_model(chosen, progress=progress)
        models[role] = made[key]
    return models


def _useful(tools: dict[str, Tool], store: Store) -> dict[str, Tool]:
    """Without tables there is no SQL to write, without documents nothing to search."""
    if not store.catalog.tables:
        tools.pop("sql")
    if not store.knowledge_bases():
        tools.pop("knowledge_search")
    return tools


def _pairs(data_dir: Path, store: Store, tool: Tool | None) -> PairLibrary | None:
    return PairLibrary(data_dir, store, tool.bind) if isinstance(tool, SqlTool) else None


def _snapshots(catalog: Catalog) -> str:
    return ", ".join(
        f"{quoted(t.name)}.{quoted(t.date_column)}"
        for t in catalog.tables
        if t.snapshot and t.date_column
    )


def _relevance(store: Store, tools: dict[str, Tool]) -> Relevance:
    ask = partial(_ask, tools.get("sql"), store)
    return Relevance(
        store,
        distinct=lambda t, c: ask(
            f"SELECT DISTINCT {quoted(c)} FROM {quoted(t)}"
            f" WHERE {quoted(c)} IS NOT NULL LIMIT {MAX_DISTINCT}"
        ),
        holds=lambda t, c, v: bool(ask(f"SELECT 1 FROM {quoted(t)} WHERE {_holds(c, v)} LIMIT 1")),
        has_passage=partial(_has_passage, tools.get("knowledge_search"), store),
        otherwise_named=lambda text: [match[:3] for match in store.named_values(text)],
    )


def _holds(column: str, value: str) -> str:
    """A condition: the column holds the value, alone or inside a longer text, in any case."""
    literal = "'" + value.replace("'", "''") + "'"
    return f"contains(lower(CAST({quoted(column)} AS VARCHAR)), lower({literal}))"


def _has_passage(tool: Tool | None, store: Store, question: str) -> bool:
    found = _evidence(tool, store, {"query_text": question, "top_k": 1})
    return bool(found)


def _ask(tool: Tool | None, store: Store, sql: str) -> list[str]:
    """The first column of a query through the SQL tool's own guards; [] when it fails."""
    found = _evidence(tool, store, {"query": sql})
    return [str(row[0]) for row in found[0].rows] if found else []


def _evidence(tool: Tool | None, store: Store, arguments: dict[str, object]) -> Sequence[Evidence]:
    if tool is None:
        return []
    context = ToolContext(store=store, today=date.min)
    try:
        return tool.run(tool.arguments.model_validate(arguments), context).evidence()
    except ToolError:
        return []
