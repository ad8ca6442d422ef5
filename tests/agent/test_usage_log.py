import json
import logging
from datetime import datetime, timedelta, timezone
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from agent.usage_log import FIELDS, append_usage, read_usage


def call(**changes: Any) -> dict[str, Any]:
    record = {
        "at": "2026-11-30T04:00:00Z",
        "trace_id": "4f2a",
        "thread_id": "t1",
        "role": "plan",
        "model": "qwen",
        "input_tokens": 1200,
        "cached_input_tokens": 1000,
        "output_tokens": 60,
        "cost": None,
        "ms": 812.5,
    }
    return record | changes


def test_calls_come_back_in_order(tmp_path: Path) -> None:
    append_usage(tmp_path, call(role="gate", cost=Decimal("0.00012")))
    append_usage(tmp_path, call(role="plan"))
    assert read_usage(tmp_path) == [call(role="gate", cost="0.00012"), call(role="plan")]


def test_each_call_is_one_line_with_the_fields_in_order(tmp_path: Path) -> None:
    append_usage(tmp_path, dict(reversed(call(model="模型\n").items())))
    (line,) = (tmp_path / "usage.jsonl").read_text(encoding="utf-8").splitlines()
    assert tuple(json.loads(line)) == FIELDS
    assert "模型" in line


def test_a_torn_line_is_left_out_and_the_next_one_is_kept(tmp_path: Path) -> None:
    append_usage(tmp_path, call())
    path = tmp_path / "usage.jsonl"
    path.write_bytes(path.read_bytes() + b'{"at": "2026-11-30T04:0')
    assert read_usage(tmp_path) == [call()]
    append_usage(tmp_path, call(role="answer"))
    assert read_usage(tmp_path) == [call(), call(role="answer")]


def test_the_time_is_now_when_it_is_left_out(tmp_path: Path) -> None:
    jst = timezone(timedelta(hours=9))
    record = call()
    del record["at"]
    append_usage(tmp_path, record, now=lambda: datetime(2026, 11, 30, 13, 0, 5, tzinfo=jst))
    assert read_usage(tmp_path) == [call(at="2026-11-30T04:00:05Z")]


def test_a_record_has_exactly_the_fields(tmp_path: Path) -> None:
    record = call()
    del record["ms"]
    with pytest.raises(ValueError, match=r"wrong: \['ms'\]"):
        append_usage(tmp_path, record)
    with pytest.raises(ValueError, match=r"wrong: \['tokens'\]"):
        append_usage(tmp_path, call(tokens=1))
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_is_said_and_fails_nothing(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "usage.jsonl").symlink_to("/dev/full")
    with caplog.at_level(logging.WARNING):
        append_usage(tmp_path, call())
    assert "No space left on device" in caplog.text


def test_no_file_means_no_calls_and_none_is_made(tmp_path: Path) -> None:
    assert read_usage(tmp_path) == []
    assert list(tmp_path.iterdir()) == []
