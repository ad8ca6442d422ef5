import random
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest

from ingest.documents import Document, chunk_document, context_prefix
from ingest.store.records import Chunk

Read = Callable[..., Document]
Run = Callable[..., list[Chunk]]
Uncovered = Callable[[Document, list[Chunk]], str]
Largest = Callable[[Document, list[Chunk], int], int]

POLICY = """# 補充方針

総則を定める。

## 発注点

発注点は30日分の在庫とする。毎週月曜日に見直す。

## 例外

季節品は別に定める。
"""

TABLE = "# Stock\n\n| SKU | Warehouse | Qty |\n|---|---|---|\n" + "".join(
    f"| XR-{4200 + i} | Tokyo | {i * 7} |\n" for i in range(60)
)


def test_each_heading_begins_a_passage_that_knows_its_path(read: Read, chunk: Run) -> None:
    chunks = chunk(read(POLICY))
    assert [c.heading for c in chunks] == [
        ("補充方針",),
        ("補充方針", "発注点"),
        ("補充方針", "例外"),
    ]
    assert "発注点は30日分の在庫とする。" in chunks[1].text


def test_the_text_of_a_passage_is_its_span(read: Read, chunk: Run) -> None:
    document = read(POLICY)
    assert all(document.text[c.start : c.end] == c.text for c in chunk(document))


def test_small_paragraphs_under_one_heading_share_a_passage(read: Read, chunk: Run) -> None:
    document = read("# Rules\n\n" + "\n\n".join(f"Rule {i} holds." for i in range(5)))
    assert len(chunk(document)) == 1


def test_headings_without_text_of_their_own_go_with_the_next(read: Read, chunk: Run) -> None:
    chunks = chunk(read("# A\n\n## B\n\n### C\n\nText here.\n\n# End"))
    assert chunks[0].heading == ("A", "B", "C")
    assert chunks[0].text.startswith("A\n\nB\n\nC")
    assert chunks[1].text == "End"


def test_a_long_text_is_cut_between_sentences(read: Read, chunk: Run) -> None:
    document = read("# 方針\n\n" + "在庫は毎日数えて記録する。" * 80)
    chunks = chunk(document)
    assert len(chunks) > 3
    assert all(c.text.endswith("。") for c in chunks)


def test_the_overlap_repeats_whole_sentences_within_its_share(
    read: Read, chunk: Run, count: Callable[[str], int]
) -> None:
    document = read("# 方針\n\n" + "".join(f"規則{i:03}を守ること。" for i in range(80)))
    chunks = chunk(document, chunk_tokens=100, overlap=0.2)
    for before, after in pairwise(chunks):
        repeated = document.text[after.start : before.end]
        assert repeated.startswith("規則")
        assert repeated.endswith("。")
        assert count(repeated) <= 20


def test_without_overlap_no_character_is_in_two_passages(read: Read, chunk: Run) -> None:
    chunks = chunk(read("# 方針\n\n" + "規則を守ること。" * 80), overlap=0.0)
    assert all(a.end <= b.start for a, b in pairwise(chunks))


def test_each_passage_of_a_table_begins_with_its_header(read: Read, chunk: Run) -> None:
    chunks = chunk(read(TABLE))
    assert len(chunks) > 3
    for passage in chunks[1:]:
        assert passage.text.startswith("| SKU | Warehouse | Qty |\n|---|---|---|\n| XR-")
        assert passage.text.endswith("|")


def test_the_unit_named_above_a_table_goes_with_each_of_its_passages(
    read: Read, chunk: Run
) -> None:
    rows = "".join(f"| 商品{i} | {i},000 |\n" for i in range(60))
    chunks = chunk(read(f"# 在庫\n\n単位：千円\n\n| 商品 | 金額 |\n|---|---|\n{rows}"))
    assert len(chunks) > 2
    assert all("単位：千円\n" in c.text for c in chunks)


def test_a_sentence_above_a_table_is_not_repeated(read: Read, chunk: Run) -> None:
    rows = "".join(f"| 商品{i} | {i},000 |\n" for i in range(60))
    chunks = chunk(read(f"# 在庫\n\n次の表に示す。\n\n| 商品 | 金額 |\n|---|---|\n{rows}"))
    assert sum("次の表" in c.text for c in chunks) == 1


def test_every_row_of_a_table_stands_in_exactly_one_passage(read: Read, chunk: Run) -> None:
    joined = "\n".join(c.text for c in chunk(read(TABLE), overlap=0.2))
    assert [joined.count(f"| XR-{4200 + i} |") for i in range(60)] == [1] * 60


def test_a_table_that_fits_a_passage_is_not_cut(read: Read, chunk: Run) -> None:
    rows = "".join(f"| item {i} | {i} |\n" for i in range(8))
    document = read("# T\n\n" + "Some words first. " * 8 + f"\n\n| name | n |\n|---|---|\n{rows}")
    holding = [c for c in chunk(document) if "| item" in c.text]
    assert len(holding) == 1


