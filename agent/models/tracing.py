"""One OpenTelemetry span per chat call, with GenAI attribute names.

Names: OpenTelemetry semantic conventions for generative AI (in development, hence own
constants): span `chat {model}` of kind CLIENT; cached tokens are part of the input tokens.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from opentelemetry import trace
from opentelemetry.trace import Span, SpanKind, Status, StatusCode

from agent.models.base import ChatModel, Reply

OPERATION_NAME = "gen_ai.operation.name"
PROVIDER_NAME = "gen_ai.provider.name"
REQUEST_MODEL = "gen_ai.request.model"
REQUEST_MAX_TOKENS = "gen_ai.request.max_tokens"
RESPONSE_MODEL = "gen_ai.response.model"
RESPONSE_FINISH_REASONS = "gen_ai.response.finish_reasons"
INPUT_TOKENS = "gen_ai.usage.input_tokens"
OUTPUT_TOKENS = "gen_ai.usage.output_tokens"
CACHED_INPUT_TOKENS = "gen_ai.usage.cache_read.input_tokens"
ERROR_TYPE = "error.type"


@contextmanager
def chat_span(model: ChatModel, max_tokens: int) -> Iterator[Span]:
    """A span around one `complete()`; an exception marks it and passes through."""
    tracer = trace.get_tracer("zaiko.agent.models")
    attributes: dict[str, str | int] = {
        OPERATION_NAME: "chat",
        PROVIDER_NAME: model.provider,
        REQUEST_MODEL: model.name,
        REQUEST_MAX_TOKENS: max_tokens,
    }
    with tracer.start_as_current_span(
        f"chat {model.name}",
        kind=SpanKind.CLIENT,
        attributes=attributes,
        record_exception=False,
        set_status_on_exception=False,
    ) as span:
        try:
            yield span
        except BaseException as error:
            span.set_attribute(ERROR_TYPE, getattr(error, "kind", type(error).__name__))
            span.set_status(Status(StatusCode.ERROR, str(error)))
            raise


def record_reply(span: Span, reply: Reply) -> None:
    """Put what came back on the span."""
    span.set_attribute(RESPONSE_MODEL, reply.model)
    span.set_attribute(RESPONSE_FINISH_REASONS, [reply.finish_reason])
    span.set_attribute(INPUT_TOKENS, reply.usage.input_tokens)
    span.set_attribute(OUTPUT_TOKENS, reply.usage.output_tokens)
    span.set_attribute(CACHED_INPUT_TOKENS, reply.usage.cached_input_tokens)
