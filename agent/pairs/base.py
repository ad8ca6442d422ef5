"""A question and the SQL that answers it, who said so, and whether it still binds.

            add                        its tables changed
(nothing) ───────▶ live ─────────────────────────────────▶ retired
                    ▲        it binds again, or is added again │
                    └──────────────────────────────────────────┘
"""

import hashlib
from collections.abc import Sequence
from datetime import date
from typing import Literal

from pydantic import Field, model_validator

from agent.models.base import Frozen
from agent.pairs.masking import normalised
from tools.dates import Mention

Origin = Literal["handoff", "person", "model"]
PairState = Literal["live", "retired"]


class DatedWords(Frozen):
    """A date expression of the question and the days that it meant when it was asked; None for
    both where it could not be read."""

    text: str
    start: date | None
    end: date | None


class Pair(Frozen):
    """`origin` is who wrote the SQL; `confirmed_by` who vouched for it, None: nobody yet.

    `confirmed_at` is ISO 8601 in UTC, `asked_on` the day that the question's dates were counted
    from, `revision` the data revision it was stored under, `checked_revision` the last one that it
    was bound against, `why` the reason why it is retired and `replaced_by` the pair that a person
    put in its place.
    """

    id: str = Field(pattern=r"^p-[0-9a-f]{12}$")
    question: str
    sql: str
    language: str
    origin: Origin
    confirmed_by: str | None = None
    confirmed_at: str | None = None
    asked_on: date
    dates: tuple[DatedWords, ...] = ()
    tables: tuple[str, ...]
    revision: int
    checked_revision: int
    state: PairState = "live"
    why: str = ""
    replaced_by: str | None = None

    @model_validator(mode="after")
    def _a_person_is_named(self) -> "Pair":
        if (self.confirmed_by is None) != (self.confirmed_at is None):
            raise ValueError("who confirmed a pair and when belong together")
        if self.origin != "model" and self.confirmed_by is None:
            raise ValueError("only what the model made may have nobody who confirmed it")
        return self

    @property
    def is_confirmed(self) -> bool:
        return self.confirmed_by is not None

    @property
    def is_usable(self) -> bool:
        """Whether it may stand in a prompt."""
        return self.is_confirmed and self.state == "live"


Pairs = list[Pair]


def pair_id(question: str, sql: str) -> str:
    """`p-` and 12 hexadecimal digits: the same for the same question and SQL."""
    text = f"{normalised(question)}\0{sql}"
    return f"p-{hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()[:12]}"


def dated_words(found: Sequence[Mention]) -> tuple[DatedWords, ...]:
    return tuple(
        DatedWords(
            text=m.text,
            start=m.range.start if m.range else None,
            end=m.range.end if m.range else None,
        )
        for m in found
    )
