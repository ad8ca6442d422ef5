"""JSON lines: one object a line; the columns are the keys in order of first appearance."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ingest.store.errors import FileRejected
from ingest.tables.encoding import Encoding, detect_encoding, open_text
from ingest.tables.grid import Grid, Row


def read_json_lines(path: Path) -> list[Grid]:
    """Raises `FileRejected` naming the first line that is not a JSON object."""
    encoding = detect_encoding(path)
    keys: dict[str, None] = {}
    for record in _records(path, encoding):
        keys.update(dict.fromkeys(record or ()))
    header = tuple(keys)

    def rows() -> Iterator[Row]:
        for record in _records(path, encoding):
            yield [_text(record.get(key)) for key in header] if record else []

    return [Grid(rows=rows, header=header)]


def _records(path: Path, encoding: Encoding) -> Iterator[dict[str, Any] | None]:
    for number, line in enumerate(open_text(path, encoding), 1):
        if not line.strip():
            yield None
            continue
        try:
            record = json.loads(line, parse_float=str, parse_int=str)
        except (json.JSONDecodeError, RecursionError) as error:
            raise FileRejected(
                f"{path.name}: line {number} is not JSON ({error}).", "Correct that line."
            ) from error
        if not isinstance(record, dict):
            raise FileRejected(
                f"{path.name}: line {number} is not a JSON object.",
                'Write each line as {"column": value, …}.',
            )
        yield record


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return value.replace("\0", "")
    return json.dumps(value, ensure_ascii=False)
