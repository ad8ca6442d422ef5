"""JSON lines: one object a line; the columns are the keys in order of first appearance."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ingest.store.errors import FileRejected
from ingest.tables.encoding import Encoding, detect_encoding, nul_notes, open_text
from ingest.tables.grid import Grid, Row, Unread

_REPEATED = "the key stands more than once in the object, with different values"
_REPEATED_INSIDE = "a key stands more than once in it, with different values"


class _Object(dict[str, Any]):
    """A JSON object; `repeated` are the keys that it gives several values, with all of them."""

    repeated: dict[str, list[Any]]


def read_json_lines(path: Path) -> list[Grid]:
    """Raises `FileRejected` naming the first line that is not a JSON object.

    A key that one object has twice, with different values, says nothing: the cell is unread.
    """
    encoding = detect_encoding(path)
    keys: dict[str, int] = {}
    unread: list[Unread] = []
    for number, record in enumerate(_records(path, encoding), 1):
        for key in record or ():
            keys.setdefault(key, len(keys))
        unread += _unread(number, record, keys) if record else ()
    header = tuple(keys)

    def rows() -> Iterator[Row]:
        for record in _records(path, encoding):
            yield [_cell(record, key) for key in header] if record else []

    notes = nul_notes(path, encoding)
    return [Grid(rows=rows, header=header, unread=tuple(unread), notes=notes)]


def _records(path: Path, encoding: Encoding) -> Iterator[_Object | None]:
    for number, line in enumerate(open_text(path, encoding), 1):
        if not line.strip():
            yield None
            continue
        try:
            record = json.loads(line, parse_float=str, parse_int=str, object_pairs_hook=_object)
        except (json.JSONDecodeError, RecursionError) as error:
            raise FileRejected(
                f"{path.name}: line {number} is not JSON ({error}).", "Correct that line."
            ) from error
        if not isinstance(record, _Object):
            raise FileRejected(
                f"{path.name}: line {number} is not a JSON object.",
                'Write each line as {"column": value, …}.',
            )
        yield record


def _object(pairs: list[tuple[str, Any]]) -> _Object:
    found = _Object(pairs)
    found.repeated = {}
    if len(found) < len(pairs):
        values: dict[str, list[Any]] = {}
        for key, value in pairs:
            values.setdefault(key, []).append(value)
        found.repeated = {k: v for k, v in values.items() if any(other != v[0] for other in v)}
    return found


def _unread(row: int, record: _Object, places: Mapping[str, int]) -> Iterator[Unread]:
    for key, value in record.items():
        if key in record.repeated:
            said = " | ".join(map(_text, record.repeated[key]))
            yield Unread(row, places[key], said, _REPEATED)
        elif _repeats(value):
            yield Unread(row, places[key], _text(value), _REPEATED_INSIDE)


def _cell(record: _Object, key: str) -> str:
    value = record.get(key)
    return "" if key in record.repeated or _repeats(value) else _text(value)


def _repeats(value: Any) -> bool:
    """Whether an object in it gives a key several values."""
    if isinstance(value, _Object):
        return bool(value.repeated) or any(map(_repeats, value.values()))
    return isinstance(value, list) and any(map(_repeats, value))


def _text(value: Any) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
