"""Errors of the openai package, translated into the tree of `agent.errors`."""

from collections.abc import Iterator
from contextlib import contextmanager

import openai

from agent.errors import (
    ContentRefused,
    ModelBusy,
    ModelConfigError,
    ModelError,
    ModelReplyError,
    ProtocolError,
)

_OVERFLOW = ("context size", "context length", "context_length_exceeded", "context window")


class RetryableBusy(ModelBusy):
    """ModelBusy with the wait in seconds that the server asked for, if it did."""

    def __init__(self, message: str, hint: str = "", retry_after_s: float | None = None) -> None:
        super().__init__(message, hint)
        self.retry_after_s = retry_after_s


@contextmanager
def translated(model: str, base_url: str) -> Iterator[None]:
    """Inside, every failure of a request leaves as a ModelError; a key is never shown."""
    try:
        yield
    except (TimeoutError, openai.APITimeoutError) as error:
        raise ModelBusy(
            f"{model} did not answer in time", "try again, or raise timeout_s"
        ) from error
    except openai.APIStatusError as error:
        raise from_status(error, model) from error
    except openai.APIError as error:
        raise ModelBusy(
            f"the connection to {base_url} failed", "check the network and base_url; then try again"
        ) from error


def from_status(error: openai.APIStatusError, model: str) -> ModelError:
    """The error of an HTTP status, with the provider's words where they hold no key."""
    said = provider_message(error)
    match error.status_code:
        case 401 | 403:
            return ModelConfigError(
                f"the provider refused the API key for {model}",
                "check the key (for DeepSeek: DEEPSEEK_API_KEY)",
            )
        case 402:
            return ModelConfigError(
                "the provider's account has no balance left", "top up the account, then try again"
            )
        case 404:
            return _no_such_model(model)
        case 429 | 500 | 502 | 503 | 504:
            return RetryableBusy(
                f"the provider is busy (HTTP {error.status_code})",
                "try again later",
                retry_after(error.response.headers.get("retry-after")),
            )
        case _:
            return _from_bad_request(said, model, error.status_code)


def provider_message(error: openai.APIStatusError) -> str:
    body = error.body
    if isinstance(body, dict):
        inner = body.get("error", body)
        if isinstance(inner, dict) and isinstance(inner.get("message"), str):
            return str(inner["message"])
    return error.message


def retry_after(header: str | None) -> float | None:
    """Seconds of a Retry-After header; dates and nonsense count as absent."""
    try:
        seconds = float(header) if header else None
    except ValueError:
        return None
    return seconds if seconds is not None and 0 <= seconds < float("inf") else None


def _from_bad_request(said: str, model: str, status: int) -> ModelError:
    lowered = said.lower()
    if "content exists risk" in lowered:
        return ContentRefused(
            "the provider's content filter refused the input",
            "leave out the passage it objects to; trying again will not help",
        )
    if "model not exist" in lowered:
        return _no_such_model(model)
    if any(words in lowered for words in _OVERFLOW):
        return ModelReplyError(
            f"the prompt does not fit {model}'s context: {said}",
            "shorten the conversation or the results in it",
        )
    return ProtocolError(
        f"{model} rejected the request (HTTP {status}): {said}",
        "this is a defect of zaiko; please report it with the trace id",
    )


def _no_such_model(model: str) -> ModelConfigError:
    return ModelConfigError(
        f"the provider does not know the model {model!r}", "check the settings model and base_url"
    )
