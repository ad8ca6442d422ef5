"""The Vega-Lite specification (version 6) of a picture: plain data, no URL, no expression of data.

Field names are the picture's own (`at`, `series`, `value`), as a dot or a bracket in a column's
name would be read as a path. A DECIMAL stands as text, exactly, and is parsed only to be drawn;
dates are read and shown in UTC, so that no time zone moves a day.
"""

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from rich.cells import cell_len, chop_cells

from agent.charts.columns import number
from agent.charts.marks import Marks, Panel

SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
VERSION = "6.4"
"""The compiler's version that the specification is drawn with."""
TITLE_CELLS, TITLE_LINES = 76, 3
CAPTION_CELLS = 104
LINE_SIZE = (640, 300)
PANEL_HEIGHT = 160
BAR_WIDTH, BAR_STEP, SMALL_STEP = 460, 22, 14
CHARACTER_WIDTH = 7
TICKS_AT_VALUES = 12
FORMATS = {"time": "%Y-%m-%dT%H:%M:%S", "day": "%Y-%m-%d", "month": "%Y-%m-%d", "year": "%Y"}
SHOWN = {"time": "%m-%d %H:%M", "day": "%Y-%m-%d", "month": "%Y-%m", "year": "%Y"}
CONFIG: dict[str, Any] = {
    "font": "sans-serif",
    "view": {"stroke": None},
    "title": {
        "anchor": "start",
        "frame": "bounds",
        "fontSize": 15,
        "fontWeight": "normal",
        "subtitleFontSize": 11,
        "subtitleColor": "#555555",
        "subtitlePadding": 6,
        "offset": 14,
    },
    "axis": {"labelFontSize": 11, "titleFontSize": 11, "titleFontWeight": "normal"},
    "axisY": {"titleLimit": 300},
    "legend": {"labelLimit": 220, "titleFontWeight": "normal", "symbolStrokeWidth": 3},
    "range": {"category": {"scheme": "tableau10"}},
}


def _title(text: str | None) -> str | None:
    """Vega-Lite writes titles into expressions, where a backslash would begin an escape."""
    return text.replace("\\", "＼") if text else None


def specification(marks: Marks, title: str, caption: Sequence[str]) -> dict[str, Any]:
    views = [_view(marks, panel, len(marks.panels) > 1) for panel in marks.panels]
    if marks.mark == "line":
        for view in views[:-1]:
            view["encoding"]["x"]["axis"] |= {"title": None}
    spec: dict[str, Any] = {
        "$schema": SCHEMA,
        "background": "white",
        "padding": 12,
        "title": {
            "text": wrapped(title, TITLE_CELLS, TITLE_LINES),
            "subtitle": [piece for line in caption for piece in wrapped(line, CAPTION_CELLS)],
        },
        "config": CONFIG,
    }
    whole: dict[str, Any] = _clean(spec | (views[0] if len(views) == 1 else {"vconcat": views}))
    return whole


