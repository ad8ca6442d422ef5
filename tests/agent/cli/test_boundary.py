"""Every failure is one line with the next step and the documented exit status."""

import io
import json
import re
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from agent.cli import data, options
from agent.errors import UsageError

from .conftest import Called, Zaiko

SECTIONS = ("tables", "documents", "trace", "rollback")
READING = [
    *([name] for name in SECTIONS),
    ["documents", "--kb", "default"],
    ["ask", "q"],
    ["ask", "q", "--thread", "t-1"],
    ["search", "q"],
    ["sql", "SELECT 1"],
    ["handoff", "list"],
    ["handoff", "show", "h-1234"],
    ["handoff", "claim", "h-1234"],
    ["handoff", "resolve", "h-1234", "--text", "19"],
    ["handoff", "reject", "h-1234"],
    ["trace", "abcd"],
]


def one_line_each(called: Called) -> bool:
    return re.fullmatch(r"error: [^\n]+\nnext: [^\n]+\n", called.err) is not None


@pytest.mark.parametrize("arguments", READING, ids=" ".join)
@pytest.mark.parametrize("as_json", [False, True])
def test_a_missing_data_directory_is_said_and_not_made(
    zaiko: Zaiko, tmp_path: Path, arguments: list[str], as_json: bool
) -> None:
    missing = tmp_path / "not" / "there"
    called = zaiko(*arguments, "--data-dir", missing, *(["--json"] if as_json else []))
    assert called.code == 2
    assert one_line_each(called)
    assert "nothing was ingested into" in called.err
    assert not missing.parent.exists()
    assert list(tmp_path.iterdir()) == []
    if as_json:
        assert called.json()["error"]["kind"] == "store_missing"
    else:
        assert called.out == ""


def test_a_batch_without_data_makes_nothing(zaiko: Zaiko, tmp_path: Path) -> None:
    questions = tmp_path / "in.jsonl"
    questions.write_text('{"id": "1", "question": "q"}\n', encoding="utf-8")
    called = zaiko("batch", questions, "--out", tmp_path / "out.jsonl")
    assert called.code == 2
    assert list(tmp_path.iterdir()) == [questions]


@pytest.mark.parametrize("arguments", READING, ids=" ".join)
def test_a_file_is_no_data_directory(zaiko: Zaiko, tmp_path: Path, arguments: list[str]) -> None:
    file = tmp_path / "file"
    file.write_text("mine", encoding="utf-8")
    called = zaiko(*arguments, "--data-dir", file)
    assert called.code == 2
    assert "is a file, not a directory" in called.err
    assert one_line_each(called)
    assert file.read_text(encoding="utf-8") == "mine"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["ask"], "Missing argument 'question'"),
        (["nope"], "No such command 'nope'"),
        (["ask", "q", "--nope"], "No such option: --nope"),
        (["ask", "q", "more"], "unexpected extra argument"),
        (["search", "q", "--top-k", "99"], "'--top-k'"),
        (["search", "q", "--top-k", "x"], "'--top-k'"),
        (["ask", "q", "--today", "30.11.2026"], "--today '30.11.2026' is not a date"),
        (["dates", "先月", "--today", "2026-02-30"], "--today '2026-02-30' is not a date"),
        (["calc", "-1"], "No such option: -1"),
        (["handoff", "resolve", "h-1"], "Missing option '--text'"),
        (["ingest", ""], "an empty text is no path"),
        (["ingest", ".", ""], "an empty text is no path"),
        (["tables", "--data-dir", ""], "an empty text is no path"),
        (["ask", "q", "--chart", "x.pdf"], "the name does not say what to draw"),
        (["ask", "q", "--chart", "no/x.png"], "there is no directory 'no'"),
    ],
    ids=lambda v: " ".join(v) if isinstance(v, list) else "",
)
def test_a_command_called_wrongly_is_exit_2(zaiko: Zaiko, arguments: list[str], said: str) -> None:
    called = zaiko(*arguments)
    assert (called.code, called.out) == (2, "")
    assert said in called.err
    assert one_line_each(called)
    in_json = zaiko(*arguments, "--json")
    assert (in_json.code, in_json.json()["error"]["kind"]) == (2, "usage")


@pytest.mark.parametrize("arguments", [[], ["handoff"]], ids=["zaiko", "handoff"])
def test_a_group_without_a_command_shows_its_help(zaiko: Zaiko, arguments: list[str]) -> None:
    called = zaiko(*arguments)
    assert (called.code, called.out) == (2, "")
    assert called.err.startswith("Usage: ")
    assert "Commands:" in called.err


def test_what_stands_behind_two_dashes_is_text(zaiko: Zaiko) -> None:
    assert zaiko("calc", "--", "-1 + 3").out == "2\n"
    called = zaiko("dates", "--", "--json")
    assert called.out == ""
    assert called.code == 1


def test_help_is_a_result(zaiko: Zaiko) -> None:
    for arguments in (["--help"], ["ask", "--help"], ["handoff", "--help"]):
        called = zaiko(*arguments)
        assert (called.code, called.err) == (0, "")
        assert "Usage: zaiko" in called.out


