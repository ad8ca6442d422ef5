"""`rows("E1")` and `value("E1")`: how evidence reaches a calculation, exactly."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal

from tools.evidence import Column, Evidence, Value


@dataclass
class EvidenceInputs:
    """The two host functions of one calculation; remembers which ids were used.

    DECIMAL cells arrive as `Decimal`, HUGEINT as `int`, dates as ISO strings. Errors are
    `ValueError`s raised inside the sandboxed code; `failed` keeps the first one's kind.
    """

    evidence: Mapping[str, Evidence]
    used: list[str] = field(default_factory=list)
    failed: str | None = None

    def functions(self) -> dict[str, object]:
        return {"rows": self.rows, "value": self.value}

    def rows(self, evidence_id: object) -> list[dict[str, object]]:
        """All rows of one evidence as dicts keyed by column name."""
        found = self._find(evidence_id)
        names = unique_names(found.columns)
        return [dict(zip(names, exact_row(found.columns, r), strict=True)) for r in found.rows]

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

    def column_names(self) -> list[str]:
        """Columns of the evidence used so far, for hints."""
        return list(
            dict.fromkeys(n for i in self.used for n in unique_names(self.evidence[i].columns))
        )

    def _find(self, evidence_id: object) -> Evidence:
        found = self.evidence.get(evidence_id) if isinstance(evidence_id, str) else None
        if found is None:
            known = ", ".join(self.evidence) or "none yet: run a query first"
            raise self._error("unknown_evidence", f"no evidence {evidence_id!r}; known: {known}")
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

    def _error(self, kind: str, message: str) -> ValueError:
        self.failed = self.failed or kind
        return ValueError(message)


def unique_names(columns: Sequence[Column]) -> list[str]:
    """Column names; a repeated one gets `_2`, `_3`, …"""
    names: list[str] = []
    for column in columns:
        name, n = column.name, 2
        while name in names:
            name, n = f"{column.name}_{n}", n + 1
        names.append(name)
    return names


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
