"""One span per call, with GenAI attribute names."""

from collections.abc import Iterator
from typing import Any

import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, StatusCode

from agent.errors import ModelBusy
from agent.models.base import Message
from tests.support.deepseek_server import fail, say

ASK = [Message(role="user", content="a secret question")]


@pytest.fixture
def spans(monkeypatch: pytest.MonkeyPatch) -> Iterator[InMemorySpanExporter]:
    exporter, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    monkeypatch.setattr(trace, "get_tracer", provider.get_tracer)
    yield exporter
    provider.shutdown()


async def test_a_call_is_a_client_span_with_its_tokens(
    server: Any, deepseek: Any, spans: InMemorySpanExporter
) -> None:
    reply = await deepseek().complete(ASK, max_tokens=99)
    (span,) = spans.get_finished_spans()
    assert (span.name, span.kind) == ("chat deepseek-flash", SpanKind.CLIENT)
    assert dict(span.attributes or {}) == {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "deepseek",
        "gen_ai.request.model": "deepseek-flash",
        "gen_ai.request.max_tokens": 99,
        "gen_ai.response.model": "deepseek-flash",
        "gen_ai.response.finish_reasons": ("stop",),
        "gen_ai.usage.input_tokens": reply.usage.input_tokens,
        "gen_ai.usage.output_tokens": reply.usage.output_tokens,
        "gen_ai.usage.cache_read.input_tokens": reply.usage.cached_input_tokens,
    }


async def test_retries_are_inside_the_one_span(
    server: Any, deepseek: Any, spans: InMemorySpanExporter
) -> None:
    server.play(fail(503), say("fine"))
    await deepseek().complete(ASK)
    assert len(spans.get_finished_spans()) == 1


async def test_a_failure_marks_the_span_and_passes_through(
    server: Any, deepseek: Any, spans: InMemorySpanExporter
) -> None:
    server.play(fail(503))
    with pytest.raises(ModelBusy):
        await deepseek(max_retries=0).complete(ASK)
    (span,) = spans.get_finished_spans()
    assert (span.attributes or {})["error.type"] == "model_busy"
    assert span.status.status_code is StatusCode.ERROR
