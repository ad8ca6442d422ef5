"""The table of an answer as a file: whole, exact, and harmless to open.

CSV is UTF-8 with a byte order mark, so that Excel reads Japanese; XLSX keeps identifiers as text,
dates as dates, and has the proof on a second sheet.
"""

import csv
import io
import re
import uuid
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from importlib import import_module
from pathlib import Path
from typing import Any

from agent.answer import Answer
from agent.errors import UsageError
from agent.render import is_table
from tools.evidence import Evidence, Value

XLSX_ROWS = 1_048_575
XLSX_CELL = 32_767
EXACT_DIGITS = 15
"""As many as a number in a spreadsheet keeps."""
_NUMERIC = re.compile(r"(DECIMAL|U?(TINY|SMALL|BIG|HUGE)INT|U?INTEGER|BIGNUM|DOUBLE|FLOAT|REAL)\b")
_NUMBER = re.compile(r"[+-]?\d+(\.\d+)?")
_FORMULA = tuple("=+-@\t\r\n＝＋－＠")


@dataclass(frozen=True)
class TableFile:
    """Where a table is saved; the suffix says as what."""

    path: Path

    @classmethod
    def at(cls, path: Path) -> "TableFile":
        """Raises UsageError, before anything is asked, for a place where nothing can be saved."""
        if path.suffix.lower() not in _WRITERS:
            message = f"--table {str(path)!r}: the name does not say what to write"
            raise UsageError(message, "end it in .csv or .xlsx")
        if path.is_dir():
            raise UsageError(f"--table {str(path)!r} is a directory", "name a file in it")
        if not path.parent.is_dir():
            hint = "make it, or name another"
            raise UsageError(f"there is no directory {str(path.parent)!r}", hint)
        try:
            _unnamed(path.parent).unlink()
        except OSError as error:
            message = f"{str(path.parent)!r} cannot be written to: {error.strerror}"
            raise UsageError(message, "name another directory") from None
        return cls(path)

    def save(self, evidence: Evidence) -> None:
        """Writes the file whole or not at all. Raises UsageError for what XLSX cannot hold, OSError."""
        content = _WRITERS[self.path.suffix.lower()](evidence)
        draft = _unnamed(self.path.parent)
        try:
            draft.write_bytes(content)
            draft.replace(self.path)
        except BaseException:
            with suppress(OSError):
                draft.unlink()
            raise


def main_table(answer: Answer, evidence: Mapping[str, Evidence]) -> Evidence | None:
    """The table that a delivered answer rests on, with all its rows; None where there is none.

    Of what the answer cites: the last calculated table (a reorder proposal), else the largest
    table of rows, else the last calculated value.
    """
    cited = {c.evidence_id for c in answer.citations}
    tables = [evidence[e.id] for e in answer.evidence if e.id in cited and e.id in evidence]
    tables = [e for e in tables if e.columns and e.rows]
    calculated = [e for e in tables if e.kind == "calculation"]
    if longer := [e for e in calculated if is_table(e)]:
        return longer[-1]
    rows = [e for e in tables if e.kind == "rows"]
    if rows:
        return max(reversed(rows), key=lambda e: len(e.rows) * len(e.columns))
    return calculated[-1] if calculated else None


def as_csv(evidence: Evidence) -> bytes:
    """UTF-8 with a byte order mark. A text that a spreadsheet would run as a formula is led by an
    apostrophe; figures are written as they are, NULL as nothing."""
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow([_harmless(c.name) for c in evidence.columns])
    numeric = [_NUMERIC.match(c.type) is not None for c in evidence.columns]
    for row in evidence.rows:
        writer.writerow([_csv_cell(v, n) for v, n in zip(row, numeric, strict=True)])
    return out.getvalue().encode("utf-8-sig")


def _csv_cell(value: Value, numeric: bool) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return format(Decimal(repr(value)), "f")
    return str(value) if numeric or isinstance(value, int) else _harmless(value)


def _harmless(text: str) -> str:
    is_number = _NUMBER.fullmatch(text) is not None
    return f"'{text}" if text.startswith(_FORMULA) and not is_number else text


