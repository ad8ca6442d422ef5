"""SKUs that are written differently from one table to another: 'a' and 'A', '00123' and '123'."""

import re
import unicodedata
from collections.abc import Iterable, Mapping

from tools.calc.deadline import in_time


def look_alikes(listed: Iterable[str], given: Iterable[str]) -> Mapping[str, str]:
    """Of each listed SKU that `given` has not: one that differs only in case, width, spaces,
    hyphens or leading zeros, and that is not itself listed."""
    own, others = set(listed), set(given)
    strangers = {_folded(sku): sku for sku in in_time(sorted(others - own, reverse=True))}
    found = {sku: strangers.get(_folded(sku)) for sku in in_time(own - others)}
    return {sku: other for sku, other in found.items() if other is not None}


def _folded(sku: str) -> str:
    return re.sub(r"[\W_]+", "", unicodedata.normalize("NFKC", sku).casefold()).lstrip("0")
