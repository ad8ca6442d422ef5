"""llama.cpp's OpenAI-compatible server inside this process, on loopback, behind a random key."""

import os
import secrets
from pathlib import Path
from typing import Any

from agent.errors import ModelConfigError

_PROMPT_CACHE_MIB = 1024


class LlamaServer:
    """Running from construction to `close()`. One slot: requests are served one by one.

    Raises ModelConfigError when the weights cannot be loaded. Loading takes seconds and
    gigabytes; call it off the event loop.
    """

    def __init__(self, weights: Path, *, context_tokens: int, threads: int | None) -> None:
        self.api_key = secrets.token_urlsafe(24)
        self._server: Any = _start(
            weights, context_tokens, threads or available_cores(), self.api_key
        )
        self.base_url = f"{self._server.listening_address}/v1"

    def close(self) -> None:
        """Stops the server and frees the weights; safe to call twice."""
        self._server = None


def available_cores() -> int:
    """Cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def wait_passively() -> None:
    """Lets OpenMP threads sleep at a barrier instead of spinning.

    Spinning threads starve each other on a busy machine: 0.4–1.3 tokens/s against 8, measured on
    2 shared cores. Works only before the first library that uses OpenMP is loaded.
    """
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")


def _start(weights: Path, context_tokens: int, threads: int, api_key: str) -> Any:
    wait_passively()
    try:
        import xllamacpp  # noqa: PLC0415
    except ImportError as error:
        raise ModelConfigError(
            "the embedded model needs the package xllamacpp", "pip install xllamacpp"
        ) from error
    params = xllamacpp.CommonParams()
    params.model.path = str(weights)
    params.model_alias = {weights.stem}
    params.n_ctx = context_tokens
    params.n_parallel = 1
    params.cpuparams.n_threads = threads
    params.cpuparams_batch.n_threads = threads
    params.cache_prompt = True
    params.cache_ram_mib = _PROMPT_CACHE_MIB
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.api_keys = [api_key]
    params.ui = False
    params.endpoint_slots = False
    params.verbosity = 0
    try:
        return xllamacpp.Server(params)
    except RuntimeError as error:
        raise ModelConfigError(
            f"llama.cpp cannot load the weights file {weights}",
            "delete the file so that it is fetched again, or name another in ZAIKO_MODEL_FILE; "
            "it must be a GGUF file, and about 2 GB of memory must be free",
        ) from error
