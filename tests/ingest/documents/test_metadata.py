from collections.abc import Callable
from datetime import date, datetime
from pathlib import Path

import pytest

from ingest.documents import Document, document_record, read_document, reading_problems
from ingest.documents.metadata import parse_date, parse_status
from ingest.store.errors import FileRejected
from ingest.store.records import DocumentRecord

Read = Callable[..., Document]


def record(document: Document) -> DocumentRecord:
    return document_record(
        document, doc_id="d1", kb="policies", source="a.md", sha256="0" * 64, chunks=3
    )


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("current", "current"),
        ("Active", "current"),
        ("有効", "current"),
        ("superseded", "superseded"),
        ("置き換え済み", "superseded"),
        ("proposed", "proposed"),
        ("提案", "proposed"),
        ("draft", "proposed"),
        ("rejected", "rejected"),
        ("deprecated", "deprecated"),
        ("非推奨", "deprecated"),
        ("partly superseded", "partly_superseded"),
        ("maybe", "unknown"),
        ("yes", "unknown"),
        (None, "undeclared"),
        ("", "undeclared"),
    ],
)
def test_a_status_word_is_understood_or_unknown(word: str | None, expected: str) -> None:
    assert parse_status({"status": word}) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("2026-04-01", date(2026, 4, 1)),
        ("2026/4/1", date(2026, 4, 1)),
        ("2026年4月1日", date(2026, 4, 1)),
        (date(2026, 4, 1), date(2026, 4, 1)),
        (datetime(2026, 4, 1, 9, 30), date(2026, 4, 1)),
        ("2026-02-30", None),
        ("April", None),
        ("2026-04-01-7", None),
        (20260401, None),
        (None, None),
    ],
)
def test_a_date_is_read_or_none(value: object, expected: date | None) -> None:
    assert parse_date(value) == expected


def test_a_record_holds_what_the_document_declares(read: Read) -> None:
    document = read(
        "---\nstatus: current\nsupersedes: [old-1.md, old-2.md]\ndate: 2026-04-01\n"
        "valid_from: 2026-04-01\nvalid_to: 2027-03-31\n---\n# 補充方針\n\nこれは本文です。"
    )
    made = record(document)
    assert made.declared == "current"
    assert made.supersedes == ("old-1.md", "old-2.md")
    assert (made.valid_from, made.valid_to) == (date(2026, 4, 1), date(2027, 3, 31))
    assert (made.title, made.language, made.chunks) == ("補充方針", "ja", 3)
    assert made.document_date == date(2026, 4, 1)


def test_a_document_that_names_its_successor_is_superseded(read: Read) -> None:
    made = record(read("---\nsuperseded_by: new.md\n---\nText."))
    assert (made.declared, made.superseded_by) == ("superseded", "new.md")


def test_bad_values_do_not_stop_a_document(read: Read) -> None:
    made = record(read("---\nstatus: 7\ndate: soon\nsupersedes: 3\n---\nText."))
    assert (made.declared, made.document_date, made.supersedes) == ("unknown", None, ("3",))


def test_a_status_in_broken_front_matter_is_unknown(read: Read) -> None:
    assert record(read("---\nstatus: current\ntitle: [\n---\nText.")).declared == "unknown"


def test_a_sidecar_describes_a_file_that_cannot_do_it_itself(tmp_path: Path) -> None:
    (tmp_path / "policy.txt").write_text("Return within 30 days.")
    (tmp_path / "policy.txt.yaml").write_text("title: Returns\nstatus: draft\n")
    document = read_document(tmp_path / "policy.txt")
    assert document.title == "Returns"
    assert record(document).declared == "proposed"


def test_a_sidecar_wins_over_front_matter(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("---\nstatus: draft\ntitle: T\n---\nText.")
    (tmp_path / "a.md.yaml").write_text("status: current\n")
    assert read_document(tmp_path / "a.md").metadata == {"status": "current", "title": "T"}


def test_a_broken_sidecar_rejects_its_file(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("Text.")
    (tmp_path / "a.md.yaml").write_text("- not\n- a mapping\n")
    with pytest.raises(FileRejected, match=r"a\.md\.yaml") as caught:
        read_document(tmp_path / "a.md")
    assert "sidecar" in caught.value.hint


def test_scalars_keep_the_digits_that_were_written(read: Read) -> None:
    made = record(read("---\nsupersedes: 0010\nvalid_to: 2026-02-30\nstatus: current\n---\nText."))
    assert (made.supersedes, made.valid_to, made.declared) == (("0010",), None, "current")


def test_aliases_that_multiply_are_refused(read: Read) -> None:
    bomb = "a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\n"
    assert "aliases" in str(read(f"---\n{bomb}---\nText.").metadata["front_matter_error"])


def test_front_matter_nested_beyond_reason_is_text(read: Read) -> None:
    document = read(f"---\ntitle: {'[' * 20_000}\n---\nText.")
    assert "front_matter_error" in document.metadata


@pytest.mark.parametrize(
    ("declared", "told"),
    [
        ("valid_from: 2025-02-30", "valid_from: 2025-02-30 is no date; write it as 2026-04-01"),
        ("date: yesterday", "date: yesterday is no date; write it as 2026-04-01"),
        (
            "valid_from: 2025-12-31\nvalid_to: 2025-01-01",
            "valid_to: 2025-01-01 is before valid_from: 2025-12-31, so it never applies",
        ),
        (
            "status: perhaps",
            "status: perhaps is none; one of current, superseded, partly_superseded, proposed, "
            "rejected, deprecated",
        ),
    ],
)
def test_a_declaration_that_cannot_be_understood_is_told(
    declared: str, told: str, read: Read
) -> None:
    assert reading_problems(read(f"---\n{declared}\n---\nText.")) == (f"taken in, but {told}",)


def test_front_matter_that_cannot_be_read_is_told(read: Read) -> None:
    (told,) = reading_problems(read("---\ntitle: [a\nstatus: current\n---\nText."))
    assert told.startswith("taken in, but its front matter is not read: ")


def test_whole_declarations_are_no_problem(read: Read) -> None:
    declared = "status: 現行\nvalid_from: 2025年4月1日\nvalid_to: 2025-04-01\ndate:\nauthor: M"
    assert reading_problems(read(f"---\n{declared}\n---\nText.")) == ()
