"""A regular text file into the stage by DuckDB's own reader, which is ten times as fast as ours.

Nothing is guessed here: a file that is not regular in every line (blank lines, records that are
too short or too long, quotes inside of cells, mixed line ends) is left to our reader, which says
what was odd about it. Both come to the same rows.
"""

from __future__ import annotations

import codecs
import csv
import tempfile
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import duckdb

from ingest.tables.body import Body
from ingest.tables.cells import NULL_WORDS
from ingest.tables.encoding import Encoding, open_text
from ingest.tables.grid import Grid, Layout, Plain, Row
from ingest.tables.plain import guess_kinds
from ingest.tables.staging import STAGE, TYPED, drop_stage

MIN_BYTES = 256 * 1024
"""Smaller files are read by our own reader."""

_TEXT = "zaiko_text"
_CHUNK = 4 << 20
_TAIL = 8
_GUESSED_FROM = 200
_SPACES = "".join(char for char in map(chr, range(0x3001)) if char.isspace())
_SPACE = "[" + "".join(f"\\x{{{ord(char):x}}}" for char in _SPACES) + "]"
_NULLS = ", ".join(f"'{word}'" for word in sorted(NULL_WORDS))
_LONGEST_NULL = max(len(word.encode()) for word in NULL_WORDS)


def stage_directly(
    connection: duckdb.DuckDBPyConnection, grid: Grid, layout: Layout, smallest: int = MIN_BYTES
) -> tuple[int, Body] | None:
    """Fills the stage as `staged` does: the number of rows, and what was left out of them.

    None, and nothing staged, for a grid that is no plain text, small or not regular.
    """
    plain = grid.plain
    if plain is None or len(layout.originals) < 2 or plain.path.stat().st_size < smallest:
        return None
    sample = list(islice(grid.rows(), layout.first - 1, layout.first - 1 + _GUESSED_FROM))
    lines = _head_lines(plain, layout.first - 1)
    if not sample or lines is None:
        return None
    with tempfile.TemporaryDirectory(prefix="zaiko-") as folder:
        path = _as_utf8(plain, Path(folder))
        form = _regular_form(path, plain.delimiter)
        if form is None:
            return None
        try:
            width = len(sample[0])
            body = Body(grid, layout, kinds=guess_kinds(sample, width))
            _load(connection, path, form, lines, width, body.kinds)
            rows = form.lines and form.lines - lines
            if _agrees(connection, body, sample[0], rows):
                return _cleared(connection, body), body
        except duckdb.InvalidInputException:
            pass  # a record that is not regular: our reader tells which and why
    drop_directly(connection)
    return None


def leave_out(
    connection: duckdb.DuckDBPyConnection, layout: Layout, numbers: Sequence[int]
) -> None:
    """Takes source rows out of the stage, whichever way it was filled."""
    if not numbers:
        return
    kind = "SELECT table_type FROM information_schema.tables WHERE table_name = ?"
    if connection.execute(kind, [STAGE]).fetchone() == ("VIEW",):
        _delete(connection, [number - layout.first for number in numbers])
    else:
        connection.execute(
            f"DELETE FROM {STAGE} WHERE list_contains(?::BIGINT[], n)", [list(numbers)]
        )


def drop_directly(connection: duckdb.DuckDBPyConnection) -> None:
    drop_stage(connection)
    connection.execute(f"DROP TABLE IF EXISTS temp.{_TEXT}")


def _head_lines(plain: Plain, records: int) -> int | None:
    """Lines above the first data row; None when a record there has more than one line."""
    text = open_text(plain.path, Encoding(plain.codec, False))
    reader = csv.reader(text, delimiter=plain.delimiter)
    if sum(1 for _ in islice(reader, records)) < records or reader.line_num != records:
        return None
    return records


