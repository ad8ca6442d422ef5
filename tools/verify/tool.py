"""The verify tool: a draft against the evidence gathered so far."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from pydantic import Field

from tools.base import Arguments, ToolContext
from tools.errors import ToolRetry
from tools.evidence import Evidence
from tools.verify.core import verify
from tools.verify.records import Verification

_SHOWN = 6


class VerifyArguments(Arguments):
    text: str = Field(min_length=1, max_length=20_000, description="The draft to check")
    evidence_ids: list[str] | None = Field(
        default=None, description="E1, E2, …; all evidence when left out"
    )


@dataclass(frozen=True)
class VerifyResult:
    verification: Verification

    def evidence(self) -> Sequence[Evidence]:
        """None: a check proves nothing new."""
        return ()

    def for_model(self, ids: Sequence[str]) -> str:
        v = self.verification
        lines = [self.summary()]
        for name, items in (("contradicted", v.contradicted), ("unsupported", v.unsupported)):
            lines += [f"{name}: {i.text} ({i.message})" for i in items[:_SHOWN]]
        return "\n".join(lines)

    def summary(self) -> str:
        v = self.verification
        return (
            f"{len(v.supported)} supported, {len(v.unsupported)} unsupported, "
            f"{len(v.contradicted)} contradicted"
        )

    def to_json(self) -> dict[str, object]:
        return self.verification.to_json()


class VerifyTool:
    """Checks a text against evidence. Raises `ToolRetry` (`unknown_evidence`)."""

    name: ClassVar[str] = "verify"
    description: ClassVar[str] = (
        "Checks every number, date and name of a draft against the evidence and lists what is "
        "supported, unsupported and contradicted."
    )
    arguments: ClassVar[type[Arguments]] = VerifyArguments

    def run(self, arguments: Arguments, context: ToolContext) -> VerifyResult:
        given = VerifyArguments.model_validate(arguments.model_dump())
        known = context.evidence
        ids = list(known) if given.evidence_ids is None else given.evidence_ids
        missing = [i for i in ids if i not in known]
        if missing:
            raise ToolRetry(
                "unknown_evidence",
                f"No such evidence: {', '.join(missing)}.",
                f"Known ids: {', '.join(known) or 'none yet'}.",
            )
        return VerifyResult(verify(given.text, [known[i] for i in ids]))
