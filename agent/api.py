"""`Agent`: the Python way in. Everything runs on one event loop of its own thread."""

import asyncio
import threading
import time
import uuid
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable, Iterator
from concurrent.futures import Future
from contextlib import suppress
from datetime import UTC, date, datetime
from functools import partial
from pathlib import Path
from typing import Any, TypeVar, cast

import aiosqlite
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.types import Command

from agent.answer import Answer
from agent.assemble import product_version
from agent.assembly import Workbench, make_models, open_workbench
from agent.deps import Deps, Monotonic
from agent.errors import HandoffError, PairError, UsageError
from agent.export import main_table
from agent.graph import Graph, build_graph
from agent.handoff import HandoffStore, Resolution, open_handoffs, packet_id
from agent.judge import make_judge
from agent.memory import STATE_FILE, Memory
from agent.models import ChatModel
from agent.models.llama_server import wait_passively
from agent.nodes.deliver import check_person_sql
from agent.pairs import Pair, PairLibrary
from agent.pairs.answers import confirmed_query
from agent.settings import Role, Settings, load_settings
from agent.sqlite_files import BUSY_S
from agent.state import State
from agent.telemetry import names, setup, trace_id_of
from ingest.store import Store
from tools.errors import ToolError
from tools.evidence import Evidence

NOBODY = "person"
"""Who resolved it where nobody is named."""
Event = Callable[[str, str], None]
T = TypeVar("T")
_MODULES = [
    ("agent.state", name)
    for name in (
        "SubTask",
        "Step",
        "Reflection",
        "Draft",
        "Claimed",
        "Turn",
        "Confirmed",
        "SecondQuery",
    )
] + [("agent.models.base", name) for name in ("Message", "ToolCall", "Usage")]


def silent(kind: str, text: str) -> None:
    """The default listener."""


