"""`SqlTool`: one SELECT over the warehouse, checked, bounded and told in rows."""

import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import ClassVar

from pydantic import Field

from ingest.store import Catalog, Store, TableRecord
from ingest.store.errors import StoreError
from ingest.store.records import QuarantinedCell
from tools.base import Arguments, ToolContext
from tools.errors import ToolRetry, ToolUnavailable
from tools.evidence import Evidence
from tools.sql.client import Rows, Worker
from tools.sql.doubts import settle
from tools.sql.empty import why_empty
from tools.sql.example import example
from tools.sql.filters import TextFilter
from tools.sql.guard import CheckedQuery, examine
from tools.sql.hints import sql_error
from tools.sql.left_out import left_out
from tools.sql.mended import OtherShape
from tools.sql.misfit import fitted
from tools.sql.misplaced import look_up
from tools.sql.notes import answer_notes, row_notes
from tools.sql.numbers_as_text import with_codes
from tools.sql.proposal import propose
from tools.sql.result import TOOL, SqlResult
from tools.sql.settings import SqlSettings
from tools.sql.stored import Find, Locate, is_empty, unmatched_values
from tools.sql.unlabelled import labelled

WORKERS_KEPT = 2
VALUES_READ = 1000
VALUES_LIKE = 3
PLACES_NAMED = 2
SURELY_LIKE = 0.7
TABLES_KEPT = 64
PROPOSAL_ROUNDS = 3
NO_NUMBER = "Could not convert string"
MENDABLE = ("unknown_column", "unknown_table", "sql_error", "syntax_error")


class SqlArguments(Arguments):
    query: str = Field(description="one DuckDB SELECT over the catalog's tables")


@dataclass
class SqlTool:
    """Runs SELECTs in a worker process per warehouse file; `close` ends them."""

    name: ClassVar[str] = TOOL
    description: ClassVar[str] = (
        "Run one DuckDB SELECT over the catalog's tables and get its rows. Aggregate in SQL; "
        "compare code columns with quoted text ('013'); quote names with double quotes."
    )
    arguments: ClassVar[type[Arguments]] = SqlArguments

    settings: SqlSettings = field(default_factory=SqlSettings)
    _workers: dict[Path, Worker] = field(default_factory=dict, init=False, repr=False)
    _quarantined: dict[tuple[Path | None, str], tuple[QuarantinedCell, ...]] = field(
        default_factory=dict, init=False, repr=False
    )
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False, repr=False)

    def run(self, arguments: Arguments, context: ToolContext) -> SqlResult:
        assert isinstance(arguments, SqlArguments)
        catalog = context.store.catalog
        worker = self._worker(context.store.warehouse)
        worker.start()
        corrected: tuple[str, ...] = ()
        try:
            query, rows = self._checked_run(arguments.query, worker, context)
        except ToolRetry as error:
            fit = _fitted(error, arguments.query, worker, context)
            proposal = fit[0] if fit else self._proposal(error, arguments.query, worker, context)
            if proposal is None:
                raise _with_example(error, arguments.query, catalog) from error
            if context.question is None:
                raise ToolRetry(error.kind, error.message, f"try: {proposal}") from error
            query, rows = self._checked_run(proposal, worker, context)
            corrected = (f"the query was corrected: {fit[1] if fit else error.message}",)
        named = labelled(query.sql, rows) if context.question is not None else None
        if named is not None:
            query, rows = self._checked_run(named[0], worker, context)
            corrected = (*corrected, named[1])
        dropped = query.left_out
        ask, find, locate = _asker(worker), _finder(context.store), _locator(context.store)
        unmatched = unmatched_values(query, rows, catalog, ask, find, locate)
        for one in unmatched if context.question is not None and is_empty(rows) else ():
            looked_up = look_up(query.sql, one.filter, catalog, ask)
            if looked_up is not None:
                query, rows = self._checked_run(looked_up, worker, context)
                unmatched = unmatched_values(query, rows, catalog, ask, find, locate)
                break
        empty = is_empty(rows)
        said = [] if empty else [u.note for u in unmatched if not u.filter.negated]
        missing = left_out(query, catalog, ask)
        answer = (
            *answer_notes(query, rows, catalog, ask, missing, self._cells(context.store)),
            *corrected,
            *dropped,
            *said,
        )
        why = why_empty(query.sql, catalog, ask) if empty and not unmatched else None
        told = (u.note for u in unmatched if u.note not in said)
        notes = (*query.notes, *row_notes(query, rows), *told, *filter(None, [why]))
        excluded = sum(one.count for one in missing)
        shown = self.settings.rows_shown
        conditions = tuple(u.condition for u in unmatched) if empty else ()
        read = [catalog.table(name) for name in query.tables]
        documents = tuple(t for t in read if t is not None and t.doc_id is not None)
        status = next(filter(None, (_status_note(t, context) for t in documents)), "")
        return SqlResult(query, rows, answer, notes, excluded, shown, conditions, documents, status)

    def start(self, store: Store) -> None:
        """Starts the worker process ahead of the first query, without waiting for it."""
        if store.warehouse is not None:
            self._worker(store.warehouse).start()

    def bind(self, sql: str, store: Store) -> CheckedQuery:
        """Checks a query that a person wrote and has DuckDB bind it, without running it; the
        clock in it stays. Raises `ToolError`."""
        query = examine(sql, store.catalog, settings=self.settings)
        worker = self._worker(store.warehouse)
        _bind(worker, query, store.catalog)
        settle(query.doubts, _asker(worker))
        return query

    def _checked_run(
        self, sql: str, worker: Worker, context: ToolContext
    ) -> tuple[CheckedQuery, Rows]:
        """A query that a model wrote for a question is helped along (see `check`)."""
        catalog = context.store.catalog
        query = examine(
            sql,
            catalog,
            context.today,
            self.settings,
            question=context.question,
            said="" if context.question is None else _said(context),
            alone=context.alone,
        )
        try:
            if query.doubts:
                # A query without doubts is bound by the same call that runs it.
                _bind(worker, query, catalog)
                settle(query.doubts, _asker(worker))
            return query, _run(worker, query, catalog)
        except ToolRetry as error:
            if error.kind != "sql_error":
                raise
            raise with_codes(error, query.text_filters, _asker(worker)) from error

    def _proposal(
        self, error: ToolRetry, sql: str, worker: Worker, context: ToolContext
    ) -> str | None:
        """A corrected query that DuckDB can bind; its names may need more than one round."""
        catalog = context.store.catalog
        for _ in range(PROPOSAL_ROUNDS):
            if isinstance(error, OtherShape):
                proposal = error.mended
            elif error.kind in MENDABLE:
                proposal = propose(sql, catalog, context.question or "")
            else:
                return None
            if proposal is None or proposal == sql:
                return None
            try:
                _bind(worker, examine(proposal, catalog, context.today, self.settings), catalog)
            except ToolRetry as again:
                error, sql = again, proposal
            else:
                return proposal
        return None

    def _cells(self, store: Store) -> Callable[[str], Sequence[QuarantinedCell]]:
        """A table's quarantined cells; read once a generation, none where they are damaged."""

        def of(table: str) -> Sequence[QuarantinedCell]:
            key = (store.warehouse, table)
            if key not in self._quarantined:
                try:
                    found = tuple(store.quarantine(table))
                except StoreError:
                    found = ()
                if len(self._quarantined) == TABLES_KEPT:
                    self._quarantined.clear()
                self._quarantined[key] = found
            return self._quarantined[key]

        return of

    def close(self) -> None:
        with self._lock:
            for worker in self._workers.values():
                worker.close()
            self._workers.clear()

    def _worker(self, warehouse: Path | None) -> Worker:
        if warehouse is None:
            message, hint = "no table was ingested", "add tables with: zaiko ingest FILE.csv"
            raise ToolUnavailable("no_tables", message, hint)
        with self._lock:
            worker = self._workers.pop(warehouse, None) or Worker(warehouse, self.settings)
            self._workers[warehouse] = worker
            while len(self._workers) > WORKERS_KEPT:
                self._workers.pop(next(iter(self._workers))).close()
            return worker


