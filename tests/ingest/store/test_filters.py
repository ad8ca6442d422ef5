from datetime import date
from typing import Any

import pytest
from pydantic import ValidationError

from ingest.store import DocumentFilter, DocumentRecord, StatusIndex


def record(name: str, **fields: Any) -> DocumentRecord:
    given = {"doc_id": name, "kb": "k", "source": f"policies/{name}.md", "title": name}
    return DocumentRecord.model_validate(given | {"sha256": "0" * 64} | fields)


RECORDS = [
    record(
        "old",
        language="ja",
        declared="superseded",
        superseded_by="new.md",
        valid_from=date(2024, 4, 1),
        valid_to=date(2026, 3, 31),
    ),
    record("new", language="ja", declared="current", valid_from=date(2026, 4, 1)),
    record("plain", language="en"),
]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({}, {"old", "new", "plain"}),
        ({"statuses": ["current"]}, {"new"}),
        ({"statuses": ["superseded", "undeclared"]}, {"old", "plain"}),
        ({"languages": ["ja"]}, {"old", "new"}),
        ({"valid_on": date(2025, 3, 1)}, {"old", "plain"}),
        ({"valid_on": date(2026, 3, 31)}, {"old", "plain"}),
        ({"valid_on": date(2026, 4, 1)}, {"new", "plain"}),
        ({"sources": ["*/new.md", "*plain*"]}, {"new", "plain"}),
        ({"languages": ["ja"], "statuses": ["undeclared"]}, set()),
    ],
)
def test_every_condition_must_hold(given: Any, expected: set[str]) -> None:
    chosen = DocumentFilter.model_validate(given)
    assert chosen.select(RECORDS, StatusIndex(RECORDS)) == expected


def test_what_was_replaced_without_an_end_applied_until_its_replacement_began() -> None:
    records = [
        record("v1", valid_from=date(2024, 1, 1)),
        record("v2", valid_from=date(2025, 1, 1), supersedes=("v1.md",)),
        record("idea", declared="proposed"),
    ]
    index = StatusIndex(records)
    for day, expected in ((date(2024, 12, 31), {"v1"}), (date(2025, 1, 1), {"v2"})):
        assert DocumentFilter(valid_on=day).select(records, index) == expected


def test_brackets_in_a_path_mean_themselves() -> None:
    records = [record("price [2025]"), record("price 2")]
    chosen = DocumentFilter(sources=("*price [2025].md",))
    assert chosen.select(records, StatusIndex(records)) == {"price [2025]"}


def test_a_language_that_no_document_can_have_is_refused() -> None:
    with pytest.raises(ValidationError):
        DocumentFilter.model_validate({"languages": ["japanese"]})
