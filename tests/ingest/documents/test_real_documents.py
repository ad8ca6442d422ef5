"""What becomes of public test documents, against what a person sees on their pages.

The documents are not part of the project: `pytest --documents DIR` names the folder that holds
them. What each kind needs is tested on files made here in the other modules of this folder.
"""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from ingest.documents import Document, read_document
from ingest.documents.ocr import Ocr, installed_ocr
from ingest.scan import kind_of
from ingest.store.errors import FileRejected

EXPECTED: dict[str, dict[str, Any]] = yaml.safe_load(
    Path(__file__).with_name("real_documents.yaml").read_text(encoding="utf-8")
)


@pytest.fixture(scope="module")
def engine() -> Ocr | None:
    return installed_ocr()


@pytest.fixture
def folder(pytestconfig: pytest.Config) -> Path:
    given = pytestconfig.getoption("--documents")
    if given is None:
        pytest.skip("needs public test documents: pytest --documents DIR")
    return Path(given)


def squeezed(text: str) -> str:
    return "".join(text.split())


def cells(document: Document) -> set[str]:
    lines = [line for b in document.blocks if b.kind == "table" for line in b.text.split("\n")]
    return {cell.strip() for line in lines for cell in re.split(r"(?<!\\)\|", line)}


def names(path: Path) -> list[str]:
    """The expectations that are about this file."""
    return [name for name in EXPECTED if path.as_posix().endswith(f"/{name}")]


def test_every_document_of_the_folder_has_one_expectation(folder: Path) -> None:
    files = [path for path in folder.rglob("*") if path.is_file() and kind_of(path) is not None]
    assert files
    assert {str(path): names(path) for path in files if len(names(path)) != 1} == {}


@pytest.mark.parametrize("name", [n for n, e in EXPECTED.items() if "table" not in e])
def test_a_document_becomes_what_a_person_reads(
    name: str, folder: Path, engine: Ocr | None
) -> None:
    expected = EXPECTED[name]
    path = next((p for p in folder.rglob(Path(name).name) if name in names(p)), None)
    if path is None:
        pytest.skip(f"the folder lacks {name}")
    refused = expected.get("refused") or ("needs OCR" if "ocr" in expected and not engine else "")
    if refused:
        with pytest.raises(FileRejected) as caught:
            read_document(path, ocr=lambda: engine)
        assert refused.lower() in f"{caught.value.message} {caught.value.hint}".lower()
        return
    check(read_document(path, ocr=lambda: engine), expected)


def check(document: Document, expected: dict[str, Any]) -> None:
    text = squeezed(f"{document.title}\n{document.text}")
    phrases = [*expected.get("read", ()), *expected.get("ocr", ())]
    assert phrases
    assert [phrase for phrase in phrases if squeezed(phrase) not in text] == []
    places = [text.find(squeezed(phrase)) for phrase in expected.get("order", ())]
    assert places == sorted(places) and -1 not in places
    assert set(expected.get("cells", ())) - cells(document) == set()


def test_table_files_have_the_rows_that_an_editor_shows(folder: Path, tmp_path: Path) -> None:
    import duckdb

    from ingest.store.settings import IngestSettings
    from ingest.tables import import_tables

    for name, expected in EXPECTED.items():
        if "table" in expected:
            path = next(folder.rglob(name))
            with duckdb.connect() as connection:
                made = import_tables(connection, path, name, IngestSettings())
            assert [table.rows for table in made.tables] == [expected["table"]], name
