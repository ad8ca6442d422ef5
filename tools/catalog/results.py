"""What the catalog says: listings that can be cited, and how they are shown."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from tools.evidence import Column, Evidence, Value, content_hash
from tools.sql.render import render_rows

NAME = "catalog"
Row = tuple[Value, ...]


@dataclass(frozen=True)
class Listing:
    """One table of facts about the data; `locator` says what it lists.

    `unshown` are columns that an answer may need and the transcript has no room for; cells of
    `uncut` ones are shown whole or their row is not shown.
    """

    locator: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    unshown: frozenset[str] = field(default=frozenset())
    uncut: frozenset[str] = field(default=frozenset())

    def evidence(self, source: str) -> Evidence:
        return Evidence(
            kind="rows",
            tool=NAME,
            source=source,
            locator=self.locator,
            columns=self.columns,
            rows=self.rows,
            row_count=len(self.rows),
            hash=content_hash(self.columns, self.rows),
        )

    def shown(self) -> tuple[list[Column], list[Row]]:
        """The transcript is short: a column that says nothing in any row is left out."""
        kept = [
            i
            for i, column in enumerate(self.columns)
            if i == 0
            or (
                column.name not in self.unshown
                and any(row[i] not in (None, "", 0) for row in self.rows)
            )
        ]
        return [self.columns[i] for i in kept], [tuple(r[i] for i in kept) for r in self.rows]


@dataclass(frozen=True)
class CatalogResult:
    """Listings, each an evidence of its own. `notes` explain them to the model; they are nothing that
    an answer would have to say."""

    source: str
    listings: tuple[Listing, ...]
    notes: tuple[str, ...] = ()

    def evidence(self) -> Sequence[Evidence]:
        return [listing.evidence(self.source) for listing in self.listings]

    def for_model(self, ids: Sequence[str]) -> str:
        parts = []
        for i, listing in enumerate(self.listings):
            label = f"[{ids[i]}] " if i < len(ids) else ""
            notes = self.notes if i == 0 else ()
            columns, rows = listing.shown()
            body = render_rows(columns, rows, row_count=len(rows), notes=notes, uncut=listing.uncut)
            parts.append(f"{label}{listing.locator}\n{body}")
        return "\n".join(parts)

    def summary(self) -> str:
        return f"{self.listings[0].locator}: {len(self.listings[0].rows)}"

    def to_json(self) -> dict[str, object]:
        return {
            "listings": [
                {
                    "title": listing.locator,
                    "columns": [c.model_dump() for c in listing.columns],
                    "rows": [list(r) for r in listing.rows],
                }
                for listing in self.listings
            ],
            "notes": list(self.notes),
        }


def columns_of(*names: str) -> tuple[Column, ...]:
    """ "rows:BIGINT" is a column `rows` of that type; without a type it is text."""
    pairs = (n.partition(":") for n in names)
    return tuple(Column(name=name, type=kind or "VARCHAR") for name, _, kind in pairs)


def day(value: object) -> str | None:
    return None if value is None else str(value)
