"""Rows as short text for the transcript."""

from collections.abc import Collection, Sequence

from tools.evidence import Column, Value
from tools.tokens import estimate_tokens

CELL_CHARS = 60
NOTE_CHARS = 160
TOKEN_BUDGET = 250


def cell_text(value: Value, *, whole: bool = False) -> str:
    """NULL for None; long text is cut unless it is to stay `whole`, line breaks become blanks."""
    text = "NULL" if value is None else _float(value) if isinstance(value, float) else str(value)
    text = " ".join(text.split()) if "\n" in text or "\r" in text else text
    return text if whole or len(text) <= CELL_CHARS else text[: CELL_CHARS - 1] + "…"


def _float(value: float) -> str:
    """Two decimals from 1,000 up, else four, six digits below 1: a model that copies seventeen
    digits drops some. The evidence keeps them all."""
    if abs(value) < 1:
        return f"{value:.6g}"
    text = f"{value:.{2 if abs(value) >= 1000 else 4}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def render_rows(
    columns: Sequence[Column],
    rows: Sequence[Sequence[Value]],
    *,
    row_count: int,
    rows_shown: int = 20,
    notes: Sequence[str] = (),
    uncut: Collection[str] = (),
) -> str:
    """Header, first rows and notes within the budget; says how many rows are not shown.

    Cells of the columns `uncut` are never shortened; a row that does not fit is not shown.
    """
    head = " | ".join(c.name for c in columns)
    tail = [f"note: {n if len(n) <= NOTE_CHARS else n[:NOTE_CHARS] + '…'}" for n in notes]
    spent = sum(estimate_tokens(t) for t in (head, *tail)) + 12
    lines: list[str] = []
    whole = [c.name in uncut for c in columns]
    for row in rows[:rows_shown]:
        line = " | ".join(cell_text(v, whole=w) for v, w in zip(row, whole, strict=True))
        spent += estimate_tokens(line) + 1
        if spent > TOKEN_BUDGET and (lines or uncut):
            break
        lines.append(line)
    total = "1 row" if row_count == 1 else f"{row_count} rows"
    count = total if len(lines) == row_count else f"{total}, first {len(lines)} shown"
    return "\n".join([head, *lines, f"({count})", *tail])
