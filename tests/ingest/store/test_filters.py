from datetime import date
from typing import Any

import pytest

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
    assert chosen.select(RECORDS, StatusIndex(RECORDS).statuses()) == expected
