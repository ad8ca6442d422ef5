"""The end of a calculation, looked at inside the loops of the functions that it calls."""

import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

T = TypeVar("T")

EVERY = 256
_ENDS: ContextVar[float] = ContextVar("ends", default=float("inf"))


@contextmanager
def until(ends: float) -> Iterator[None]:
    """Within it `check` raises TimeoutError from `ends` on (`time.monotonic`), on this thread."""
    token = _ENDS.set(min(ends, _ENDS.get()))
    try:
        yield
    finally:
        _ENDS.reset(token)


def check() -> None:
    """Raises TimeoutError when the calculation's time is over; never outside `until`."""
    if time.monotonic() > _ENDS.get():
        raise TimeoutError("the calculation's time is over")


def remaining() -> float:
    """Seconds until the end; infinite outside `until`."""
    return _ENDS.get() - time.monotonic()


def in_time(items: Iterable[T]) -> Iterator[T]:
    """The items, with a look at the clock before every 256th."""
    for n, item in enumerate(items):
        if n % EVERY == 0:
            check()
        yield item
