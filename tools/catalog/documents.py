"""Which documents there are, what each one's status is, and which applied on a day."""

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import date

from ingest.store import DocumentRecord
from ingest.store.errors import UnknownKnowledgeBase
from tools.base import ToolContext
from tools.catalog.arguments import CatalogArguments
from tools.catalog.results import CatalogResult, Listing, columns_of, day
from tools.errors import ToolRefused, ToolRetry
from tools.sql.names import folded

APPLIED: Mapping[bool | None, str] = {True: "yes", False: "no", None: "unknown"}
UNDECLARED = "undeclared: the document says nothing of its status"
UNKNOWN_DAYS = "applied unknown: the document does not say from when or until when it is valid"
_COLUMNS = (
    "title", "status", "note", "replaced_by", "valid_from:DATE", "valid_to:DATE", "date:DATE",
    "language", "kb", "source",
)  # fmt: skip


def documents(arguments: CatalogArguments, context: ToolContext) -> CatalogResult:
    """The documents asked for, and how many there are of each status (whatever status is asked
    for). Raises `ToolRefused`, `ToolRetry`."""
    records = _named(arguments.name, _in_scope(arguments.kb, context))
    index = context.store.status_index(context.today)
    applied: dict[str, bool | None] = {}
    if arguments.on is not None:
        applied = {r.doc_id: index.applied(r.doc_id, arguments.on) for r in records}
        records = [r for r in records if applied[r.doc_id] is not False]
    statuses = context.store.document_statuses(context.today)
    counts: Counter[str] = Counter(statuses[r.doc_id].status for r in records)
    source = ", ".join(sorted({r.kb for r in records})) or arguments.kb or "documents"
    counted = Listing(
        _called("documents per status", arguments.on),
        columns_of("status", "documents:BIGINT"),
        (*counts.most_common(), ("all", len(records))),
    )
    if arguments.action == "count_documents":
        return CatalogResult(source, (counted,), _notes(counts, applied))
    if arguments.status is not None:
        records = [r for r in records if statuses[r.doc_id].status == arguments.status]
    listed = _listing(records, applied, arguments.on, context)
    return CatalogResult(source, (listed, counted), _notes(counts, applied))


def _listing(
    records: Sequence[DocumentRecord],
    applied: Mapping[str, bool | None],
    on: date | None,
    context: ToolContext,
) -> Listing:
    statuses = context.store.document_statuses(context.today)
    index = context.store.status_index(context.today)
    rows = []
    for record in records:
        status, replaced_by = statuses[record.doc_id]
        start, end = index.validity(record.doc_id)
        note = context.store.status_note(record.doc_id, record.language, context.today)
        facts = (
            record.title, status, note or None, replaced_by, day(start), day(end),
            day(record.document_date), record.language, record.kb, record.source,
        )  # fmt: skip
        rows.append((*facts, APPLIED[applied[record.doc_id]]) if applied else facts)
    names = (*_COLUMNS, "applied") if applied else _COLUMNS
    # The note names the replacing document by its title.
    unshown = frozenset({"replaced_by"})
    return Listing(
        _called("documents", on), columns_of(*names), tuple(rows), unshown, frozenset({"note"})
    )


def _called(what: str, on: date | None) -> str:
    return what if on is None else f"{what} that applied on {on}"


def _notes(counts: Counter[str], applied: Mapping[str, bool | None]) -> tuple[str, ...]:
    notes = [UNDECLARED] if counts["undeclared"] else []
    return (*notes, UNKNOWN_DAYS) if None in applied.values() else tuple(notes)


def _named(name: str | None, records: Sequence[DocumentRecord]) -> list[DocumentRecord]:
    wanted = folded(name or "")
    return [r for r in records if wanted in folded(r.title) or wanted in folded(r.source)]


def _in_scope(kb: str | None, context: ToolContext) -> list[DocumentRecord]:
    """Documents the caller may see, of one knowledge base or of all in scope."""
    allowed = context.kbs
    if kb is None:
        records = context.store.documents()
        return [r for r in records if allowed is None or r.kb in allowed]
    if allowed is not None and kb not in allowed:
        hint = f"use one of: {', '.join(allowed)}"
        message = f"the knowledge base {kb!r} is not in this question's scope"
        raise ToolRefused("kb_not_in_scope", message, hint)
    try:
        return context.store.documents(kb)
    except UnknownKnowledgeBase as error:
        raise ToolRetry(error.kind, error.message, error.hint) from error