def test_only_debug_shows_a_traceback(zaiko: Zaiko, tmp_path: Path) -> None:
    plain = zaiko("tables", "--data-dir", tmp_path / "none")
    for arguments in (["--debug", "tables"], ["tables", "--debug"]):
        called = zaiko(*arguments, "--data-dir", tmp_path / "none")
        assert called.code == 2
        assert "Traceback (most recent call last)" in called.err
        assert called.err.endswith(plain.err)
    assert "Traceback" not in plain.err


def test_a_defect_is_called_one(zaiko: Zaiko, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_: object) -> None:
        raise ZeroDivisionError("one\ntwo")

    monkeypatch.setattr(data, "settings_of", broken)
    called = zaiko("tables", "--json")
    assert called.code == 1
    assert called.json()["error"]["kind"] == "internal"
    assert called.err == (
        "error: ZeroDivisionError: one\nnext: this is a defect of zaiko; run again with --debug\n"
    )


def test_an_interruption_is_one_line(zaiko: Zaiko, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(data, "settings_of", interrupted)
    called = zaiko("tables", "--json")
    assert (called.code, called.out) == (130, "")
    assert called.err == "interrupted; what was finished is kept\n"


def test_the_data_directory_is_the_option_the_variable_or_the_default(
    zaiko: Zaiko, published: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert str(tmp_path / "zaiko-data") in zaiko("tables").err
    monkeypatch.setenv("ZAIKO_DATA_DIR", "")
    assert str(tmp_path / "zaiko-data") in zaiko("tables").err
    monkeypatch.setenv("ZAIKO_DATA_DIR", str(tmp_path / "from-variable"))
    assert "from-variable" in zaiko("tables").err
    assert zaiko("tables", "--data-dir", published).code == 0


def test_the_tools_by_hand_need_no_data_directory(zaiko: Zaiko, tmp_path: Path) -> None:
    assert zaiko("calc", "2 * 3").out == "6\n"
    assert zaiko("dates", "2026-11").code == 0
    file, draft = tmp_path / "none.json", tmp_path / "draft.txt"
    file.write_text("[]", encoding="utf-8")
    draft.write_text("Nothing.", encoding="utf-8")
    assert zaiko("verify", "--text", draft, "--evidence", file).code == 0
    assert set(tmp_path.iterdir()) == {file, draft}


def test_a_text_file_that_cannot_be_read_is_exit_2(zaiko: Zaiko, tmp_path: Path) -> None:
    file = tmp_path / "none.json"
    file.write_text("[]", encoding="utf-8")
    called = zaiko("verify", "--text", tmp_path / "absent.txt", "--evidence", file)
    assert called.code == 2
    assert "absent.txt cannot be read" in called.err


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "cannot be read"),
        (b"{", "cannot be read"),
        (b"\xff\xfe", "cannot be read"),
        (b"5", "is not a list of evidence"),
        (b"[5]", "is not a list of evidence"),
        (b"{}", "is not a list of evidence"),
        (b'[{"kind": "rumour", "tool": "sql", "source": "x"}]', "(wrong: kind)"),
    ],
)
def test_evidence_that_cannot_be_read_is_exit_2(
    zaiko: Zaiko, tmp_path: Path, content: bytes | None, said: str
) -> None:
    file = tmp_path / "evidence.json"
    if content is not None:
        file.write_bytes(content)
    draft = tmp_path / "draft.txt"
    draft.write_text("19 units", encoding="utf-8")
    called = zaiko("verify", "--text", draft, "--evidence", file)
    assert called.code == 2
    assert said in called.err
    assert one_line_each(called)


def test_search_and_sql_say_when_there_is_nothing_of_the_kind(
    zaiko: Zaiko, company: Path, tmp_path: Path
) -> None:
    tables, documents = tmp_path / "t", tmp_path / "d"
    assert zaiko("ingest", company / "stock.csv", "--data-dir", tables).code == 0
    assert zaiko("ingest", company / "rules", "--data-dir", documents).code == 0
    found = zaiko("search", "goods", "--data-dir", tables)
    assert (found.code, found.out) == (0, "")
    assert found.err == "note: No document has been ingested.\n"
    refused = zaiko("sql", "SELECT 1", "--data-dir", documents)
    assert refused.code == 1
    assert "zaiko ingest" in refused.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["documents", "--kb", "nope"], "there is no knowledge base 'nope'; there are: default"),
        (["search", "x", "--kb", "nope"], "there is no knowledge base 'nope'; there are: default"),
        (["ask", "x", "--kb", "nope"], "there is no knowledge base 'nope'; there are: default"),
        (["handoff", "show", "h-12"], "There is no handoff 'h-12'"),
        (["handoff", "claim", ""], "There is no handoff ''"),
        (["handoff", "list", "--state", "lost"], "there is no state 'lost'"),
        (["trace", "abcdef"], "There is no trace abcdef"),
        (["trace", "xyz"], "'xyz' is not a trace id"),
    ],
    ids=lambda v: " ".join(v) if isinstance(v, list) else "",
)
def test_an_unknown_name_is_exit_2(
    zaiko: Zaiko, published: Path, arguments: list[str], said: str
) -> None:
    called = zaiko(*arguments, "--data-dir", published)
    assert called.code == 2
    assert said in called.err
    assert one_line_each(called)


