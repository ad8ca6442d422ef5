"""Results are readable in a pipe and cannot steer a terminal."""

import io
import json
import re
import sys

import pytest

from agent.cli.output import emit_json, print_table, printable, show


def test_a_wide_table_is_not_cut_in_a_pipe(capsys: pytest.CaptureFixture[str]) -> None:
    wide = "x" * 5000
    print_table(["a", "b"], [[wide, 1], ["y", wide]])
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 3
    assert lines[1] == f"{wide}  1"
    assert lines[2] == f"y{' ' * 4999}  {wide}"


def test_columns_stand_under_each_other_in_every_script(
    capsys: pytest.CaptureFixture[str],
) -> None:
    print_table(["sku", "倉庫", "n"], [["XR-4200", "東京", 7], ["9", "Osaka", None]])
    assert capsys.readouterr().out == "sku      倉庫   n\nXR-4200  東京   7\n9        Osaka\n"


def test_a_row_is_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    print_table(["a"], [["one\ntwo\r\nthree\tfour"]])
    assert capsys.readouterr().out == "a\none two three four\n"


def test_a_table_without_rows_is_its_head(capsys: pytest.CaptureFixture[str]) -> None:
    print_table(["a", "b"], [])
    assert capsys.readouterr().out == "a  b\n"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_table_is_wrapped_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    terminal = Terminal()
    monkeypatch.setattr(sys, "stdout", terminal)
    print_table(["a"], [["0123456789" * 10]])
    lines = re.sub("\x1b\\[[0-9]*m", "", terminal.getvalue()).splitlines()
    assert max(map(len, lines)) <= 40
    assert "".join(line.strip() for line in lines[1:]) == "0123456789" * 10


def test_data_cannot_steer_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    show("red \x1b[31m and \x07\nnext line 全角　space")
    assert capsys.readouterr().out == "red \ufffd[31m and \ufffd\nnext line 全角　space\n"


@pytest.mark.parametrize(
    ("value", "shown"), [(None, ""), (7, "7"), ("a\u2028b", "a\ufffdb"), ("\ud800", "\ufffd")]
)
def test_a_cell_is_one_line(value: object, shown: str) -> None:
    assert printable(value) == shown


@pytest.mark.parametrize("encoding", ["utf-8", "ascii", "shift_jis", "utf-16"])
def test_json_comes_back_as_it_was(encoding: str, monkeypatch: pytest.MonkeyPatch) -> None:
    written = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(written, encoding=encoding))
    value = {"text": "在庫 \u2028 𠮷 é \ud83d"}
    emit_json(value)
    assert json.loads(written.getvalue().decode(encoding)) == value
