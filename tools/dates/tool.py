"""The dates tool: words to a range of days, and whether the tables have data for it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from pydantic import Field

from ingest.store import Catalog
from tools.base import Arguments, ToolContext
from tools.dates.calendar import CalendarSettings
from tools.dates.resolve import DateRange, resolve
from tools.evidence import Column, Evidence, Value, content_hash

_COLUMNS = (Column(name="start", type="DATE"), Column(name="end", type="DATE"))


class DatesArguments(Arguments):
    expression: str = Field(
        min_length=1,
        max_length=200,
        description="One date expression in the user's words: 先月, FY2025 Q3, 最近30天, March 2025",
    )


@dataclass(frozen=True)
class DatesResult:
    """`has_data` is None when no table has dates, False when the range is not wholly covered."""

    expression: str
    range: DateRange
    has_data: bool | None
    note: str = ""

    def evidence(self) -> Sequence[Evidence]:
        row: tuple[Value, ...] = (self.range.start.isoformat(), self.range.end.isoformat())
        return [
            Evidence(
                kind="date",
                tool="dates",
                source="calendar",
                locator=self.expression,
                query=self.expression,
                columns=_COLUMNS,
                rows=(row,),
                row_count=1,
                hash=content_hash(_COLUMNS, [row], self.range.label),
                text=self.range.label,
                notes=(self.note,) if self.note else (),
            )
        ]

    def for_model(self, ids: Sequence[str]) -> str:
        lines = [f"{ids[0]}: {self.range.label}" if ids else self.range.label]
        if self.note:
            lines.append(self.note)
        return "\n".join(lines)

    def summary(self) -> str:
        return f"{self.range.start.isoformat()} to {self.range.end.isoformat()}"

    def to_json(self) -> dict[str, object]:
        out: dict[str, object] = {
            "start": self.range.start.isoformat(),
            "end": self.range.end.isoformat(),
            "label": self.range.label,
            "has_data": self.has_data,
        }
        return out | ({"note": self.note} if self.note else {})


def data_reach(catalog: Catalog, asked: DateRange) -> tuple[bool | None, str]:
    """Whether the tables' dates cover the whole range, and through which days data reach."""
    begins = [t.data_from for t in catalog.tables if t.data_from is not None]
    ends = [t.data_to for t in catalog.tables if t.data_to is not None]
    if not begins or not ends:
        return None, ""
    first, last = min(begins), max(ends)
    if first <= asked.start and asked.end <= last:
        return True, ""
    reach = f"The tables hold data from {first.isoformat()} through {last.isoformat()}"
    if asked.end < first or asked.start > last:
        return False, f"{reach}: none in this range."
    return False, f"{reach}: only part of this range."


class DatesTool:
    """Resolves one date expression. Raises `ToolRetry` (`no_date`, `no_such_date`)."""

    name: ClassVar[str] = "dates"
    description: ClassVar[str] = (
        "Resolves a date expression (先月, last quarter, FY2025 Q3, 最近30天) to its first and last day "
        "by the company's calendar, and says whether the tables have data for it. "
        "Never work out dates yourself."
    )
    arguments: ClassVar[type[Arguments]] = DatesArguments

    def run(self, arguments: Arguments, context: ToolContext) -> DatesResult:
        expression = DatesArguments.model_validate(arguments.model_dump()).expression
        catalog = context.store.catalog
        found = resolve(expression, context.today, CalendarSettings.of(catalog))
        has_data, note = data_reach(catalog, found)
        return DatesResult(expression, found, has_data, note)