def test_an_ambiguous_trace_is_exit_2(zaiko: Zaiko, data_dir: Path) -> None:
    (data_dir / "traces").mkdir()
    for last in "01":
        (data_dir / "traces" / f"{'a' * 31}{last}.jsonl").write_text("{}\n", encoding="utf-8")
    called = zaiko("trace", "aa", "--data-dir", data_dir)
    assert called.code == 2
    assert "2 traces begin with aa" in called.err
    unreadable = zaiko("trace", f"{'a' * 31}0", "--data-dir", data_dir)
    assert unreadable.code == 2
    assert "no readable span" in unreadable.err


@pytest.mark.parametrize(
    "given", [b"\xe5\x85\x88\xe6\x9c\x88", b"\xef\xbb\xbf\xe5\x85\x88\xe6\x9c\x88\n"]
)
def test_a_dash_reads_stdin(given: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(given), encoding="ascii"))
    assert options.text_of("-", "question").strip() == "先月"


def test_the_bytes_of_an_ascii_locale_are_read_as_utf8() -> None:
    assert options.text_of("先月".encode().decode("ascii", "surrogateescape"), "text") == "先月"


def test_a_json_document_is_whole_in_every_encoding(
    monkeypatch: pytest.MonkeyPatch, published: Path
) -> None:
    from agent.cli.boundary import run

    written = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(written, encoding="latin-1"))
    query = "SELECT warehouse || '𠮷' AS w FROM stock WHERE quantity = 7"
    assert run(["sql", query, "--data-dir", str(published), "--json"]) == 0
    assert json.loads(written.getvalue())["rows"] == [["東京𠮷"]]


def test_a_table_in_ascii_is_escaped(monkeypatch: pytest.MonkeyPatch, published: Path) -> None:
    from agent.cli.boundary import run

    written = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(written, encoding="ascii"))
    assert run(["documents", "--data-dir", str(published)]) == 0
    assert b"\\u914d\\u9001" in written.getvalue()


Break = Callable[[Path], object]


@pytest.mark.parametrize(
    ("break_it", "said", "way_out"),
    [
        (
            lambda d: (d / "CURRENT").write_text("9\n"),
            "names generation 9, which is not there",
            "zaiko rollback",
        ),
        (lambda d: (d / "CURRENT").write_text(""), "CURRENT is damaged", "zaiko rollback"),
        (lambda d: (d / "CURRENT").write_bytes(b"\xff"), "cannot be read", "zaiko rollback"),
        (
            lambda d: (d / "generations/1/manifest.json").write_text("{"),
            "manifest.json is damaged",
            "zaiko ingest PATH… again",
        ),
        (
            lambda d: (d / "generations/1/warehouse.duckdb").write_bytes(b"x" * 1000),
            "warehouse.duckdb is damaged: 1,000 bytes",
            "zaiko ingest PATH… again",
        ),
        (
            lambda d: (d / "generations/1/warehouse.duckdb").unlink(),
            "generation 1 lacks",
            "zaiko ingest PATH… again",
        ),
    ],
)
def test_a_damaged_store_is_exit_1_with_the_way_out(
    zaiko: Zaiko, data_dir: Path, break_it: Break, said: str, way_out: str
) -> None:
    break_it(data_dir)
    for arguments in (["tables"], ["sql", "SELECT 1"], ["ask", "q"], ["search", "q"]):
        called = zaiko(*arguments, "--data-dir", data_dir)
        assert called.code == 1
        assert said in called.err
        assert f"next: run: {way_out}" in called.err
        assert one_line_each(called)
    checks = zaiko("doctor", "--data-dir", data_dir, "--json").json()["checks"]
    (found,) = [c for c in checks if c["name"] == "data"]
    assert found["severity"] == "error"
    assert said in found["message"]


def test_a_damaged_live_pointer_does_not_hide_handoffs(zaiko: Zaiko, data_dir: Path) -> None:
    (data_dir / "CURRENT").write_text("", encoding="utf-8")
    assert zaiko("handoff", "list", "--data-dir", data_dir).code == 0


def test_a_damaged_database_of_threads_is_one_line(zaiko: Zaiko, data_dir: Path) -> None:
    (data_dir / "state.sqlite").write_bytes(b"no database" * 500)
    called = zaiko("ask", "hello", "--data-dir", data_dir)
    assert called.code == 1
    assert one_line_each(called)
    assert "zaiko doctor" in called.err
    assert (data_dir / "state.sqlite").read_bytes() == b"no database" * 500


def test_an_error_that_stands_in_its_own_context_is_reported(
    zaiko: Zaiko, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = UsageError("first", "mend it"), UsageError("second", "")
    first.__context__, second.__context__ = second, first

    def fail(_: object) -> None:
        raise first

    monkeypatch.setattr(data, "settings_of", fail)
    called = zaiko("tables")
    assert (called.code, called.err) == (2, "error: first\nnext: mend it\n")
