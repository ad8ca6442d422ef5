from collections.abc import Callable

from ingest.documents import Document
from ingest.documents.chunking.parents import Piece, parents
from ingest.store.passages import joined_text
from ingest.store.records import Chunk

Read = Callable[..., Document]
Run = Callable[..., list[Chunk]]


def piece(*heading: str, tokens: int = 100) -> Piece:
    return Piece(heading, tokens)


def test_small_sections_under_one_heading_share_their_parent() -> None:
    pieces = [piece("A", "1"), piece("A", "2"), piece("B", "1"), piece("B", "2")]
    assert parents(pieces, 200) == [(0, 1), (0, 1), (2, 3), (2, 3)]
    assert parents(pieces, 400) == [(0, 3)] * 4


def test_a_section_too_long_for_one_parent_is_parted_into_runs() -> None:
    pieces = [piece("A") for _ in range(5)]
    assert parents(pieces, 200) == [(0, 1), (0, 1), (2, 3), (2, 3), (4, 4)]


def test_text_before_the_first_subsection_is_a_parent_of_its_own() -> None:
    pieces = [piece("A"), piece("A", "1", tokens=150), piece("A", "2")]
    assert parents(pieces, 150) == [(0, 0), (1, 1), (2, 2)]


def test_a_passage_names_its_parent_and_the_parent_is_its_section(read: Read, chunk: Run) -> None:
    first = "".join(f"第{i}項は倉庫の棚卸に関する定めである。" for i in range(12))
    document = read(f"# 規程\n\n## 棚卸\n\n{first}\n\n## 返品\n\n三十日以内とする。" * 2)
    chunks = chunk(document, chunk_tokens=64, overlap=0.2)
    own = next(c for c in chunks if c.heading[-1] == "棚卸")
    family = [c for c in chunks if c.parent_id == own.parent_id]
    assert own.parent == (family[0].ordinal, family[-1].ordinal)
    assert len(family) > 1 and {c.heading for c in family} == {("規程", "棚卸")}
    assert joined_text(family).count("第5項") == 1


def test_all_passages_together_are_the_document(read: Read, chunk: Run) -> None:
    rows = "\n".join(f"| SKU-{i} | {i * 7} |" for i in range(40))
    document = read(
        f"# Stock\n\nCounted monthly.\n\n| sku | pieces |\n| --- | --- |\n{rows}\n\nEnd."
    )
    chunks = chunk(document, chunk_tokens=64, overlap=0.1)
    assert joined_text(chunks) == document.text


def test_missing_passages_between_are_shown_as_missing(read: Read, chunk: Run) -> None:
    document = read("# A\n\nfirst\n\n# B\n\nsecond\n\n# C\n\nthird")
    first, _, third = chunk(document)
    assert joined_text([third, first]) == "A\n\nfirst\n\n…\n\nC\n\nthird"
