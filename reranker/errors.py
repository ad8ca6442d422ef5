"""Errors of the reranker room: the operator acts.

RerankerError
├── RerankerMisconfigured  a setting is missing or names files that are not there
└── RerankerFailed         the model was loaded and could not score
"""


class RerankerError(Exception):
    """What happened (`message`) and the next step (`hint`); `kind` is the stable JSON name."""

    kind = "reranker_error"

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class RerankerMisconfigured(RerankerError):
    kind = "reranker_misconfigured"


class RerankerFailed(RerankerError):
    kind = "reranker_failed"