def _clean(value: Any) -> Any:
    """Texts without control characters, which no SVG may hold."""
    if isinstance(value, str):
        return "".join(c if c.isprintable() or c == "\u3000" else "\ufffd" for c in value)
    if isinstance(value, dict):
        return {key: _clean(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_clean(inner) for inner in value]
    return value


def wrapped(text: str, cells: int, lines: int | None = None) -> list[str]:
    """Lines of at most so many cells (a Han or kana takes two), broken at spaces where there are;
    the last of at most `lines` ends in … when more would follow."""
    found = [""]
    for word in " ".join(text.split()).split(" "):
        joined = f"{found[-1]} {word}".strip()
        if cell_len(joined) <= cells:
            found[-1] = joined
        else:
            pieces = chop_cells(joined if cell_len(word) > cells else word, cells)
            found[-1:] = [*(found[-1:] if cell_len(word) <= cells else []), *pieces]
    if lines is not None and len(found) > lines:
        found = [*found[: lines - 1], chop_cells(found[lines - 1], cells - 1)[0] + "…"]
    return [line for line in found if line] or [""]


def _view(marks: Marks, panel: Panel, several: bool) -> dict[str, Any]:
    data: dict[str, Any] = {"values": _values(marks, panel), "format": {"parse": _parse(marks)}}
    view = _line(marks, panel, several) if marks.mark == "line" else _bar(marks, panel)
    return {"data": data, **view}


def _values(marks: Marks, panel: Panel) -> list[dict[str, Any]]:
    found = []
    for point in panel.points:
        one: dict[str, Any] = {"at": point.at, "value": point.value}
        if len(marks.series) > 1:
            one["series"] = point.series
        if marks.mark == "bar":
            one["shown"] = grouped(number(point.value))
        found.append(one)
    return found


def grouped(figure: Decimal | None) -> str:
    """1,234.50: all digits that the figure has."""
    return "" if figure is None else f"{figure:,f}"


def _parse(marks: Marks) -> dict[str, str]:
    unit = marks.period.unit if marks.period is not None else "label"
    when = {} if unit == "label" else {"at": f"utc:'{FORMATS[unit]}'"}
    return {"value": "number", **when}


def _colour(marks: Marks) -> dict[str, Any]:
    if len(marks.series) < 2:
        return {}
    scale = {"domain": list(marks.series)}
    title = _title(marks.series_title)
    return {"color": {"field": "series", "type": "nominal", "scale": scale, "title": title}}


def _line(marks: Marks, panel: Panel, several: bool) -> dict[str, Any]:
    width, height = LINE_SIZE
    few = len(marks.at) <= 60
    return {
        "width": width,
        "height": PANEL_HEIGHT if several else height,
        # NULL breaks the line; the points keep a figure between two gaps visible.
        "mark": {
            "type": "line",
            "point": {"size": 30 if few else 6},
            "strokeWidth": 2 if few else 1,
            "invalid": "break-paths-show-path-domains",
        },
        "encoding": {
            "x": _when(marks),
            "y": {
                "field": "value",
                "type": "quantitative",
                "title": _title(panel.title),
                "scale": {"zero": False, "nice": True},
                "axis": _counted(panel),
            },
            **_colour(marks),
        },
    }


def _counted(panel: Panel) -> dict[str, Any]:
    """Whole figures have no ticks between them."""
    figures = panel.figures()
    return {"tickMinStep": 1} if all(f == f.to_integral_value() for f in figures) else {}


def _when(marks: Marks) -> dict[str, Any]:
    assert marks.period is not None
    unit = marks.period.unit
    axis: dict[str, Any] = {
        "title": _title(marks.at_title),
        "labelOverlap": "greedy",
        "labelFlush": False,
        "grid": False,
    }
    if unit == "label":
        axis |= {"labelAngle": 0 if len(marks.at) <= TICKS_AT_VALUES else -45}
        return {"field": "at", "type": "ordinal", "sort": list(marks.at), "axis": axis}
    axis |= {"format": SHOWN[unit]}
    if len(marks.at) <= TICKS_AT_VALUES:
        axis["values"] = [_moment(at) for at in marks.at]
    return {"field": "at", "type": "temporal", "scale": {"type": "utc"}, "axis": axis}


def _moment(iso: str) -> dict[str, Any]:
    """A Vega-Lite DateTime in UTC."""
    parts = ("year", "month", "date", "hours", "minutes", "seconds")
    numbers = iso.replace("T", "-").replace(":", "-").split("-")
    return {"utc": True, **{p: int(n) for p, n in zip(parts, numbers, strict=False)}}


def _bar(marks: Marks, panel: Panel) -> dict[str, Any]:
    several = len(marks.series) > 1
    name: dict[str, Any] = {
        "field": "at",
        "type": "nominal",
        "sort": list(marks.at),
        "title": _title(marks.at_title),
        "axis": {
            "labelLimit": 260,
            "maxExtent": 320,
            "grid": False,
            "domain": False,
            "ticks": False,
        },
    }
    figure: dict[str, Any] = {
        "field": "value",
        "type": "quantitative",
        "title": _title(panel.title),
        "scale": {"domain": _from_zero(panel), "nice": False},
        "axis": {**_counted(panel), "tickCount": 6, "labelOverlap": "greedy"},
        "stack": None,
    }
    encoding: dict[str, Any] = {"y": name, "x": figure}
    step: dict[str, Any] = {"step": BAR_STEP}
    if several:
        encoding["yOffset"] = {"field": "series", "sort": list(marks.series)}
        step = {"step": SMALL_STEP, "for": "offset"}
    below = "datum.value < 0"
    label = {
        "type": "text",
        "fontSize": 9 if several else 10,
        "align": {"expr": f"{below} ? 'right' : 'left'"},
        "dx": {"expr": f"{below} ? -4 : 4"},
    }
    return {
        "width": BAR_WIDTH,
        "height": step,
        "encoding": encoding,
        "layer": [
            {"mark": {"type": "bar"}, "encoding": _colour(marks)},
            {"mark": label, "encoding": {"text": {"field": "shown", "type": "nominal"}}},
        ],
    }


def _from_zero(panel: Panel) -> list[float]:
    """Bars begin at 0; past the longest on either side there is room for its figure."""
    figures = panel.figures() or [Decimal(0)]
    low, high = min(Decimal(0), *figures), max(Decimal(0), *figures)
    room = (high - low or Decimal(1)) * (max(len(grouped(f)) for f in figures) + 2)
    room *= Decimal(CHARACTER_WIDTH) / BAR_WIDTH
    return [float(low - room if low < 0 else low), float(high + room if high > 0 or not low else 0)]
