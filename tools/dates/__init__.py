"""The calendar: date expressions in three languages, resolved by rule."""

from tools.dates.calendar import CalendarSettings
from tools.dates.resolve import DateRange, Mention, mentions, resolve
from tools.dates.tool import DatesArguments, DatesResult, DatesTool

__all__ = [
    "CalendarSettings",
    "DateRange",
    "DatesArguments",
    "DatesResult",
    "DatesTool",
    "Mention",
    "mentions",
    "resolve",
]
