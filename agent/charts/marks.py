"""From the rows of a result to what is drawn: points of lines, or bars, with stated cuts."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Literal

from agent.charts.columns import Shape, number
from agent.charts.periods import Period
from agent.charts.wording import say
from agent.language import Language
from tools.evidence import Column, Value

MAX_SERIES = 8
MAX_BARS = 40
MAX_POINTS = 5_000
SERIES_OF_BARS = 6
FILLED = 0.5
"""A grid of periods and series that is at least so full has gaps; an emptier one is sparse."""


@dataclass(frozen=True)
class Point:
    """One figure. `value` is the cell as the evidence has it: DECIMAL stays text."""

    at: str
    series: str
    value: Value


@dataclass(frozen=True)
class Panel:
    title: str
    points: tuple[Point, ...]

    def figures(self) -> list[Decimal]:
        found = (number(p.value) for p in self.points)
        return [f for f in found if f is not None]


@dataclass(frozen=True)
class Marks:
    """`at` and `series` are the values of the two in the order in which they are drawn."""

    mark: Literal["line", "bar"]
    at_title: str
    at: tuple[str, ...]
    series_title: str
    series: tuple[str, ...]
    panels: tuple[Panel, ...]
    period: Period | None = None
    notes: tuple[str, ...] = field(default=())


def marks_of(columns: Sequence[Column], shape: Shape, language: Language) -> Marks:
    notes: list[str] = []
    if shape.undated:
        notes.append(say("undated", language, count=shape.undated))
    if shape.measures_left_out:
        names = ", ".join(columns[i].name for i in shape.measures_left_out)
        notes.append(say("measures", language, names=names))
    blank = say("blank", language)
    labels = [_label(row, shape.categories, blank) for row in shape.rows]
    is_line = shape.period is not None and (len(shape.period.order) > 2 or not shape.categories)
    build = _lines if is_line else _bars
    return build(columns, shape, labels, notes, language)


def _label(row: Sequence[Value], categories: Iterable[int], blank: str) -> str:
    parts = (blank if row[i] is None or row[i] == "" else str(row[i]) for i in categories)
    return " / ".join(" ".join(p.split()) for p in parts)


def _lines(
    columns: Sequence[Column],
    shape: Shape,
    labels: Sequence[str],
    notes: list[str],
    language: Language,
) -> Marks:
    period = shape.period
    assert period is not None
    where = [label or "" for label in period.labels]
    names = _names(columns, shape)
    panels = _panels(columns, shape, where, labels)
    kept = _largest(panels, MAX_SERIES)
    every = tuple(dict.fromkeys(p.series for panel in panels for p in panel.points))
    series = tuple(s for s in every if s in kept)
    if len(series) < len(every):
        rest = [s for s in every if s not in kept]
        notes.append(say("series", language, shown=len(series), names=listed(rest, language)))
    order = period.order
    if len(order) * len(series) > MAX_POINTS:
        order = order[-(MAX_POINTS // len(series)) :]
        shown, count = len(order), len(period.order)
        notes.append(say("latest", language, shown=shown, count=count))
    drawn = tuple(_only(panel, set(order), set(series)) for panel in panels)
    drawn = tuple(Panel(p.title, _with_gaps(p.points, order, series)) for p in drawn)
    return Marks("line", period.title, order, names, series, drawn, period, tuple(notes))


def _bars(
    columns: Sequence[Column],
    shape: Shape,
    labels: Sequence[str],
    notes: list[str],
    language: Language,
) -> Marks:
    """Bars in the order of the rows; a second name, or one of two periods, is the colour."""
    where, colours, at_title, series_title = list(labels), [""] * len(labels), "", ""
    at_title = _names(columns, shape)
    if shape.period is not None:
        colours, series_title = (
            [_shown(shape.period, x) for x in shape.period.labels],
            shape.period.title,
        )
    elif len(shape.categories) == 2 and len(shape.panels[0]) == 1:
        first, second = ([_label(r, (i,), say("blank", language)) for r in shape.rows]
                         for i in shape.categories)  # fmt: skip
        if _is_grid(first, second):
            where, colours = first, second
            at_title, series_title = (columns[i].name for i in shape.categories)
    panels = _panels(columns, shape, where, colours)
    if not shape.categories:
        panels = tuple(_turned(panel) for panel in panels if len(panel.points) > 1)
    at = tuple(dict.fromkeys(p.at for panel in panels for p in panel.points))
    series = tuple(dict.fromkeys(p.series for panel in panels for p in panel.points))
    if shape.period is not None:
        places = {_shown(shape.period, label): n for n, label in enumerate(shape.period.order)}
        series = tuple(sorted(series, key=lambda s: places.get(s.split(" · ")[0], 0)))
    if len(at) > MAX_BARS:
        notes.append(say("bars", language, shown=MAX_BARS, count=len(at)))
        at = at[:MAX_BARS]
    drawn = tuple(_only(panel, set(at), set(series)) for panel in panels)
    return Marks("bar", at_title, at, series_title, series, drawn, None, tuple(notes))


def _shown(period: Period, label: str | None) -> str:
    return (label or "")[:7] if period.unit == "month" else label or ""


def _turned(panel: Panel) -> Panel:
    """One row of several figures of one kind: each column is a bar."""
    return Panel("", tuple(Point(p.series, "", p.value) for p in panel.points))


def _is_grid(first: Sequence[str], second: Sequence[str]) -> bool:
    """Whether two names cross: each of the one with most of the other."""
    across, colours = len(set(first)), len(set(second))
    return (
        1 < colours <= SERIES_OF_BARS
        and across < len(first)
        and (len(first) >= FILLED * across * colours)
    )


def _names(columns: Sequence[Column], shape: Shape) -> str:
    return " / ".join(columns[i].name for i in shape.categories)


def _panels(
    columns: Sequence[Column], shape: Shape, where: Sequence[str], labels: Sequence[str]
) -> tuple[Panel, ...]:
    found = []
    for measures in shape.panels:
        several = len(measures) > 1
        points = []
        for row, at, label in zip(shape.rows, where, labels, strict=True):
            for i in measures:
                name = columns[i].name
                series = " · ".join(filter(None, (label, name))) if several else label
                points.append(Point(at, series, row[i]))
        title = " / ".join(columns[i].name for i in measures)
        found.append(Panel(title, tuple(points)))
    return tuple(found)


def _largest(panels: Sequence[Panel], count: int) -> set[str]:
    """The series with the largest figures in the first panel that has them."""
    sizes: dict[str, Decimal] = {}
    for point in (p for panel in panels[:1] for p in panel.points):
        figure = number(point.value)
        sizes[point.series] = sizes.get(point.series, Decimal(0)) + abs(figure or Decimal(0))
    names = sorted(sizes, key=lambda name: -sizes[name])
    return set(names[:count])


def _only(panel: Panel, at: set[str], series: set[str]) -> Panel:
    kept = tuple(p for p in panel.points if p.at in at and p.series in series)
    return Panel(panel.title, kept)


def _with_gaps(
    points: tuple[Point, ...], order: Sequence[str], series: Sequence[str]
) -> tuple[Point, ...]:
    """In time; where nearly every series has every period, a missing one is a gap, as NULL is."""
    places = {label: n for n, label in enumerate(order)}
    found = {(p.series, p.at): p for p in points}
    if len(found) >= FILLED * len(order) * len(series):
        for name in series:
            for at in order:
                found.setdefault((name, at), Point(at, name, None))
    ranks = {name: n for n, name in enumerate(series)}
    return tuple(sorted(found.values(), key=lambda p: (ranks[p.series], places[p.at])))


def listed(names: Sequence[str], language: Language, shown: int = 10) -> str:
    rest = len(names) - shown
    text = ", ".join(names[:shown])
    return text if rest <= 0 else text + say("more", language, count=rest)
