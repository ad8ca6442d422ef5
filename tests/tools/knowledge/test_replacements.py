from collections.abc import Callable, Mapping
from datetime import date
from typing import Any

import pytest

from tools.knowledge.arguments import KnowledgeArguments
from tools.knowledge.results import TOTAL_TOKENS, Passage, SearchResult
from tools.tokens import estimate_tokens

QUESTION = "返品の期限は何日ですか"
OLD = "返品の期限は到着後14日です。返品の送料はお客様の負担です。"
NEW = "返品の期限は到着後30日です。"
OTHER = "棚卸は毎月末に行い、差異は翌月5日までに報告する。"


@pytest.fixture
def replaced(store: Any, chunk: Callable[..., Any]) -> Any:
    """old.md, replaced by new.md of another knowledge base, whose passage does not answer."""
    store.chunks = [
        chunk(OLD, "old"),
        chunk(OTHER, "other"),
        chunk("送料は改定後の規程による。", "new", kb="archive"),
    ]
    store.declared = {"new": {"supersedes": ("old",), "title": "返品規程 第2版"}}
    return store


def search(tool: Any, context: Any, store: Any, top_k: int = 5, **options: Any) -> SearchResult:
    found = tool.run(
        KnowledgeArguments(query_text=QUESTION, top_k=top_k), context(store, **options)
    )
    assert isinstance(found, SearchResult)
    return found


def test_a_replaced_passage_has_its_note_and_the_replacement_beside_it(
    tool: Any, context: Any, replaced: Any
) -> None:
    passages = search(tool, context, replaced, top_k=1).passages
    assert [(p.rank, p.chunk.doc_id, p.status_note) for p in passages] == [
        (1, "old", "⚠️置き換え済み → 返品規程 第2版"),
        (2, "new", ""),
    ]
    assert passages[1].why.startswith("replaces policies/old.md; ")


def test_what_was_found_by_itself_moves_beside_what_it_replaces(
    tool: Any, context: Any, replaced: Any, chunk: Callable[..., Any]
) -> None:
    replaced.chunks = [chunk(OLD, "old"), chunk(OTHER, "other"), chunk(NEW, "new")]
    order = [p.chunk.doc_id for p in search(tool, context, replaced).passages]
    assert order.count("new") == 1
    assert abs(order.index("new") - order.index("old")) == 1


def test_a_replacement_out_of_scope_is_neither_searched_nor_named(
    tool: Any, context: Any, replaced: Any
) -> None:
    inside = replaced.chunks[:2]
    replaced.chunks = inside
    replaced.declared = {"old": {"superseded_by": "new", "declared": "superseded"}}
    passages = search(tool, context, replaced, kbs=("policies",), top_k=1).passages
    assert [(p.chunk.doc_id, p.status_note) for p in passages] == [("old", "⚠️置き換え済み → 外部")]


def test_a_failing_search_for_the_replacement_leaves_the_passage(
    tool: Any, context: Any, replaced: Any
) -> None:
    replaced.broken = frozenset({"archive"})
    found = search(tool, context, replaced, top_k=1)
    assert [p.chunk.doc_id for p in found.passages] == ["old"]
    assert found.failed_kbs == ("archive",)


def test_a_document_that_is_valid_only_later_replaces_nothing_yet_and_says_so(
    tool: Any, context: Any, replaced: Any, chunk: Callable[..., Any]
) -> None:
    replaced.chunks = [chunk(OLD, "old"), chunk(NEW, "new")]
    later = {"supersedes": ("old",), "valid_from": date(2027, 4, 1)}
    replaced.declared = {"new": later}
    found = search(tool, context, replaced)
    notes = {p.chunk.doc_id: (p.status_note, p.validity) for p in found.passages}
    assert notes == {"old": ("", ""), "new": ("", "valid 2027-04-01..")}
    assert "| valid 2027-04-01.." in found.for_model([f"E{p.rank}" for p in found.passages])


def passages_with(notes: Mapping[int, str], chunk: Callable[..., Any]) -> list[Passage]:
    sentence = "安全在庫は平均需要の標準偏差とリードタイムから計算し、毎月初めに見直すものとする。"
    return [
        Passage(
            n,
            0.9,
            chunk(f"第{n}条。" + sentence * 10, f"a-folder-with-a-long-name/document-{n}", page=n),
            "r",
            "2025-04-01",
            notes.get(n, ""),
        )
        for n in range(1, 11)
    ]


@pytest.mark.parametrize("length", [0, 20, 60, 120])
def test_no_text_is_shown_without_its_note_and_the_whole_has_a_hard_size(
    chunk: Callable[..., Any], length: int
) -> None:
    notes = {n: f"⚠️置き換え済み → {'規' * length}{n}" for n in range(1, 11)}
    ids = [f"E{n}" for n in range(1, 11)]
    text = SearchResult("安全在庫の計算", tuple(passages_with(notes, chunk))).for_model(ids)
    assert estimate_tokens(text) <= TOTAL_TOKENS
    for line in text.splitlines():
        if line.startswith("[E"):
            number = int(line[2 : line.index("]")])
            assert line.endswith(f" | {notes[number]}")
    assert all(i in text for i in ids)


def test_an_entry_whose_note_does_not_fit_is_left_out_whole(chunk: Callable[..., Any]) -> None:
    long = "⚠️置き換え済み → " + "規" * 300
    passages = tuple(passages_with({1: long}, chunk)[:2])
    text = SearchResult("安全在庫の計算", passages).for_model(["E1", "E2"])
    assert "[E1]" not in text and "規規" not in text
    _, head, passage, rest = text.splitlines()
    assert head.startswith("[E2] ") and passage.startswith("> ")
    assert rest == "(E1: not shown)"


def test_the_replacement_gets_the_room_that_the_replaced_one_gives_up(
    chunk: Callable[..., Any],
) -> None:
    long = "返品の期限は到着後三十日とし、送料は当社が負担し、返金は七営業日以内に行う。" * 6
    old = Passage(1, 0.9, chunk(long, "old"), "r", status_note="⚠️置き換え済み → 新", replaced=True)
    new = Passage(2, 0.2, chunk(long + "以上。", "new"), "r", replaces="old.md")
    lines = SearchResult(QUESTION, (old, new)).for_model(["E1", "E2"]).splitlines()
    shown = [estimate_tokens(line) for line in lines if line.startswith("> ")]
    assert lines[1].startswith("[E2]"), "what replaced it comes first"
    assert len(shown) == 2 and shown[0] > shown[1]