class Agent:
    """Answers questions over one data directory. Use it as a context manager, or `close` it.

    `models`, `today`, `store` and `now` (a monotonic clock in seconds) stand in for the
    configured ones; `on_event` hears (node, text). A store that is handed over is closed with it.
    """

    @classmethod
    def open(cls, data_dir: str | Path, **options: Any) -> "Agent":
        """Opens a data directory with its `zaiko.toml` and the environment. Creates nothing."""
        path = Path(data_dir)
        return cls(load_settings(path), path, **options)

    def __init__(
        self,
        settings: Settings,
        data_dir: str | Path = "zaiko-data",
        *,
        models: dict[Role, ChatModel] | None = None,
        today: date | None = None,
        kbs: Iterable[str] | None = None,
        on_event: Event = silent,
        store: Store | None = None,
        now: Monotonic = time.monotonic,
    ) -> None:
        self.settings = settings
        self.data_dir = Path(data_dir)
        self._today = today
        self._kbs = None if kbs is None else tuple(kbs)
        self._on_event = on_event
        self._now = now
        wait_passively()
        self._own_models = models is None
        self._models = models or make_models(settings, lambda text: on_event("model", text))
        judge = make_judge(
            self._models, settings, self.data_dir, self._wait, settings.graph.tool_seconds
        )
        self._bench = open_workbench(self.data_dir, settings, store, self._kbs, judge)
        self._telemetry = setup(
            self.data_dir,
            local=settings.telemetry.local,
            otlp_endpoint=settings.telemetry.otlp_endpoint,
            content=settings.telemetry.content,
            service_version=product_version(),
        )
        self._memory = Memory(self.data_dir)
        self._handoffs: HandoffStore = open_handoffs(self.data_dir)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self._graph: Graph | None = None
        self._saver_db: aiosqlite.Connection | None = None
        self._starting = asyncio.Lock()

    # ── questions ──────────────────────────────────────────────────────────────────────────

    def ask(self, question: str, *, thread_id: str | None = None) -> Answer:
        """Answers a question; the same `thread_id` continues a conversation.

        Raises UsageError (empty or too long a question), ModelError, StoreError.
        """
        return self._run(self._ask(question, thread_id)).result()

    async def aask(self, question: str, *, thread_id: str | None = None) -> Answer:
        """`ask` for a program with its own event loop."""
        return await asyncio.wrap_future(self._run(self._ask(question, thread_id)))

    async def stream(
        self, question: str, *, thread_id: str | None = None
    ) -> AsyncIterator[tuple[str, str] | Answer]:
        """(node, what it does) while it works; the `Answer` comes last."""
        queue: asyncio.Queue[tuple[str, str] | None] = asyncio.Queue()
        home = asyncio.get_running_loop()

        def hear(kind: str, text: str) -> None:
            home.call_soon_threadsafe(queue.put_nowait, (kind, text))

        future = self._run(self._ask(question, thread_id, hear))
        future.add_done_callback(lambda _: home.call_soon_threadsafe(queue.put_nowait, None))
        while (event := await queue.get()) is not None:
            yield event
        answer: Answer = await asyncio.wrap_future(future)
        yield answer

    def batch(self, questions: Iterable[str], *, concurrency: int = 1) -> Iterator[Answer]:
        """Answers in the order of the questions, up to `concurrency` at a time."""
        waiting: list[Future[Answer]] = []
        for question in questions:
            waiting.append(self._run(self._ask(question, None)))
            if len(waiting) >= concurrency:
                yield waiting.pop(0).result()
        for future in waiting:
            yield future.result()

    def resume(
        self,
        thread_id: str,
        resolution: str | dict[str, Any] | Resolution,
        *,
        turn: int | None = None,
    ) -> Answer:
        """Goes on with a handed-off question of a thread (its last turn, if none is named).

        `resolution`: the person's text, or {"text", "sql", "by"}, or {"rejected": True, "text"}.
        Raises HandoffError (nothing waits there, or it was settled otherwise), UsageError (no
        text), ToolError (the SQL does not run; nothing is stored then).
        """
        return self._run(self._resume(thread_id, resolution, turn)).result()

    def confirm(self, thread_id: str, *, by: str, turn: int | None = None) -> Pair:
        """`by` says that the answer of a thread's turn (its last, if none is named) is right: its
        question and its SQL are kept as a confirmed pair.

        Raises PairError: no answer there, or one that does not rest on the rows of one query.
        """
        return self._run(self._confirm(thread_id, by, turn)).result()

    def evidence(self, thread_id: str) -> dict[str, Evidence]:
        """All evidence of a thread by id, with every row that was kept; an `Answer` carries 100."""
        return self._memory.evidence(thread_id)

    def table(self, answer: Answer) -> Evidence | None:
        """The table that an answer rests on, with every row that was kept; None where it rests on
        none. `agent.export.TableFile.at(path).save(…)` writes it as CSV or XLSX."""
        return main_table(answer, self.evidence(answer.thread_id))

    # ── inside ─────────────────────────────────────────────────────────────────────────────

    @property
    def store(self) -> Store:
        return self._bench.store

    @property
    def pairs(self) -> PairLibrary:
        """Confirmed pairs of a question and its SQL. Raises PairError where there is no table."""
        if self._bench.pairs is None:
            raise PairError("there is no table to ask", "add tables with: zaiko ingest FILE.csv")
        return self._bench.pairs

    @property
    def workbench(self) -> Workbench:
        return self._bench

    def close(self) -> None:
        """Ends the model, the workers and the loop. Twice is allowed."""
        if self._loop.is_closed():
            return
        with suppress(RuntimeError):
            self._run(self._shutdown()).result(timeout=30)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(timeout=30)
        self._loop.close()
        self._bench.close()
        self._memory.close()
        self._telemetry.shutdown()

    def __enter__(self) -> "Agent":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _run(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    def _wait(self, work: Coroutine[Any, Any, T]) -> T:
        """For a tool, which runs in a thread beside the loop."""
        return self._run(work).result()

    async def _ask(self, question: str, thread_id: str | None, hear: Event | None = None) -> Answer:
        text = self._checked(question)
        thread = thread_id or f"t-{uuid.uuid4().hex[:12]}"
        self._bench.start()
        turn = await self._memory.begin_turn(thread, text)
        deps = self._deps(thread, turn, hear)
        with self._telemetry.root(conversation_id=thread) as root:
            start: State = {
                "question": text,
                "thread_id": thread,
                "trace_id": trace_id_of(root),
                "started": deps.now(),
            }
            answer = await self._invoke(start, deps)
            root.set_attribute(names.STATUS, answer.status)
            root.set_attribute(names.CONFIDENCE, answer.confidence)
        return answer

    async def _resume(
        self, thread_id: str, resolution: str | dict[str, Any] | Resolution, turn: int | None
    ) -> Answer:
        number = self._memory.last_turn(thread_id) if turn is None else turn
        if number is None:
            raise HandoffError(f"there is no thread {thread_id!r}", "zaiko handoff list")
        value = _as_resolution(resolution)
        deps = self._deps(thread_id, number, None)
        graph = await self._ready()
        snapshot = await graph.aget_state(_config(deps))
        waits = "await_person" in snapshot.next
        if not snapshot.next and not (snapshot.values or {}).get("resolution"):
            raise HandoffError(
                f"turn {number} of thread {thread_id!r} waits for nobody", "zaiko handoff list"
            )
        # Written first: a run that dies in between goes on when the same resolution comes again.
        identifier = packet_id(thread_id, number)
        await asyncio.to_thread(check_person_sql, value, deps)
        self._close_handoff(identifier, value)
        await asyncio.to_thread(self._keep_pair, value, snapshot.values or {})
        if snapshot.next:
            with self._telemetry.root(conversation_id=thread_id) as root:
                # Killed behind the interrupt: the resolution is in the checkpoint already.
                answer = await self._invoke(Command(resume=value) if waits else None, deps)
                root.set_attribute(names.STATUS, answer.status)
        else:
            answer = Answer.model_validate(snapshot.values["answer"])
        self._handoffs.mark_delivered(identifier)
        return answer

    def _close_handoff(self, identifier: str, value: dict[str, Any]) -> None:
        if value.get("rejected"):
            self._handoffs.reject(identifier, value["text"], value["by"])
        else:
            kept = Resolution(text=value["text"], sql=value["sql"], by=value["by"], at=value["at"])
            self._handoffs.resolve(identifier, kept)

    def _keep_pair(self, value: dict[str, Any], state: dict[str, Any]) -> None:
        """The SQL of a person who is named, as the confirmed answer to the question. It is said
        where it cannot be kept: the resolution stands without it."""
        library, answer = self._bench.pairs, state.get("answer")
        if not value["sql"] or value["rejected"] or value["by"] == NOBODY or not answer:
            return
        if library is None:
            return
        day = date.fromisoformat(answer["audit"]["today"])
        try:
            library.add(
                state["reading"],
                value["sql"],
                by=value["by"],
                origin="handoff",
                asked_on=day,
                at=value["at"],
            )
        except (PairError, ToolError) as error:
            self._on_event("pairs", f"the SQL is not kept as an example: {error.message}")

    async def _confirm(self, thread_id: str, by: str, turn: int | None) -> Pair:
        number = self._memory.last_turn(thread_id) if turn is None else turn
        deps = self._deps(thread_id, number or 0, None)
        state = (await (await self._ready()).aget_state(_config(deps))).values or {}
        if not state.get("answer"):
            raise PairError(f"there is no answer in thread {thread_id!r}", "ask the question first")
        query, day = confirmed_query(Answer.model_validate(state["answer"]))
        add = partial(self.pairs.add, by=by, origin="model", asked_on=day)
        return await asyncio.to_thread(add, state["reading"], query)

    async def _invoke(self, start: State | Command[Any] | None, deps: Deps) -> Answer:
        graph = await self._ready()
        result = await graph.ainvoke(cast(Any, start), _config(deps), context=deps)
        return Answer.model_validate(result["answer"])

    async def _ready(self) -> Graph:
        """The compiled graph with its SQLite checkpointer, made at the first question."""
        async with self._starting:
            if self._graph is None:
                self._saver_db = await aiosqlite.connect(self.data_dir / STATE_FILE, timeout=BUSY_S)
                serde = JsonPlusSerializer(allowed_msgpack_modules=_MODULES)
                saver = AsyncSqliteSaver(self._saver_db, serde=serde)
                await saver.setup()
                self._graph = build_graph(saver)
            return self._graph

    def _deps(self, thread_id: str, turn: int, hear: Event | None) -> Deps:
        return Deps(
            settings=self.settings,
            data_dir=self.data_dir,
            store=self._bench.store,
            tools=self._bench.tools,
            specs=self._bench.specs,
            system_prompt=self._bench.system_prompt,
            catalog_is_whole=self._bench.catalog_is_whole,
            relevance=self._bench.relevance,
            models=self._models,
            memory=self._memory,
            handoffs=self._handoffs,
            pairs=self._bench.pairs,
            today=self._today or date.today(),
            thread_id=thread_id,
            turn=turn,
            kbs=self._kbs,
            now=self._now,
            on_event=hear or self._on_event,
        )

    def _checked(self, question: str) -> str:
        text = question.replace("\0", "").strip()
        limit = self.settings.graph.question_characters
        if not text:
            raise UsageError("the question is empty", 'ask something: zaiko ask "…"')
        if not any(c.isalnum() for c in text):
            raise UsageError("the question has no words", 'ask something: zaiko ask "…"')
        if any("\ud800" <= c <= "\udfff" for c in text):
            raise UsageError("the question is not valid Unicode text", "write it in UTF-8")
        if len(text) > limit:
            raise UsageError(
                f"the question has {len(text):,} characters; at most {limit:,} are read",
                "shorten it, or ingest the long text as a document and ask about it",
            )
        return text

    async def _shutdown(self) -> None:
        if self._own_models:
            for model in {id(m): m for m in self._models.values()}.values():
                await model.aclose()
        if self._saver_db is not None:
            await self._saver_db.close()


def _config(deps: Deps) -> RunnableConfig:
    """Each question is a LangGraph thread of its own, so that a later question of the same
    conversation does not end the wait of an earlier one."""
    return {
        "configurable": {"thread_id": f"{deps.thread_id}/{deps.turn}"},
        "recursion_limit": deps.settings.graph.recursion_limit,
    }


def _as_resolution(given: str | dict[str, Any] | Resolution) -> dict[str, Any]:
    """All fields of a resolution. Raises UsageError for an empty answer."""
    value: dict[str, Any] = {"text": "", "sql": None, "by": NOBODY, "rejected": False}
    value["at"] = datetime.now(UTC).isoformat(timespec="seconds")
    if isinstance(given, str):
        value["text"] = given
    else:
        value |= given if isinstance(given, dict) else given.model_dump(mode="json")
    if not str(value["text"]).strip() and not value["rejected"]:
        raise UsageError("the resolution has no text", "give the answer as text")
    return value


__all__ = ["Agent"]