def _as_utf8(plain: Plain, folder: Path) -> Path:
    """The file under a plain name (DuckDB takes `*` and `[` in a path for patterns), as UTF-8."""
    target = folder / "table.csv"
    with plain.path.open("rb") as file:
        if plain.codec == "utf-8" and not file.read(3).startswith(codecs.BOM_UTF8):
            target.symlink_to(plain.path.resolve())
            return target
    decoder = codecs.getincrementaldecoder(plain.codec)("strict")
    with plain.path.open("rb") as file, target.open("wb") as copy:
        while chunk := file.read(_CHUNK):
            text = decoder.decode(chunk)
            copy.write((text if copy.tell() else text.lstrip("\ufeff")).encode())
        copy.write(decoder.decode(b"", final=True).encode())
    return target


class _Form(NamedTuple):
    """`exotic`: holds spaces other than the plain one. `lines` is 0 where a quoted cell may hold
    a line end."""

    delimiter: str
    exotic: bool
    lines: int


def _regular_form(path: Path, delimiter: str) -> _Form | None:
    """None when its lines end in several ways or a quote stands beside a space. A blank line is
    looked for here where a quoted cell may hold a line end, else seen by the number of lines."""
    returns, feeds, pairs, exotic, quoted = 0, 0, 0, False, False
    last = b""
    around = (f'{delimiter} "'.encode(), f'" {delimiter}'.encode())
    marks = (f"{delimiter}'".encode(), f"{delimiter}\"'".encode(), b"\n'", b"\n\"'")
    spaces = [char.encode() for char in _SPACES if char not in f" \r\n{delimiter}"]
    for chunk in _chunks(path):
        if b"\0" in chunk or chunk.endswith(b"\r"):
            return None
        if b"'" in chunk and any(mark in chunk for mark in marks):
            return None  # Excel's mark for text before a number
        if b'"' in chunk:
            quoted = exotic = True  # a quoted cell may begin or end with a line end
            if any(mark in chunk for mark in (*around, b"\n\n", b"\n\r\n")):
                return None
        # The first byte alone is found ten times as fast, and hardly ever stands there.
        exotic = exotic or any(s[:1] in chunk and s in chunk for s in spaces)
        feeds += chunk.count(b"\n")
        if b"\r" in chunk:  # looking for one is ten times as fast as counting none
            returns, pairs = returns + chunk.count(b"\r"), pairs + chunk.count(b"\r\n")
        last = chunk
    if returns and not returns == feeds == pairs:
        return None
    lines = 0 if quoted else feeds + (not last.endswith(b"\n"))
    return _Form(delimiter, exotic, lines)


def _chunks(path: Path) -> Iterator[bytes]:
    """The bytes in pieces that end with a line, without the blank lines at the end."""
    with path.open("rb") as file:
        rest = b""
        while block := file.read(_CHUNK):
            block = rest + block
            cut = block.rfind(b"\n", 0, -2) + 1
            rest = block[cut:]
            if cut:
                yield block[:cut]
        if last := rest.rstrip(b"\r\n"):
            yield last


def _load(
    connection: duckdb.DuckDBPyConnection,
    path: Path,
    form: _Form,
    skip: int,
    width: int,
    kinds: Mapping[int, str],
) -> None:
    columns = ", ".join(f"'c{i}': 'VARCHAR'" for i in range(width))
    tried = "".join(f", try_cast(c{i} AS {kind}) AS k{i}" for i, kind in kinds.items())
    values = []
    for i in range(width):
        cell = _cell(f"c{i}", exotic=form.exotic)
        if i in kinds:
            cell = f"CASE WHEN k{i}::VARCHAR = c{i} THEN NULL ELSE {cell} END"
        values.append(f"{cell} AS c{i}")
    values += [f"k{i}" for i in kinds]
    connection.execute(
        f"CREATE OR REPLACE TEMP TABLE {_TEXT} AS SELECT {', '.join(values)} "
        f"FROM (SELECT *{tried} FROM read_csv("
        f"?, columns = {{{columns}}}, header = false, auto_detect = false, skip = {skip}, "
        """delim = ?, quote = '"', escape = '"', """
        "encoding = 'utf-8', null_padding = false, strict_mode = true))",
        [str(path), form.delimiter],
    )


