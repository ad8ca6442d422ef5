"""When a sub-task is done: by its own kind of evidence, and by the catalog only where it asks
what data there are."""

import pytest

from agent.models.base import Message
from agent.models.scripted import call
from agent.nodes.advance import is_about_data
from tests.support.desk import SAID, SIMPLE, Desk, said, search, sql


def tables() -> Message:
    return call("catalog", **SAID, action="tables")


@pytest.mark.parametrize(
    "question",
    [
        "What tables are there?",
        "which documents do you have",
        "How many documents are there?",
        "Which columns does the sales table have?",
        "Do you have any sales data?",
        "どんな表がありますか",
        "テーブルの一覧を見せて",
        "文書は何件ありますか",
        "有哪些表？",
        "sales表有哪些字段？",
        "有多少份文档？",
    ],
)
def test_questions_about_the_data_themselves_are_known(question: str) -> None:
    assert is_about_data(question)


@pytest.mark.parametrize(
    "question",
    [
        SIMPLE,
        "Which table lamps are on hand?",
        "According to the data, what were the sales in May?",
        "Which documents mention returns?",
        "在庫を表で示してください",
        "売上データから上位5件を教えて",
        "XR-4200の在庫はありますか",
        "用表格列出所有产品",
        "根据数据，五月销售额是多少",
    ],
)
def test_questions_that_the_data_answer_are_not_about_them(question: str) -> None:
    assert not is_about_data(question)


def test_the_catalog_answers_what_data_there_are(desk: Desk) -> None:
    answer = desk.ask("What tables are there?", tables(), said("There are 3 tables.", "E1"))
    assert [(t.evidence_kind, t.state) for t in answer.sub_tasks] == [("any", "done")]
    assert answer.status == "answered"


@pytest.mark.parametrize(
    ("question", "kind"), [("Where is XR-4200 kept?", "any"), (SIMPLE, "rows")]
)
def test_after_a_look_into_the_catalog_the_work_goes_on(
    desk: Desk, question: str, kind: str
) -> None:
    answer = desk.ask(question, tables(), sql(), said("There are 19 units.", "E2"))
    assert [(t.evidence_kind, t.state) for t in answer.sub_tasks] == [(kind, "done")]
    assert [s.tool for s in answer.steps] == ["catalog", "sql"]


def test_a_task_of_any_kind_is_done_by_a_passage_but_not_by_a_date(desk: Desk) -> None:
    dates = call("dates", **SAID, expression="last month")
    text = "Customers may return goods within 30 days of delivery."
    answer = desk.ask("What of goods that come back?", dates, search(), said(text, "E2"))
    assert [(t.evidence_kind, t.state) for t in answer.sub_tasks] == [("any", "done")]
    assert [s.tool for s in answer.steps] == ["dates", "knowledge_search"]
