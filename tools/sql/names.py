"""The real names nearest to a wrong one."""

import difflib
from collections.abc import Iterable

from ingest.store import Catalog, TableRecord
from tools.text import casefolded


def folded(text: str) -> str:
    """NFKC, case-folded, without blanks and underscores: what people mix up."""
    return "".join(c for c in casefolded(text) if c not in " _-　")


def nearest(word: str, candidates: Iterable[str], limit: int = 3) -> list[str]:
    """Candidates most like `word`, best first: equal when folded, containing, then similar."""
    target = folded(word)
    scored: list[tuple[float, str]] = []
    for candidate in dict.fromkeys(candidates):
        other = folded(candidate)
        if not other or not target:
            continue
        ratio = difflib.SequenceMatcher(None, target, other).ratio()
        if other == target:
            ratio = 2.0
        elif min(len(target), len(other)) >= 2 and (target in other or other in target):
            ratio = max(ratio, 0.75)
        if ratio >= 0.6:
            scored.append((-ratio, candidate))
    return [name for _, name in sorted(scored, key=lambda s: s[0])[:limit]]


def columns_line(table: TableRecord, limit: int = 30) -> str:
    """ "sales: order_no, sold_on, quantity, …" """
    names = [c.name for c in table.columns]
    more = ", …" if len(names) > limit else ""
    return f"{table.name}: {', '.join(names[:limit])}{more}"


def tables_with_column(catalog: Catalog, column: str) -> list[str]:
    return [t.name for t in catalog.tables if t.column(column) is not None]


def unknown_table_hint(catalog: Catalog, name: str) -> str:
    like = nearest(name, (t.name for t in catalog.tables))
    also = [f"column {name} is in {t}" for t in tables_with_column(catalog, name)[:3]]
    names = [t.name for t in catalog.tables]
    listing = ", ".join(names[:20]) + (", …" if len(names) > 20 else "")
    parts = [f"nearest: {', '.join(like)}"] if like else []
    return "; ".join([*parts, *also, f"tables: {listing}" if names else "no table is ingested"])


def unknown_column_hint(catalog: Catalog, name: str, tables: Iterable[str]) -> str:
    """Nearest columns of the query's tables, other tables that have it, and what there is."""
    records = [t for t in map(catalog.table, tables) if t is not None]
    like = [f"{t.name}.{c}" for t in records for c in nearest(name, (c.name for c in t.columns), 2)]
    used = {t.name for t in records}
    elsewhere = [t for t in tables_with_column(catalog, name) if t not in used]
    parts = [f"nearest: {', '.join(like[:4])}"] if like else []
    if elsewhere:
        parts.append(f"{name} is a column of {', '.join(elsewhere[:3])}")
    return "; ".join([*parts, *(columns_line(t) for t in records[:3])])