def _status_note(table: TableRecord, context: ToolContext) -> str:
    return context.store.status_note(table.doc_id or "", today=context.today)


def _with_example(error: ToolRetry, sql: str, catalog: Catalog) -> ToolRetry:
    """The same with one query that runs."""
    shown = example(sql, catalog) if error.kind in MENDABLE else None
    if shown is None:
        return error
    return ToolRetry(error.kind, error.message, f"{error.hint}; e.g. {shown}".removeprefix("; "))


def _fitted(
    error: ToolRetry, sql: str, worker: Worker, context: ToolContext
) -> tuple[str, str] | None:
    if NO_NUMBER not in error.message or context.question is None:
        return None
    locate = _locator(context.store)
    return fitted(sql, context.question, context.store.catalog, _asker(worker), locate)


def _finder(store: Store) -> Find:
    def find(wanted: TextFilter) -> list[str]:
        try:
            like = store.find_values(wanted.value, table=wanted.table, column=wanted.column)
        except StoreError:
            return []
        return [match.value for match in like[:VALUES_LIKE]]

    return find


def _locator(store: Store) -> Locate:
    def locate(value: str) -> list[str]:
        try:
            like = store.find_values(value)
        except StoreError:
            return []
        found = (f"{m.table}.{m.column}" for m in like if m.score >= SURELY_LIKE)
        return list(dict.fromkeys(found))[:PLACES_NAMED]

    return locate


def _asker(worker: Worker) -> Callable[[str], Rows]:
    return lambda sql: worker.query(sql, rows_kept=1000)


def _said(context: ToolContext) -> str:
    return f"{_values(context.evidence.values())}\n{context.said}"


def _values(evidence: Iterable[Evidence]) -> str:
    """The texts of earlier results and queries, which a query may take its conditions from."""
    cells = (str(v) for e in evidence for row in e.rows[:VALUES_READ] for v in row)
    return "\n".join([*cells, *(f"{e.text or ''}\n{e.query or ''}" for e in evidence)])


def _bind(worker: Worker, query: CheckedQuery, catalog: Catalog) -> None:
    """Has DuckDB bind the query without running it; raises what `_run` raises."""
    _run(worker, replace(query, sql=f"EXPLAIN {query.sql}"), catalog)


def _run(worker: Worker, query: CheckedQuery, catalog: Catalog) -> Rows:
    try:
        return worker.query(query.sql)
    except ToolRetry as error:
        if error.kind != "sql_error":
            raise
        raise sql_error(error.message, catalog, query.tables) from error