def test_the_ids_of_unchanged_passages_survive_an_edit_elsewhere(read: Read, chunk: Run) -> None:
    before = {c.chunk_id for c in chunk(read(POLICY))}
    after = {c.chunk_id for c in chunk(read(POLICY.replace("総則を定める", "総則を改める")))}
    assert len(before & after) == 2
    assert len(after - before) == 1


def test_equal_passages_of_a_document_have_different_ids(read: Read, chunk: Run) -> None:
    chunks = chunk(read("# A\n\nSame.\n\n# A\n\nSame."))
    assert len({c.chunk_id for c in chunks}) == 2


def test_equal_passages_of_two_documents_have_different_ids(read: Read, chunk: Run) -> None:
    document = read(POLICY)
    first, second = chunk(document, doc_id="d1"), chunk(document, doc_id="d2")
    assert not {c.chunk_id for c in first} & {c.chunk_id for c in second}


def test_a_passage_says_its_own_language(read: Read, chunk: Run) -> None:
    chunks = chunk(read("# 方針\n\nこれは日本語の説明です。\n\n# English\n\nThis part is English."))
    assert [c.language for c in chunks] == ["ja", "en"]


def test_a_table_without_kana_in_a_japanese_document_is_japanese(read: Read, chunk: Run) -> None:
    chunks = chunk(read("# 方針の説明です\n\nこれは文です。\n\n# 倉庫一覧\n\n東京倉庫、大阪倉庫"))
    assert chunks[-1].language == "ja"


def test_a_prefix_names_title_and_headings_once(count: Callable[[str], int]) -> None:
    assert context_prefix("Policy", ("Policy", "Returns"), count, 100) == "Policy › Returns\n"
    assert context_prefix("Policy", ("Returns",), count, 100) == "Policy › Returns\n"


def test_a_prefix_takes_at_most_half_of_a_passage(count: Callable[[str], int]) -> None:
    prefix = context_prefix("T", ("outer " * 20, "inner"), count, 64)
    assert prefix == "T › inner\n"
    assert context_prefix("long " * 50, (), count, 64) == ""


WORDS = [
    "在庫",
    "発注点。",
    "库存？",
    "reorder ",
    "U.S. ",
    "1,234.56 ",
    "「はい。」",
    "\n",
    "😀",
    "ｶﾞ",
    "、",
]


def random_markdown(seed: int) -> str:
    rng = random.Random(seed)
    blocks = []
    for _ in range(rng.randint(1, 25)):
        words = "".join(rng.choice(WORDS) for _ in range(rng.choice([1, 5, 40, 400])))
        kind = rng.choice(["heading", "text", "table", "list", "code", "solid"])
        if kind == "heading":
            blocks.append("#" * rng.randint(1, 6) + " " + " ".join(words.split())[:300])
        elif kind == "table":
            rows = "".join(
                f"| {i} | {' '.join(words.split())} |\n" for i in range(rng.randint(0, 9))
            )
            blocks.append(f"| key | {'x' * rng.choice([1, 300])} |\n|---|---|\n{rows}")
        elif kind == "solid":
            blocks.append("長" * rng.choice([3, 900]))
        else:
            blocks.append({"text": words, "list": f"- {words}", "code": f"```\n{words}\n```"}[kind])
    return "start\n\n" + "\n\n".join(blocks)


@pytest.mark.parametrize("seed", range(40))
@pytest.mark.parametrize("overlap", [0.0, 0.2])
def test_no_text_is_lost_and_no_passage_is_too_long(
    *, seed: int, overlap: float, read: Read, chunk: Run, uncovered: Uncovered, largest: Largest
) -> None:
    document = read(random_markdown(seed))
    chunks = chunk(document, chunk_tokens=64, overlap=overlap)
    assert uncovered(document, chunks) == ""
    assert largest(document, chunks, 64) <= 64
    assert [c.ordinal for c in chunks] == list(range(len(chunks)))
    assert len({c.chunk_id for c in chunks}) == len(chunks)


def test_tokens_are_counted_in_linear_time(read: Read) -> None:
    counted = 0

    def count_tokens(text: str) -> int:
        nonlocal counted
        counted += len(text)
        return (len(text) + 1) // 2

    document = read("# 方針\n\n" + "在庫は毎日数えて記録する。" * 5_000)
    chunk_document(
        document, doc_id="d", kb="k", source="s", count_tokens=count_tokens,
        chunk_tokens=400, overlap=0.1,
    )  # fmt: skip
    assert counted < 8 * len(document.text)


def test_an_office_file_name_is_the_source_of_its_passages(read: Read, chunk: Run) -> None:
    passage = chunk(read(POLICY))[0]
    assert (passage.doc_id, passage.kb, passage.source) == ("d1", "policies", "doc.md")
    assert Path(passage.source).suffix == ".md"
