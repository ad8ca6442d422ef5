"""Questions that ask for one metric of the catalog, over a period or without one, and no more.

The catalog's own query answers them; a model would have to write the same query again. A question
is taken for one only when nothing is left of it but the metric, the period and words that ask:
what filters, groups, compares or ranks goes to the model.
"""

import re
import unicodedata
from dataclasses import dataclass
from datetime import date

from agent.catalog_metrics import metrics_for, period_of_data
from ingest.store import Catalog
from ingest.store.metrics import fill_period, has_period
from ingest.store.records import MetricRecord
from tools.dates import CalendarSettings, DateRange, mentions
from tools.text import casefolded

MIN_DAYS = 7
"""A rate over less says nothing about the business."""
_GROWTH = "growth"
_GROWS = re.compile(r"伸び率|成長率|増減率|增长率|增长|\bgrowth\b", re.IGNORECASE)

_EN = (
    r"what|whats|what's|is|was|were|are|did|the|our|my|we|us|have|has|do|of|in|for|during|over|on|a|an|"
    r"company|company's|companywide|overall|whole|please|tell|me|show|give|calculate|compute|find|"
    r"how|many|much|high|percent|percentage|value|figure|as|to|period|ratio|rate"
)
_JA = (
    "はいくらですか|はいくつですか|はどれくらいですか|はどのくらいですか|は何ですか|は何%ですか|は何日ですか|は何回ですか|"
    "を教えてください|を教えて下さい|を教えて|を計算してください|を計算して|を求めてください|を求めて|を出して|を見せて|"
    "はいくらでしたか|はどうでしたか|はどうですか|は何%でしたか|は何日分ですか|"
    "における|について|に関する|いくら|いくつ|どれくらい|どのくらい|何%|何日分?|何回|何パーセント|パーセント|"
    "当社|自社|全社|会社全体|全体|ください|下さい|ですか|でしたか|です|でした|教えて|の|は|を|に|か"
)
_ZH = (
    "是多少|多少|是什么|是|的|请问|请|告诉我|告诉|计算一下|计算|一下|查询|求|我们|我司|本公司|公司整体|公司|全公司|整体|"
    "百分之几|百分之多少|几天|几次|为|有|在|呢|吗"
)
_FILLER = re.compile(
    rf"(?:{_JA}|{_ZH}|(?<![a-z])(?:{_EN})(?![a-z])|[\s?？!！。、，,.:：;'’\"「」％%()（）_-])*"
)


@dataclass(frozen=True)
class MetricCall:
    """`query` is the metric's SQL with its days put in; `dated`: the question names them."""

    metric: MetricRecord
    query: str
    dated: bool


def metric_call(question: str, catalog: Catalog, today: date) -> MetricCall | None:
    """The catalog's query for a question that asks for one metric and no more; else None."""
    named = metrics_for(question, catalog)
    if len(named) != 1:
        return None
    metric = named[0]
    rest = _without(question, metric, catalog)
    found = mentions(rest, today, CalendarSettings.of(catalog)) if rest is not None else []
    if rest is None or len(found) > 1 or any(m.range is None for m in found):
        return None
    for mention in found:
        rest = f"{rest[: mention.start]}, {rest[mention.end :]}"
    if not _FILLER.fullmatch(casefolded(rest)):
        return None
    query = _filled(metric, catalog, found[0].range if found else None)
    return MetricCall(metric, query, bool(found)) if query else None


def _without(question: str, metric: MetricRecord, catalog: Catalog) -> str | None:
    """The question without the metric's name, which stands in it once; of a growth rate also
    without the name of what grows."""
    rest, count = _names(metric).subn(", ", unicodedata.normalize("NFKC", question))
    if count != 1:
        return None
    if metric.name.startswith(_GROWTH) and metric.drafted:
        sales = next((m for m in catalog.metrics if m.name == "sales"), None)
        rest = _names(sales).sub(", ", rest) if sales else rest
        rest = _GROWS.sub(", ", rest)
    return rest


def _names(metric: MetricRecord) -> re.Pattern[str]:
    """Any of its names, the longest first, Latin ones as whole words."""
    names = {casefolded(n) for n in (metric.name.replace("_", " "), *metric.synonyms) if n}
    patterns = (_pattern(name) for name in sorted(names, key=len, reverse=True))
    return re.compile("|".join(patterns), re.IGNORECASE)


def _pattern(name: str) -> str:
    pattern = re.escape(name).replace(r"\ ", r"[\s_-]+")
    return rf"(?<![a-z0-9]){pattern}(?![a-z0-9])" if name.isascii() else pattern


def _filled(metric: MetricRecord, catalog: Catalog, period: DateRange | None) -> str:
    """ "" where the period is too short, or not one that the data reach into."""
    if not has_period(metric.sql):
        return "" if period is not None else metric.sql
    data = period_of_data(metric, catalog)
    if data is None or (period is None and metric.name.startswith(_GROWTH)):
        return ""
    start, end = (period.start, period.end) if period is not None else data
    if (end - start).days + 1 < MIN_DAYS or end < data[0] or start > data[1]:
        return ""
    return fill_period(metric.sql, start, end)
