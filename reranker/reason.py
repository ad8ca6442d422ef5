"""Why a passage was found, in what can be counted: the same for every reranker."""

from reranker.features import Comparison


def reason(comparison: Comparison) -> str:
    """What was counted: `cosine 0.88, bm25 12.1, words 4/5 (deadline, goods), numbers 1/1 (2026),
    without xr4200`."""
    wanted, found = comparison.query, comparison.found
    parts = []
    if comparison.cosine is not None:
        parts.append(f"cosine {comparison.cosine:.2f}")
    if comparison.bm25 is not None:
        parts.append(f"bm25 {comparison.bm25:.1f}")
    for name, has, all_ in (
        ("words", found.words, wanted.words),
        ("numbers", found.numbers, wanted.numbers),
        ("codes", found.identifiers, wanted.identifiers),
    ):
        if all_:
            parts.append(f"{name} {len(has)}/{len(all_)}" + _named(has))
    absent = sorted(wanted.identifiers - found.identifiers)
    if absent:
        parts.append("without " + ", ".join(absent))
    return ", ".join(parts) or "nothing to compare"


def _named(found: frozenset[str], most: int = 4) -> str:
    names = sorted(found, key=lambda n: (-len(n), n))[:most]
    return f" ({', '.join(names)})" if names else ""