def _cell(name: str, *, exotic: bool) -> str:
    """Without the spaces around it; NULL where it is blank or a word for that."""
    inner = f"trim({name}, '{_SPACES}')"
    spaced = f"regexp_matches({name}, '^{_SPACE}|{_SPACE}$')"
    if not exotic:
        spaced = f"starts_with({name}, ' ') OR ends_with({name}, ' ')"
    return (
        f"CASE WHEN {spaced} THEN CASE WHEN {inner} NOT IN ({_NULLS}) THEN {inner} END "
        f"WHEN strlen({name}) <= {_LONGEST_NULL} AND ascii({name}) NOT BETWEEN 48 AND 57 "
        f"AND {name} IN ({_NULLS}) THEN NULL ELSE {name} END"
    )


def _agrees(connection: duckdb.DuckDBPyConnection, body: Body, sample: Row, expected: int) -> bool:
    """Is the first row the one that our reader reads, was no blank line passed over, and is
    nothing to the right of the header?"""
    width, reach = len(body.layout.originals), len(sample)
    if reach < width:
        return False
    cells = ", ".join(_text(body, i) for i in range(reach))
    found = connection.execute(f"SELECT {cells} FROM {_TEXT} WHERE rowid = 0").fetchone()
    first = [body.clean(cell) for cell in sample]
    if found is None or [cell or "" for cell in found] != first:
        return False
    beyond = " + ".join(f"count({_text(body, i)})" for i in range(width, reach))
    row = connection.execute(f"SELECT {beyond or '0'}, count(*) FROM {_TEXT}").fetchone()
    return row is not None and not row[0] and expected in (0, row[1])


def _cleared(connection: duckdb.DuckDBPyConnection, body: Body) -> int:
    """Takes blank rows and the footer out of the stage; the number of rows left."""
    layout = body.layout
    width = len(layout.originals)
    cells = ", ".join(f"{_text(body, i)} AS c{i}" for i in range(width))
    _cut_footer(connection, body, cells)
    blank = " AND ".join(_is_null(body, i) for i in range(width))
    connection.execute(f"DELETE FROM {_TEXT} WHERE {blank}")
    unnamed = [i for i, name in enumerate(layout.originals) if not name]
    counts = ", ".join(["count(*)", *(f"count({_text(body, i)})" for i in unnamed)])
    found = connection.execute(f"SELECT {counts} FROM {_TEXT}").fetchone() or (0,)
    body.used.update(i for i, count in zip(unnamed, found[1:], strict=True) if count)
    numbered = f"CREATE OR REPLACE TEMP VIEW {{}} AS SELECT rowid + {layout.first} AS n, {cells}"
    typed = "".join(f", k{i}, {_TEXT}.c{i} AS x{i}" for i in body.kinds if i < width)
    connection.execute(f"{numbered.format(STAGE)} FROM {_TEXT}")
    connection.execute(f"{numbered.format(TYPED)}{typed} FROM {_TEXT}")
    return int(found[0])


def _text(body: Body, index: int) -> str:
    """What the cell says. A value that is kept as one is written back as it was."""
    return f"coalesce({_TEXT}.c{index}, k{index}::VARCHAR)" if index in body.kinds else f"c{index}"


def _is_null(body: Body, index: int) -> str:
    value = f" AND k{index} IS NULL" if index in body.kinds else ""
    return f"({_TEXT}.c{index} IS NULL{value})"


def _cut_footer(connection: duckdb.DuckDBPyConnection, body: Body, cells: str) -> None:
    last = connection.execute(
        f"SELECT rowid, {cells} FROM {_TEXT} "
        f"WHERE rowid > (SELECT max(rowid) - {_TAIL} FROM {_TEXT}) ORDER BY rowid DESC"
    ).fetchall()
    entries = [(row[0] + body.layout.first, [cell or "" for cell in row[1:]]) for row in last[::-1]]
    tail: deque[tuple[int, Row] | None] = deque(
        (n, row) if any(row) else None for n, row in entries
    )
    body.cut_footer(tail)
    kept = {entry[0] for entry in tail if entry}
    cut = [n - body.layout.first for n, _ in entries if n not in kept]
    _delete(connection, cut)


def _delete(connection: duckdb.DuckDBPyConnection, rowids: list[int]) -> None:
    if rowids:
        connection.execute(f"DELETE FROM {_TEXT} WHERE list_contains(?::BIGINT[], rowid)", [rowids])
