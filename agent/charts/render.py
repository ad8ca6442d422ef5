"""From a specification to a picture, drawn in a process of its own."""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any, Literal

from agent.charts.font import FAMILY, cjk_font, note_on_letters
from agent.charts.spec import VERSION
from agent.errors import ChartFailed

WORKER = Path(__file__).with_name("worker.py")
LIMIT_S = 60.0


def render(spec: dict[str, Any], kind: Literal["png", "svg"]) -> bytes:
    """The picture. A PNG has the same letters on every machine; an SVG is shown in the fonts of
    whoever opens it. Raises ChartFailed."""
    drawn = deepcopy(spec)
    with tempfile.TemporaryDirectory(prefix="zaiko-fonts-") as fonts:
        font = cjk_font()
        if font is not None:
            (Path(fonts) / "cjk.ttf").write_bytes(font)
            if kind == "png":
                drawn["config"] = {**drawn["config"], "font": f"{FAMILY}, sans-serif"}
        return _run(json.dumps(drawn, ensure_ascii=False), kind, fonts)


def letters_note(spec: dict[str, Any]) -> str:
    """Which letters of a specification may be empty boxes in its PNG, said; "" for none."""
    return note_on_letters("".join(_texts(spec)))


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, inner in value.items():
            if key != "usermeta":
                yield from _texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _texts(inner)


def _run(spec: str, kind: str, fonts: str) -> bytes:
    command = [sys.executable, "-P", "-s", str(WORKER), kind, fonts, VERSION]
    paths = os.pathsep.join(str(Path(p).resolve()) for p in sys.path if p)
    environment = {"PYTHONPATH": paths, "PYTHONDONTWRITEBYTECODE": "1", "PATH": os.defpath}
    hint = "the specification can be drawn elsewhere: save it with --chart FILE.vl.json"
    try:
        done = subprocess.run(
            command,
            input=spec.encode("utf-8"),
            capture_output=True,
            timeout=LIMIT_S,
            env=environment,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise ChartFailed(f"the picture was not drawn within {LIMIT_S:g} s", hint) from None
    except OSError as error:
        raise ChartFailed(f"the process that draws did not start: {error}", hint) from error
    if done.returncode or not done.stdout:
        raise ChartFailed(f"the picture could not be drawn: {_reason(done)}", hint)
    return done.stdout


def _reason(done: subprocess.CompletedProcess[bytes]) -> str:
    """The line of the script engine's error, or of Python's."""
    said = done.stderr.decode("utf-8", "replace").strip().splitlines()
    errors = [line.strip() for line in said if "Error:" in line]
    return errors[-1] if errors else f"its process ended with {done.returncode}"
