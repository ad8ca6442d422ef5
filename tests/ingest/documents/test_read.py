from collections.abc import Callable
from pathlib import Path

import pytest

from ingest.documents import DOCUMENT_SUFFIXES, Document, read_document
from ingest.documents.readers import reader_for
from ingest.store.errors import FileRejected

Read = Callable[..., Document]


@pytest.mark.parametrize("suffix", sorted(DOCUMENT_SUFFIXES))
def test_an_empty_file_of_any_format_is_rejected(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"empty{suffix}"
    path.touch()
    with pytest.raises(FileRejected, match="the file is empty"):
        read_document(path)


@pytest.mark.parametrize("suffix", [".pdf", ".docx", ".pptx"])
def test_bytes_that_are_not_the_format_are_rejected(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"wrong{suffix}"
    path.write_bytes(b"this is no such file " * 50)
    with pytest.raises(FileRejected) as caught:
        read_document(path)
    assert caught.value.hint


@pytest.mark.parametrize("suffix", [".md", ".txt", ".html"])
def test_a_file_of_blanks_is_rejected(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"blank{suffix}"
    path.write_text(" \n\n --- \n")
    with pytest.raises(FileRejected, match="holds no text"):
        read_document(path)


def test_a_missing_file_is_rejected(tmp_path: Path) -> None:
    with pytest.raises(FileRejected, match="No such file"):
        read_document(tmp_path / "none.md")


def test_a_format_without_a_reader_names_those_that_have_one(tmp_path: Path) -> None:
    with pytest.raises(FileRejected, match=r"no reader for \.odt") as caught:
        reader_for(tmp_path / "a.odt")
    assert ".docx" in caught.value.hint


def test_suffixes_are_compared_without_case(tmp_path: Path) -> None:
    path = tmp_path / "A.TXT"
    path.write_text("Text.")
    assert read_document(path).text == "Text."


def test_the_title_is_metadata_then_heading_then_file_name(read: Read) -> None:
    assert read("---\ntitle: Declared\n---\n# Heading\n\nText.").title == "Declared"
    assert read("# Heading\n\nText.").title == "Heading"
    assert read("Text.", "returns-2026.md").title == "returns-2026"


def test_invisible_characters_are_removed_and_radicals_restored(read: Read) -> None:
    assert read("a\x00b\u200bc\u00ad d\u00a0e ⼯場 ﬁne").text == "abc d e 工場 fine"
