import json
import logging
import multiprocessing
from collections.abc import Callable
from pathlib import Path

import pytest

from agent.telemetry import Telemetry, load_trace, names, setup, span, trace_id_of
from agent.telemetry.lines import append_line, read_lines


def append_many(path: Path, letter: str) -> None:
    for _ in range(200):
        append_line(path, letter * 5000)


@pytest.mark.slow
def test_lines_of_several_processes_do_not_mix(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    spawn = multiprocessing.get_context("spawn")
    workers = [spawn.Process(target=append_many, args=(path, c)) for c in "ab"]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    lines = list(read_lines(path))
    assert len(lines) == 400
    assert set(lines) == {b"a" * 5000, b"b" * 5000}


def test_a_line_after_a_torn_one_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes(b'{"a":1}\n{"b":')
    append_line(path, '{"c":"\u2028"}')
    assert list(read_lines(path)) == [b'{"a":1}', b'{"b":', '{"c":"\u2028"}'.encode()]


def test_a_full_disk_is_said_once_and_fails_nothing(
    telemetry: Telemetry, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "traces").mkdir()
    with caplog.at_level(logging.WARNING), telemetry.root() as root:
        # /dev/full answers every write with "No space left on device".
        (tmp_path / "traces" / f"{trace_id_of(root)}.jsonl").symlink_to("/dev/full")
        for _ in range(3):
            with span("gate"):
                pass
    assert [r.name for r in caplog.records] == ["zaiko.telemetry"]
    assert "No space left on device" in caplog.text


def test_a_missing_data_directory_is_not_made(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    telemetry = setup(tmp_path / "absent", service_version="1")
    with telemetry.root():
        pass
    telemetry.shutdown()
    assert not (tmp_path / "absent").exists()
    assert caplog.records == []


def test_odd_values_still_make_json(telemetry: Telemetry, tmp_path: Path) -> None:
    with telemetry.root() as root:
        root.set_attribute(names.CONFIDENCE, float("nan"))
        root.set_attribute(names.STATUS, "line\u2028break \ud800 在庫")
        root.add_event("found", {"places": (1.5, float("inf"))})
    data = (tmp_path / "traces" / f"{trace_id_of(root)}.jsonl").read_bytes()

    def refuse(constant: str) -> None:
        raise AssertionError(constant)

    (line,) = data.strip().split(b"\n")
    record = json.loads(line, parse_constant=refuse)
    assert record["attributes"][names.CONFIDENCE] == "nan"
    assert record["events"][0]["attributes"] == {"places": [1.5, "inf"]}
    read = load_trace(tmp_path, trace_id_of(root)).spans[0]
    assert read.attributes[names.STATUS] == "line\u2028break \ud800 在庫"


def test_two_set_ups_of_one_directory_do_not_write_a_span_twice(
    make_telemetry: Callable[..., Telemetry], tmp_path: Path
) -> None:
    one = make_telemetry(tmp_path)
    make_telemetry(tmp_path)
    with one.root() as root:
        pass
    assert len(load_trace(tmp_path, trace_id_of(root)).spans) == 1