def as_xlsx(evidence: Evidence) -> bytes:
    """Sheet `table`, and sheet `proof` with the evidence's id, source, query, hash and notes.

    Raises UsageError for more rows or longer texts than a sheet holds.
    """
    _require_fitting(evidence)
    xlsxwriter: Any = import_module("xlsxwriter")  # it has no annotations
    out = io.BytesIO()
    options = {f"strings_to_{what}": False for what in ("formulas", "numbers", "urls")}
    with xlsxwriter.Workbook(out, {**options, "in_memory": True}) as book:
        sheet = book.add_worksheet("table")
        bold = book.add_format({"bold": True})
        formats = [book.add_format({"num_format": _format(c.type)}) for c in evidence.columns]
        sheet.freeze_panes(1, 0)
        for at, column in enumerate(evidence.columns):
            sheet.write_string(0, at, column.name, bold)
        for line, row in enumerate(evidence.rows, start=1):
            for at, value in enumerate(row):
                _write(sheet, (line, at), value, evidence.columns[at].type, formats[at])
        proof = book.add_worksheet("proof")
        for line, (name, text) in enumerate(_proof(evidence)):
            proof.write_string(line, 0, name, bold)
            proof.write_string(line, 1, text[:XLSX_CELL])
    return out.getvalue()


def _write(sheet: Any, place: tuple[int, int], value: Value, kind: str, form: Any) -> None:
    if value is None:
        return
    if isinstance(value, bool):
        sheet.write_boolean(*place, value)
    elif _NUMERIC.match(kind) and _is_kept(value):
        sheet.write_number(*place, float(value), form)
    elif kind in ("DATE", "TIMESTAMP") and (moment := _moment(str(value))) is not None:
        sheet.write_datetime(*place, moment, form)
    else:
        sheet.write_string(*place, str(value))


def _is_kept(value: Value) -> bool:
    """Whether a spreadsheet's number keeps all of its digits; what it would not stays text."""
    number = Decimal(str(value))
    if not number.is_finite():
        return False
    return isinstance(value, float) or len(number.normalize().as_tuple().digits) <= EXACT_DIGITS


def _moment(text: str) -> datetime | None:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return moment if moment.tzinfo is None and moment.date() >= date(1900, 3, 1) else None


def _format(kind: str) -> str:
    if decimals := re.fullmatch(r"DECIMAL\(\d+,\s*([1-9]\d*)\)", kind):
        return "#,##0." + "0" * int(decimals[1])
    named = {"DATE": "yyyy-mm-dd", "TIMESTAMP": "yyyy-mm-dd hh:mm:ss"}
    return named.get(kind, "#,##0" if "INT" in kind or kind.endswith(",0)") else "General")


def _require_fitting(evidence: Evidence) -> None:
    hint = "write a .csv file"
    if len(evidence.rows) > XLSX_ROWS:
        raise UsageError(
            f"a sheet holds {XLSX_ROWS:,} rows; there are {len(evidence.rows):,}", hint
        )
    longest = max((len(v) for row in evidence.rows for v in row if isinstance(v, str)), default=0)
    if longest > XLSX_CELL:
        raise UsageError(f"a cell holds {XLSX_CELL:,} characters; one has {longest:,}", hint)


def _proof(evidence: Evidence) -> list[tuple[str, str]]:
    found = [
        ("evidence", evidence.id),
        ("source", evidence.source),
        ("locator", evidence.locator),
        ("query", evidence.query or ""),
        ("rows", f"{len(evidence.rows)} of {evidence.row_count}"),
        ("hash", evidence.hash),
    ]
    return [*found, *(("note", note) for note in evidence.notes)]


_WRITERS: Mapping[str, Callable[[Evidence], bytes]] = {".csv": as_csv, ".xlsx": as_xlsx}


def _unnamed(folder: Path) -> Path:
    """A new empty file beside the one to be written."""
    path = folder / f".zaiko-{uuid.uuid4().hex}"
    path.touch(exist_ok=False)
    return path


__all__ = ["TableFile", "as_csv", "as_xlsx", "main_table"]
