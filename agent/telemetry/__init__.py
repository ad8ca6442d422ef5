"""Traces: one a question, kept beside the data and, when an endpoint is set, sent by OTLP."""

from agent.telemetry.provider import Telemetry, setup
from agent.telemetry.spans import node_span, retrieval_span, span, tool_span, trace_id_of
from agent.telemetry.trace import SpanRecord, Trace, TraceSummary, list_traces, load_trace
from agent.telemetry.view import render

__all__ = [
    "SpanRecord",
    "Telemetry",
    "Trace",
    "TraceSummary",
    "list_traces",
    "load_trace",
    "node_span",
    "render",
    "retrieval_span",
    "setup",
    "span",
    "tool_span",
    "trace_id_of",
]
