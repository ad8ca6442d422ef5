"""`rows`, `value` and `column` of an evidence id: how evidence reaches a calculation, exactly."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal

from tools.calc.deadline import in_time
from tools.calc.numbers import BadInput, shown
from tools.evidence import Column, Evidence, Value

IDS_NAMED = 30


@dataclass
class EvidenceInputs:
    """The evidence of one calculation; remembers which ids were used.

    DECIMAL cells arrive as `Decimal`, HUGEINT as `int`, dates as ISO strings. All raise `BadInput`
    inside the sandboxed code.
    """

    evidence: Mapping[str, Evidence]
    used: list[str] = field(default_factory=list)

    def rows(self, evidence_id: object) -> list[dict[str, object]]:
        """All rows of one evidence as dicts keyed by column name."""
        found = self._find(evidence_id)
        names = unique_names(found.columns)
        return [
            dict(zip(names, exact_row(found.columns, r), strict=True)) for r in in_time(found.rows)
        ]

    def value(self, evidence_id: object) -> object:
        """The only cell of a one-cell evidence."""
        found = self._find(evidence_id)
        if len(found.rows) != 1 or len(found.columns) != 1:
            names = ", ".join(unique_names(found.columns))
            raise self._error(
                "not_one_cell",
                f"{evidence_id} has {len(found.rows)} rows and the columns {names}: "
                f"use rows('{evidence_id}')[0]['column']",
            )
        return exact_row(found.columns, found.rows[0])[0]

    def column(self, evidence_id: object, name: object) -> list[object]:
        """One column of an evidence as a list, in the order of its rows."""
        found = self._find(evidence_id)
        names = unique_names(found.columns)
        if name not in names:
            hint = f"columns: {', '.join(names[:IDS_NAMED])}"
            message = f"{evidence_id} has no column {shown(name)}"
            raise BadInput("missing_column", message, hint)
        at = names.index(str(name))
        kind = found.columns[at].type
        return [_exact(kind, row[at]) for row in in_time(found.rows)]

    def column_names(self) -> list[str]:
        """Columns of the evidence used so far, for hints."""
        return list(
            dict.fromkeys(n for i in self.used for n in unique_names(self.evidence[i].columns))
        )

    def _find(self, evidence_id: object) -> Evidence:
        found = self.evidence.get(evidence_id) if isinstance(evidence_id, str) else None
        if found is None:
            known = self._known() or "none yet: run a query first"
            message = f"no evidence {shown(evidence_id)}; known: {known}"
            raise self._error("unknown_evidence", message)
        if not found.columns:
            message = f"{evidence_id} is a {found.kind} without rows; use the id of a table result"
            raise self._error("no_rows", message)
        if found.truncated:
            raise self._error(
                "truncated_evidence",
                f"{evidence_id} keeps only {len(found.rows)} of {found.row_count} rows: "
                "aggregate in SQL first",
            )
        if isinstance(evidence_id, str) and evidence_id not in self.used:
            self.used.append(evidence_id)
        return found

    def _known(self) -> str:
        return ", ".join(list(self.evidence)[-IDS_NAMED:])

    def _error(self, kind: str, message: str) -> BadInput:
        return BadInput(kind, message, f"evidence ids: {self._known() or 'none yet'}")


def unique_names(columns: Sequence[Column]) -> list[str]:
    """Column names; a repeated one gets `_2`, `_3`, …"""
    names: dict[str, None] = {}
    following: dict[str, int] = {}
    for column in columns:
        name, n = column.name, following.get(column.name, 2)
        while name in names:
            name, n = f"{column.name}_{n}", n + 1
        names[name] = None
        following[column.name] = n
    return list(names)


def exact_row(columns: Sequence[Column], row: Sequence[Value]) -> tuple[object, ...]:
    return tuple(_exact(c.type, v) for c, v in zip(columns, row, strict=True))


def _exact(kind: str, value: Value) -> object:
    if not isinstance(value, str):
        return value
    if kind.startswith("DECIMAL"):
        return Decimal(value)
    if kind in ("HUGEINT", "UHUGEINT"):
        return int(value)
    return value
