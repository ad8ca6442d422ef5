"""Metrics that a question names: what the model is told of them, beside the question only."""

import re
from collections.abc import Iterator, Sequence
from datetime import date

from ingest.store import Catalog, TableRecord
from ingest.store.metrics import fill_period, has_period
from ingest.store.records import MetricRecord
from tools.dates import DateRange
from tools.text import casefolded
from tools.tokens import estimate_tokens

MAX_METRICS = 2
MAX_SQL_TOKENS = 130
"""A longer query is not worth the time that a small model takes to read it."""
_RATIO = "÷"


def metrics_for(question: str, catalog: Catalog) -> list[MetricRecord]:
    """The metrics that a question names, by name or synonym, longest first; a name inside a
    longer one (売上 in 売上総利益) is not named. A drafted plain sum is left out: its columns say
    as much."""
    text = casefolded(question)
    spans = [
        (start, end, metric)
        for metric in catalog.metrics
        for name in (metric.name.replace("_", " "), *metric.synonyms)
        for start, end in _places(casefolded(name), text)
    ]
    spans.sort(key=lambda span: (span[0] - span[1], span[0]))
    taken: list[tuple[int, int]] = []
    named: list[MetricRecord] = []
    for start, end, metric in spans:
        if any(a <= start and end <= b for a, b in taken):
            continue
        taken.append((start, end))
        if metric not in named and (not metric.drafted or _RATIO in metric.formula):
            named.append(metric)
    return named


def render_metrics(
    metrics: Sequence[MetricRecord], catalog: Catalog, period: DateRange | None
) -> str:
    """ "gross_margin = (amount - cost) ÷ amount; in SQL: SELECT …" with the question's period put
    in, or all the days the data have; the SQL only where it is short. "" for none."""
    return "; ".join(_told(metric, catalog, period) for metric in metrics[:MAX_METRICS])


def named_first(
    tables: Sequence[TableRecord], metrics: Sequence[MetricRecord]
) -> list[TableRecord]:
    """Tables in the same order, but those that the named metrics read at the head."""
    read = {name for metric in metrics[:MAX_METRICS] for name in metric.tables}
    return sorted(tables, key=lambda table: table.name not in read)


def _told(metric: MetricRecord, catalog: Catalog, period: DateRange | None) -> str:
    said = f"{metric.name} = {metric.formula}"
    if metric.unit and metric.unit not in said and metric.unit != "%":
        said += f" ({metric.unit})"
    sql = metric.sql
    if has_period(sql):
        days = (period.start, period.end) if period else period_of_data(metric, catalog)
        if days is None:
            return said
        sql = fill_period(sql, *days)
    return f"{said}; in SQL: {sql}" if estimate_tokens(sql) <= MAX_SQL_TOKENS else said


def period_of_data(metric: MetricRecord, catalog: Catalog) -> tuple[date, date] | None:
    """The days that all tables which the metric dates have data for; where it dates them by
    another column than their main one (a due date), those of that one."""
    tables = [t for t in map(catalog.table, metric.tables) if t is not None]
    dated = [t for t in tables if t.date_column and t.date_column in metric.sql]
    ranges = [(t.data_from, t.data_to) for t in dated or tables if t.data_from and t.data_to]
    if not ranges:
        return None
    start, end = max(a for a, _ in ranges), min(b for _, b in ranges)
    return (start, end) if start <= end else None


def _places(name: str, text: str) -> Iterator[tuple[int, int]]:
    """Where a name stands in the text, a Latin one as whole words."""
    if not name:
        return
    pattern = re.escape(name).replace(r"\ ", r"[\s_-]")
    if name.isascii():
        pattern = rf"(?<![a-z0-9]){pattern}(?![a-z0-9])"
    for match in re.finditer(pattern, text):
        yield match.span()
