from typing import Any

import pytest
from pydantic import ValidationError

from reranker import RerankerSettings, make_reranker
from tools.errors import ToolRefused, ToolRetry, ToolUnavailable
from tools.knowledge.arguments import KnowledgeArguments
from tools.knowledge.results import SearchResult
from tools.knowledge.search import KnowledgeSearch

RETURN_QUESTION = "返品の期限は何日ですか"


def search(tool: KnowledgeSearch, context: Any, query: str, **arguments: Any) -> SearchResult:
    result = tool.run(KnowledgeArguments(query_text=query, **arguments), context)
    assert isinstance(result, SearchResult)
    return result


def test_the_passage_that_answers_is_first(tool: Any, context: Any, store: Any) -> None:
    result = search(tool, context(store), RETURN_QUESTION)
    assert result.passages[0].chunk.chunk_id == "returns#0"
    assert result.note == ""


def test_all_knowledge_bases_in_scope_are_searched_and_merged(
    tool: Any, context: Any, store: Any, chunk: Any
) -> None:
    store.chunks.append(
        chunk("XR-4200 lead time from the Osaka depot: 3 days", "osaka", language="en")
    )
    result = search(tool, context(store), "lead time of XR-4200", top_k=2)
    assert {p.chunk.kb for p in result.passages} == {"suppliers", "policies"}
    assert [p.rank for p in result.passages] == [1, 2]


def test_one_named_knowledge_base_restricts_the_search(tool: Any, context: Any, store: Any) -> None:
    result = search(tool, context(store), "lead time of XR-4200", kb_id="policies")
    assert result.passages == ()


def test_a_knowledge_base_outside_the_scope_is_refused(tool: Any, context: Any, store: Any) -> None:
    with pytest.raises(ToolRefused) as caught:
        search(tool, context(store, kbs=("policies",)), "lead time", kb_ids=["suppliers"])
    assert caught.value.kind == "kb_out_of_scope"
    assert "policies" in caught.value.hint


def test_without_a_name_the_scope_bounds_the_search(tool: Any, context: Any, store: Any) -> None:
    scoped = context(store, kbs=("policies",))
    assert search(tool, scoped, "lead time of XR-4200").passages == ()


def test_an_unknown_knowledge_base_names_the_known_ones(
    tool: Any, context: Any, store: Any
) -> None:
    with pytest.raises(ToolRetry) as caught:
        search(tool, context(store), "lead time", kb_id="supplier")
    assert caught.value.hint == "There are: policies, suppliers."


def test_a_failing_knowledge_base_does_not_stop_the_others(
    tool: Any, context: Any, store: Any
) -> None:
    store.broken = frozenset({"suppliers"})
    result = search(tool, context(store), RETURN_QUESTION)
    assert [p.chunk.kb for p in result.passages] == ["policies"]
    assert result.failed_kbs == ("suppliers",)
    assert "the index of suppliers is damaged" in result.note


def test_when_every_knowledge_base_fails_the_tool_is_unavailable(
    tool: Any, context: Any, store: Any
) -> None:
    store.broken = frozenset({"policies", "suppliers"})
    with pytest.raises(ToolUnavailable) as caught:
        search(tool, context(store), RETURN_QUESTION)
    assert caught.value.kind == "knowledge_unavailable"


def test_under_the_threshold_the_result_is_empty_and_says_the_best_score(
    tool: Any, context: Any, store: Any
) -> None:
    result = search(tool, context(store), "駐車場の利用料金はいくらですか")
    assert result.passages == ()
    assert "best score is 0." in result.note and "threshold 0.50" in result.note


def test_a_threshold_of_the_knowledge_base_replaces_the_fitted_one(
    context: Any, store: Any
) -> None:
    reranker = make_reranker(RerankerSettings())
    open_tool = KnowledgeSearch(reranker, {"policies": 0.0})
    strict = KnowledgeSearch(reranker, {"policies": 1.0})
    assert search(open_tool, context(store), "駐車場の料金", kb_id="policies").passages
    assert not search(strict, context(store), RETURN_QUESTION, kb_id="policies").passages


@pytest.mark.parametrize("query", ["", "   ", "？？！", "。。。"])
def test_a_query_without_a_word_finds_nothing_and_says_why(
    query: str, tool: Any, context: Any, store: Any
) -> None:
    result = search(tool, context(store), query)
    assert result.passages == ()
    assert "no word to search for" in result.note


def test_a_query_of_50000_characters_is_sent_back(tool: Any, context: Any, store: Any) -> None:
    with pytest.raises(ToolRetry, match="50000 characters"):
        search(tool, context(store), "在" * 50_000)


def test_a_store_without_documents_says_so(tool: Any, context: Any, store: Any) -> None:
    store.chunks = []
    assert search(tool, context(store), RETURN_QUESTION).note == "No document has been ingested."


def test_the_same_text_twice_is_one_passage(
    tool: Any, context: Any, store: Any, chunk: Any
) -> None:
    copy = store.chunks[0].text.replace("。", "。\n", 1)
    store.chunks.append(chunk(copy, "copy", heading=("返品規程", "期限")))
    passages = search(tool, context(store), RETURN_QUESTION, kb_id="policies").passages
    assert [p.chunk.doc_id for p in passages] == ["returns"]


def test_the_note_of_a_replaced_document_is_in_the_questions_language(
    tool: Any, context: Any, store: Any
) -> None:
    store.notes = {"returns": "⚠️置き換え済み → returns-2026"}
    passage = search(tool, context(store), RETURN_QUESTION).passages[0]
    assert passage.status_note == "⚠️置き換え済み → returns-2026 (ja)"


def test_top_k_bounds_the_passages(context: Any, store: Any, chunk: Any) -> None:
    tool = KnowledgeSearch(make_reranker(RerankerSettings(kind="none")))
    for n in range(8):
        store.chunks.append(chunk(f"返品の期限は到着後{n}0日です。", f"d{n}"))
    assert len(search(tool, context(store), RETURN_QUESTION).passages) == 5
    assert len(search(tool, context(store), RETURN_QUESTION, top_k=2).passages) == 2


@pytest.mark.parametrize("top_k", [0, 11])
def test_top_k_outside_1_to_10_is_refused(top_k: int) -> None:
    with pytest.raises(ValidationError):
        KnowledgeArguments(query_text="x", top_k=top_k)


def test_the_list_shows_what_is_in_scope(tool: Any, context: Any, store: Any) -> None:
    result = tool.run(KnowledgeArguments(action="list"), context(store, kbs=("policies",)))
    assert "policies: about policies" in result.for_model(())
    assert [k["name"] for k in result.to_json()["knowledge_bases"]] == ["policies"]
    assert list(result.evidence()) == []
