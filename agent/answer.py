"""`Answer`: what a question gets, the same fields in Python and in JSON."""

from decimal import Decimal
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, SerializerFunctionWrapHandler, model_serializer

from tools.evidence import Column, Evidence, Value

Status = Literal["answered", "partial", "not_found", "handed_off"]
ROWS_IN_JSON = 100

EXIT_CODES: dict[Status, int] = {"answered": 0, "partial": 0, "handed_off": 3, "not_found": 4}


class Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Citation(Part):
    n: int
    evidence_id: str
    source: str
    locator: str
    link: str | None = None
    """A `file:` URI to open it by, with its page or sheet; see `agent.links`."""


class EvidenceView(Part):
    """Evidence as an answer carries it: the first 100 rows; the store keeps the rest."""

    id: str
    kind: str
    origin: str
    tool: str
    source: str
    locator: str
    query: str | None
    columns: tuple[Column, ...]
    rows: tuple[tuple[Value, ...], ...]
    row_count: int
    hash: str
    text: str | None
    score: float | None
    reason: str | None
    status_note: str | None
    excluded_cells: int

    @classmethod
    def of(cls, evidence: Evidence) -> "EvidenceView":
        fields = {name: getattr(evidence, name) for name in cls.model_fields}
        return cls(**{**fields, "rows": evidence.rows[:ROWS_IN_JSON]})


class Verified(Part):
    supported: tuple[dict[str, Any], ...] = ()
    unsupported: tuple[dict[str, Any], ...] = ()
    contradicted: tuple[dict[str, Any], ...] = ()


class SubTaskView(Part):
    task: str
    evidence_kind: str
    state: str
    evidence_ids: tuple[str, ...] = ()


class StepView(Part):
    goal: str
    plan: str
    reason: str
    tool: str
    arguments: dict[str, Any]
    ok: bool
    ms: float
    summary: str


class ReflectionView(Part):
    progress: bool
    verdict: str
    reason: str


class UsageView(Part):
    llm_calls: int = 0
    input_tokens: int = 0
    cached_input_tokens: int = 0
    output_tokens: int = 0
    cost: Decimal | None = None


class Timing(Part):
    total_ms: float = 0.0
    llm_ms: float = 0.0
    tools_ms: float = 0.0


class Audit(Part):
    data_revision: int
    today: str
    model: str
    prompt_hash: str
    version: str
    reading: str
    """The question as it was understood: stand-alone, with its dates resolved."""
    pairs: tuple[str, ...] = ()
    """Ids of the confirmed pairs of a question and its SQL that the model was shown, or whose SQL
    was run. In JSON only where there are any."""

    @model_serializer(mode="wrap")
    def _without_no_pairs(self, dump: SerializerFunctionWrapHandler) -> dict[str, Any]:
        fields: dict[str, Any] = dump(self)
        if not self.pairs:
            fields.pop("pairs", None)
        return fields


class Answer(Part):
    question: str
    status: Status
    text: str
    draft: str
    confidence: float
    citations: tuple[Citation, ...] = ()
    evidence: tuple[EvidenceView, ...] = ()
    verification: Verified = Verified()
    sub_tasks: tuple[SubTaskView, ...] = ()
    steps: tuple[StepView, ...] = ()
    reflections: tuple[ReflectionView, ...] = ()
    usage: UsageView = UsageView()
    timing: Timing = Timing()
    audit: Audit
    handoff_id: str | None = None
    thread_id: str
    trace_id: str

    def to_json(self) -> dict[str, Any]:
        """JSON values only: DECIMAL as strings, dates ISO 8601."""
        dumped: dict[str, Any] = self.model_dump(mode="json")
        return dumped

    @property
    def exit_code(self) -> int:
        return EXIT_CODES[self.status]
