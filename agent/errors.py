"""Errors, sorted by who acts next.

    AgentError
    ├── UsageError                 the caller: bad question, unknown id, wrong option       (exit 2)
    ├── SettingsError              the operator: zaiko.toml or a variable is wrong          (exit 2)
    ├── ModelError
    │   ├── ModelReplyError        the model may try again: its reply could not be used
    │   │   ├── TruncatedReply     cut off by its token limit
    │   │   └── EmptyReply         blank content, no call
    │   ├── ModelBusy              wait and try again: 429, 500, 503, timeouts, broken transport
    │   ├── ContentRefused         the provider's filter refused the input; do not retry
    │   ├── ModelConfigError       the operator: key, balance, model name, weights file     (exit 2)
    │   └── ProtocolError          our bug: the provider rejected the shape of a request
    ├── ChartError
    │   ├── NoChart                the caller: nothing proved can be drawn; ask otherwise
    │   └── ChartFailed            the operator: the process that draws a picture failed
    ├── HandoffError               a person: no such handoff, or not in a state for that    (exit 2)
    └── PairError                  a person: no such pair, or one that cannot be kept       (exit 2)

`tools.errors.ToolError` and `ingest.store.errors.IngestError` have the same three attributes.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from agent.models.base import Usage


class AgentError(Exception):
    """What happened (`message`) and the next step (`hint`); `kind` is the stable JSON name."""

    kind = "agent_error"

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class UsageError(AgentError):
    kind = "usage"


class SettingsError(AgentError):
    kind = "settings"


class ModelError(AgentError):
    kind = "model"
    usage: "Usage | None" = None
    """What the failed call cost, where the client knows it."""


class ModelReplyError(ModelError):
    kind = "model_reply"


class TruncatedReply(ModelReplyError):
    kind = "model_truncated"


class EmptyReply(ModelReplyError):
    kind = "model_empty"


class ModelBusy(ModelError):
    kind = "model_busy"


class ContentRefused(ModelError):
    kind = "content_refused"


class ModelConfigError(ModelError):
    kind = "model_config"


class ProtocolError(ModelError):
    kind = "model_protocol"


class ChartError(AgentError):
    kind = "chart"


class NoChart(ChartError):
    kind = "no_chart"


class ChartFailed(ChartError):
    kind = "chart_failed"


class HandoffError(AgentError):
    kind = "handoff"


class PairError(AgentError):
    kind = "pair"
