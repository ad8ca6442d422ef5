"""Where a chart is saved: its specification always, a picture when the name asks for one."""

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from agent.charts.render import render
from agent.errors import ChartFailed, UsageError

OURS = "zaiko"
"""The key under `usermeta` by which a specification is known to be one of ours."""


@dataclass(frozen=True)
class ChartFile:
    """`sales.png` is a picture with `sales.vl.json` beside it; `sales.json` the latter alone."""

    spec: Path
    picture: Path | None = None
    kind: Literal["png", "svg"] = "png"

    @classmethod
    def at(cls, path: Path) -> "ChartFile":
        """Raises UsageError, before anything is asked, for a place where nothing can be saved."""
        suffix = path.suffix.lower()
        match suffix:
            case ".json":
                found = cls(path)
            case ".png":
                found = cls(path.with_suffix(".vl.json"), path, "png")
            case ".svg":
                found = cls(path.with_suffix(".vl.json"), path, "svg")
            case _:
                message = f"--chart {str(path)!r}: the name does not say what to draw"
                raise UsageError(message, "end it in .png, .svg or .vl.json")
        _check_folder(path)
        _check_spec(found.spec)
        return found

    def save(self, spec: dict[str, Any]) -> list[Path]:
        """Writes the files whole or not at all and names them. Raises ChartFailed, OSError."""
        text = json.dumps(spec, ensure_ascii=False, indent=1) + "\n"
        _write(self.spec, text.encode("utf-8"))
        if self.picture is None:
            return [self.spec]
        try:
            _write(self.picture, render(spec, self.kind))
        except ChartFailed as error:
            hint = f"its specification is in {self.spec}: any Vega-Lite viewer draws it"
            raise ChartFailed(error.message, hint) from error
        return [self.picture, self.spec]


def _check_folder(path: Path) -> None:
    if path.is_dir():
        raise UsageError(f"--chart {str(path)!r} is a directory", "name a file in it")
    if not path.parent.is_dir():
        raise UsageError(f"there is no directory {str(path.parent)!r}", "make it, or name another")
    if not os.access(path.parent, os.W_OK):
        raise UsageError(f"{str(path.parent)!r} cannot be written to", "name another directory")


def _check_spec(path: Path) -> None:
    """An earlier chart may be replaced; another program's JSON may not."""
    if not path.exists():
        return
    try:
        held = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        held = None
    if not (isinstance(held, dict) and OURS in (held.get("usermeta") or {})):
        message = f"{str(path)!r} is there already and is no chart of zaiko"
        raise UsageError(message, "name another --chart file")


def _write(path: Path, content: bytes) -> None:
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        part.write_bytes(content)
        part.replace(path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
