"""Errors of the tools, sorted by who acts next.

ToolError
├── ToolRetry        the model (or the caller) tries again with other arguments
├── ToolRefused      a guard said no; the same call will never be run
└── ToolUnavailable  the operator acts: a worker died, a store is missing
"""


class ToolError(Exception):
    """`kind` is the stable JSON name of the refusal; `hint` says what to do instead."""

    def __init__(self, kind: str, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message
        self.hint = hint


class ToolRetry(ToolError):
    pass


class ToolRefused(ToolError):
    pass


class ToolUnavailable(ToolError):
    pass
