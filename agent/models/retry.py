"""Attempts and waits: one budget for a call, the provider SDK's own retries being off."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from agent.errors import EmptyReply, ModelBusy
from agent.models.failures import RetryableBusy

T = TypeVar("T")
Sleep = Callable[[float], Awaitable[None]]

_FIRST_WAIT_S = 0.5
_LONGEST_WAIT_S = 10.0
_LONGEST_ASKED_S = 60.0


async def with_retries(
    attempt: Callable[[], Awaitable[T]], *, retries: int, sleep: Sleep = asyncio.sleep
) -> T:
    """`attempt()` once and, on ModelBusy or EmptyReply, up to `retries` times more.

    Waits 0.5, 1, 2, … 10 s, or what the server's Retry-After asks for up to 60 s; when it asks
    for more, the error is passed on at once.
    """
    for number in range(retries):
        try:
            return await attempt()
        except (ModelBusy, EmptyReply) as error:
            asked = error.retry_after_s if isinstance(error, RetryableBusy) else None
            if asked is not None and asked > _LONGEST_ASKED_S:
                raise
            await sleep(asked if asked is not None else wait_s(number))
    return await attempt()


def wait_s(number: int) -> float:
    """Seconds before retry `number`, counted from 0."""
    return min(_FIRST_WAIT_S * 2.0**number, _LONGEST_WAIT_S)
