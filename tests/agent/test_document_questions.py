from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import cast

import pytest

from agent.document_questions import asks_about_documents, document_call
from ingest.store import Catalog, DocumentRecord, Store

TODAY = date(2026, 11, 30)


@dataclass(frozen=True)
class Titles:
    """A store of which only the titles matter."""

    titles: Sequence[str] = ()
    catalog: Catalog = field(default_factory=Catalog)

    def documents(self) -> list[DocumentRecord]:
        return [
            DocumentRecord(doc_id=t, kb="rules", source=f"{t}.md", title=t, sha256="")
            for t in self.titles
        ]


STORE = cast(
    Store, Titles(("Return policy 2024", "Return policy v2", "返品規程（第3版）", "退货政策"))
)


@pytest.mark.parametrize(
    "question",
    [
        "Which documents are superseded?",
        "Which policies are current?",
        "How many documents are there?",
        "What replaced the old return policy?",
        "List the deprecated documents",
        "どの文書が置き換えられましたか",
        "現行の規程はどれですか",
        "廃止された文書の一覧を見せて",
        "文書は何件ありますか",
        "哪些文件已被取代？",
        "现行的制度有哪些？",
        "一共有多少份文件？",
    ],
)
def test_a_question_about_the_documents_themselves(question: str) -> None:
    assert asks_about_documents(question)


@pytest.mark.parametrize(
    "question",
    [
        "What is the current return policy?",
        "What is the replacement policy for broken items?",
        "How many documents mention returns?",
        "How many purchase orders are current?",
        "Which policy applies to returns?",
        "List all orders replaced last month",
        "現行の返品規程は何日ですか",
        "どの規程が返品に適用されますか",
        "交換された商品の一覧",
        "契約書は何件ありますか",
        "哪个政策适用于退货？",
        "哪些产品当前缺货？",
        "最新の売上は？",
    ],
)
def test_a_question_about_what_they_say_or_about_tables_is_none(question: str) -> None:
    assert not asks_about_documents(question)
    assert document_call(question, STORE, TODAY) is None


@pytest.mark.parametrize(
    ("question", "arguments"),
    [
        ("Which documents are superseded?", {"action": "documents", "status": "superseded"}),
        ("How many documents are there?", {"action": "count_documents"}),
        ("廃止された文書の一覧", {"action": "documents", "status": "deprecated"}),
        ("哪些文件还是草案？", {"action": "documents", "status": "proposed"}),
        (
            "What replaced the old return policy?",
            {"action": "documents", "name": "return policy"},
        ),
        (
            "Which version of the return policy was valid on 2025-03-01?",
            {"action": "documents", "on": "2025-03-01", "name": "return policy"},
        ),
        (
            "2025年3月1日に適用されていた返品規程はどの版ですか",
            {"action": "documents", "on": "2025-03-01", "name": "返品規程"},
        ),
        (
            "2025年3月1日适用的是哪一版退货政策？",
            {"action": "documents", "on": "2025-03-01", "name": "退货政策"},
        ),
    ],
)
def test_the_call_that_answers_it(question: str, arguments: dict[str, str]) -> None:
    assert document_call(question, STORE, TODAY) == arguments


def test_a_period_is_no_day() -> None:
    assert document_call("Which policies were in effect in 2025?", STORE, TODAY) is None
