from collections.abc import Callable
from pathlib import Path

import pytest

from ingest.report import IngestReport
from ingest.store import IngestSettings, Store


@pytest.mark.slow
def test_with_the_real_embedder_a_question_finds_its_passage_by_meaning(
    ingest: Callable[..., IngestReport], company: Path, data_dir: Path
) -> None:
    (company / "rules" / "parking.md").write_text("# Car park\n\nVisitors leave cars at gate 3.\n")
    (company / "rules" / "holidays.md").write_text("# 休日\n\n年末年始は12月30日から休業です。\n")
    settings = IngestSettings()
    assert settings.embedder == "e5"
    assert ingest(company, settings=settings, embedder=None).documents.added == 4
    with Store.open(data_dir, settings) as store:
        for question, source in {
            "How long does the vendor need to ship?": "company/rules/okada.md",
            "届いた品を送り返せるのはいつまで?": "company/rules/returns.md",
        }.items():
            hits = store.search("default", question)
            nearest = max(hits, key=lambda hit: hit.cosine or 0.0)
            assert nearest.chunk.source == source
