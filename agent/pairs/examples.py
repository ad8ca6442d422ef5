"""How a confirmed pair is shown to the model, beside the question."""

import re
from dataclasses import dataclass

from sqlglot import exp

from agent.pairs.base import Pair
from agent.pairs.dates import Moved
from agent.sql_text import parsed

_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_CAST_DAY = re.compile(r"CAST\(('\d{4}-\d{2}-\d{2}') AS DATE\)")


@dataclass(frozen=True)
class Example:
    """A pair as a prompt shows it. `asked_on` is "" where its dates are those of today."""

    id: str
    question: str
    sql: str
    asked_on: str = ""


@dataclass(frozen=True)
class Found:
    """`repeat` is the SQL to run for the very same question, with the days of today."""

    examples: tuple[Example, ...] = ()
    repeat: Example | None = None


def example_of(pair: Pair, again: Moved) -> Example:
    relative = not again.is_sure and bool(pair.dates or _has_day(pair.sql))
    return Example(
        id=pair.id,
        question=pair.question,
        sql=_CAST_DAY.sub(r"DATE \1", again.sql),
        asked_on=pair.asked_on.isoformat() if relative else "",
    )


def _has_day(sql: str) -> bool:
    return any(_DAY.match(text) for text in texts_of(sql))


def texts_of(sql: str) -> list[str]:
    """The text literals of a query."""
    tree = parsed(sql)
    if tree is None:
        return []
    return [n.name for n in tree.find_all(exp.Literal) if n.is_string and n.name.strip()]
