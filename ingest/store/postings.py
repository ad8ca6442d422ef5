"""Postings in flat arrays: which values have a form, which forms have a pair of letters."""

from __future__ import annotations

from array import array
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

_BUCKETS = 1 << 18


class Owners:
    """Which values each form belongs to, in two flat arrays once it is closed."""

    def __init__(self) -> None:
        self.ids: dict[str, int] = {}
        self._of_form, self._value = array("I"), array("I")

    def add(self, form: str, value: int) -> None:
        if form:
            self._of_form.append(self.ids.setdefault(form, len(self.ids)))
            self._value.append(value)

    def close(self) -> None:
        forms = np.frombuffer(self._of_form, dtype=np.uint32)
        order = np.argsort(forms, kind="stable")
        self._values = np.frombuffer(self._value, dtype=np.uint32)[order]
        self._starts = _starts(forms, len(self.ids))

    def holding(self, wanted: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Of each form whether one of the wanted values has it."""
        forms = np.repeat(np.arange(len(self.ids)), np.diff(self._starts))
        held = np.zeros(len(self.ids), dtype=np.bool_)
        held[forms[wanted[self._values]]] = True
        return held

    def of(self, form: str) -> list[int]:
        i = self.ids.get(form)
        if i is None:
            return []
        return [int(v) for v in self._values[self._starts[i] : self._starts[i + 1]]]


class Grams:
    """Which forms hold which pairs of neighbouring letters, as postings in two flat arrays."""

    def __init__(self, forms: Sequence[str]) -> None:
        self._lengths = np.array([len(form) + 1 for form in forms], dtype=np.int32)
        grams = _hashed("\n".join(forms)) if forms else np.zeros(0, np.uint32)
        owners = np.repeat(np.arange(len(forms), dtype=np.int32), self._lengths)
        self._forms = owners[np.argsort(grams, kind="stable")]
        self._starts = _starts(grams, _BUCKETS)

    def nearest(self, form: str, limit: int, among: NDArray[np.bool_] | None = None) -> list[int]:
        """The forms that share most pairs with `form`, for their length and in all."""
        wanted = np.unique(_hashed(form))
        postings = [self._forms[self._starts[g] : self._starts[g + 1]] for g in wanted]
        shared = np.bincount(np.concatenate(postings), minlength=len(self._lengths))
        enough = shared >= max(1, len(wanted) // 5)
        some = np.flatnonzero(enough if among is None else enough & among)
        alike = 2.0 * shared[some] / (self._lengths[some] + len(wanted))
        inside = shared[some] - alike
        best = (*some[_top(alike, limit)], *some[_top(inside, limit // 2)])
        return [int(i) for i in dict.fromkeys(best)]


def _starts(groups: NDArray[np.uint32], number: int) -> NDArray[np.int64]:
    """Where each of `number` groups begins once its members are sorted by group."""
    counts = np.bincount(groups, minlength=number)
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(counts)])


def _hashed(text: str) -> NDArray[np.uint32]:
    """A bucket for each pair of neighbouring letters, the ends of a line included."""
    letters = np.frombuffer(f"\n{text}\n".encode("utf-32-le"), dtype=np.uint32)
    mixed = letters[:-1] * np.uint32(2_654_435_761) + letters[1:] * np.uint32(40_503)
    return (mixed >> np.uint32(7)) % np.uint32(_BUCKETS)


def _top(scores: NDArray[np.float64], limit: int) -> NDArray[np.int64]:
    if len(scores) <= limit:
        return np.argsort(-scores, kind="stable")
    best = np.argpartition(-scores, limit)[:limit]
    return best[np.argsort(-scores[best], kind="stable")]
