"""The shape of a tool: arguments in, a result out that knows how to show itself."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import ClassVar, Literal, Protocol, runtime_checkable

from pydantic import BaseModel, ConfigDict

from ingest.store import DocumentFilter, Store
from tools.evidence import Evidence

Around = int | Literal["section", "document"]
"""What is wanted around a passage: so many passages on each side, its section, its document."""


class Arguments(BaseModel):
    """Base of every tool's arguments; the JSON schema of a subclass is what the model sees."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Result(Protocol):
    """What a tool found."""

    def evidence(self) -> Sequence[Evidence]:
        """Drafts (id ""), best first; empty when nothing was found."""

    def for_model(self, ids: Sequence[str]) -> str:
        """The text written once into the transcript: at most about 250 tokens
        (`tools.tokens`).

        `ids` are the evidence ids given to `evidence()`, in order.
        """

    def summary(self) -> str:
        """One short line for the step record."""

    def to_json(self) -> dict[str, object]:
        """The JSON fields of the command of the same name."""


@dataclass(frozen=True)
class ToolContext:
    """What a call may use. `kbs` is the caller's scope (None: all) and `documents` the caller's
    filter (None: every document); the model cannot widen them. `around`: what the caller wants to
    see around each passage.

    `question`: what a model's call is to answer; such a call may be helped, and a note says how.
    `said`: what else it was told, which a query may take its conditions from. `alone`: that one
    call is to answer all of the question.
    """

    store: Store
    today: date
    evidence: Mapping[str, Evidence] = field(default_factory=dict)
    kbs: tuple[str, ...] | None = None
    documents: DocumentFilter | None = None
    around: Around | None = None
    question: str | None = None
    said: str = ""
    alone: bool = False


class Tool(Protocol):
    """A tool the model may call. `run` is synchronous, bounded by the tool's own limits, and
    raises only `tools.errors.ToolError`."""

    name: ClassVar[str]
    description: ClassVar[str]
    arguments: ClassVar[type[Arguments]]

    def run(self, arguments: Arguments, context: ToolContext) -> Result: ...


@runtime_checkable
class Prepared(Protocol):
    """A tool with something to load before some calls: that does not count as the call's time."""

    def prepare(self, arguments: Arguments) -> None: ...
