"""Input lines and the output file of a batch."""

import json
from pathlib import Path

import pytest

from agent.batch import Question, make_engine, read_questions
from agent.batch.base import Output
from agent.errors import UsageError


@pytest.fixture
def lines(tmp_path: Path) -> Path:
    return tmp_path / "in.jsonl"


def test_blank_lines_are_not_questions(lines: Path) -> None:
    lines.write_text('\n{"id": "a", "question": "?"}\n  \n{"id": 7, "question": "!"}\n')
    assert read_questions(lines) == [Question("a", "?"), Question("7", "!")]


def test_a_thread_makes_a_conversation(lines: Path) -> None:
    lines.write_text('{"id": "a", "question": "?", "thread": "t"}')
    assert read_questions(lines) == [Question("a", "?", "t")]


def test_a_mark_at_the_start_of_the_file_is_no_text(lines: Path) -> None:
    lines.write_text('{"id": "a", "question": "在庫"}', encoding="utf-8-sig")
    assert read_questions(lines) == [Question("a", "在庫")]


@pytest.mark.parametrize("mark", ["\u2028", "\u0085", "\u000b"])
def test_a_question_may_hold_line_marks_of_unicode(lines: Path, mark: str) -> None:
    written = mark.replace("\u000b", "\\u000b")
    raw = f'{{"id": "a", "question": "one{written}two"}}\n'
    lines.write_text(raw, encoding="utf-8")
    assert read_questions(lines) == [Question("a", f"one{mark}two")]


@pytest.mark.parametrize(
    "wrong",
    ["{", "[]", "1", '{"id": "b"}', '{"question": "?"}', '{"id": "b", "question": null}',
     '{"id": null, "question": "?"}', '{"id": "b", "question": ["?"]}'],
)  # fmt: skip
def test_a_line_that_is_no_question_is_named(lines: Path, wrong: str) -> None:
    lines.write_text(f'{{"id": "a", "question": "?"}}\n{wrong}\n')
    with pytest.raises(UsageError, match=r"line 2 is no question") as error:
        read_questions(lines)
    assert error.value.hint == 'each line is {"id": "…", "question": "…"}'


def test_an_id_that_stands_twice_is_named(lines: Path) -> None:
    lines.write_text('{"id": 1, "question": "?"}\n{"id": "1", "question": "!"}\n')
    with pytest.raises(UsageError, match="line 2: id '1' stands twice"):
        read_questions(lines)


def test_a_missing_input_is_said(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"none\.jsonl cannot be read"):
        read_questions(tmp_path / "none.jsonl")


def test_what_was_finished_is_known_to_the_next_run(tmp_path: Path) -> None:
    first = Output(tmp_path / "out.jsonl")
    first.write({"id": "a", "text": "one\u2028two\u0085three"})
    first.write({"id": "b"})
    assert first.finished == set()
    assert Output(tmp_path / "out.jsonl").finished == {"a", "b"}


def test_a_torn_last_line_is_cut_off(tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    out.write_bytes('{"id": "a"}\n{"id": "b", "text": "在'.encode()[:-1])
    output = Output(out)
    assert output.finished == {"a"}
    output.write({"id": "b"})
    assert [json.loads(line)["id"] for line in out.read_text().splitlines()] == ["a", "b"]


def test_a_file_that_is_no_batch_is_left_alone(tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    out.write_text("a diary\n")
    with pytest.raises(UsageError, match="line 1 is not a line of a batch"):
        Output(out)
    assert out.read_text() == "a diary\n"


def test_an_output_that_cannot_be_written_is_said_at_once(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be written"):
        Output(tmp_path / "no" / "out.jsonl")
    with pytest.raises(UsageError, match="cannot be read"):
        Output(tmp_path)


def test_an_unknown_engine_is_said() -> None:
    with pytest.raises(UsageError, match="no batch engine 'spark'"):
        make_engine("spark")
