"""Of two versions of a document, the one that the question names comes first."""

from datetime import date
from typing import Any

import pytest

from ingest.store import DocumentRecord
from reranker import RerankerSettings, make_reranker
from tools.knowledge.arguments import KnowledgeArguments
from tools.knowledge.named import named_documents
from tools.knowledge.search import KnowledgeSearch

TITLES = (
    "返品規定（2024年版）",
    "返品規定（2026年版）",
    "発注方針 改定案（2027年度）",
    "Price list 2025",
)


def record(title: str) -> DocumentRecord:
    return DocumentRecord(doc_id=title, kb="k", source=f"{title}.md", title=title, sha256="0" * 64)


@pytest.mark.parametrize(
    ("question", "titles"),
    [
        ("2024年版の返品規定では何日でしたか", {TITLES[0]}),
        ("２０２７年度の改定案では何日ですか", {TITLES[2]}),
        ("What was the price of XR-1 in the 2025 price list?", {TITLES[3]}),
        ("返品規定では何日ですか", set()),
        ("2024年の売上はいくらですか", set()),
        ("2023年版の返品規定では何日でしたか", set()),
    ],
)
def test_a_document_is_named_by_a_number_and_a_word_of_its_title(
    question: str, titles: set[str]
) -> None:
    assert named_documents(question, map(record, TITLES)) == titles


def test_a_number_that_many_titles_have_names_none_of_them() -> None:
    records = [record(f"Price list {n} of 2025") for n in range(1001, 1006)]
    assert named_documents("the price list of 2025", records) == frozenset()


def test_what_is_named_stands_first_though_it_was_replaced(
    context: Any, store: Any, chunk: Any
) -> None:
    old = chunk("返品の期限は到着後14日です。", "返品規定_2024", language="ja")
    new = chunk("返品の期限は到着後30日です。返品の期限。", "返品規定_2026", language="ja")
    store.chunks = [new, old]
    store.declared = {
        "返品規定_2024": {"title": TITLES[0], "valid_from": date(2024, 4, 1)},
        "返品規定_2026": {"title": TITLES[1], "supersedes": ("返品規定_2024.md",)},
    }
    tool = KnowledgeSearch(make_reranker(RerankerSettings()))
    for question, first in (("返品の期限は？", new), ("2024年版の返品規定での返品の期限は？", old)):
        result: Any = tool.run(KnowledgeArguments(query_text=question), context(store))
        assert result.passages[0].chunk.doc_id == first.doc_id
        shown = result.for_model(["E1", "E2"])
        assert shown.index(f"> {first.text[:12]}") == shown.index("> ")
