from collections.abc import Callable

import pytest

from ingest.documents import Document
from ingest.documents.readers.markdown import parse_markdown

Read = Callable[..., Document]


def kinds(text: str) -> list[tuple[str, int, str]]:
    return [(part.kind, part.level, part.text) for part in parse_markdown(text)]


def test_atx_and_setext_headings_have_their_level() -> None:
    text = "# One\n\n### Three ###\n\nAlso one\n===\n\nAlso two\n---\n"
    assert kinds(text) == [
        ("heading", 1, "One"),
        ("heading", 3, "Three"),
        ("heading", 1, "Also one"),
        ("heading", 2, "Also two"),
    ]


def test_a_hash_in_a_code_fence_is_no_heading() -> None:
    assert [kind for kind, _, _ in kinds("```sh\n# comment\n\nls\n```\n\nAfter.")] == [
        "paragraph",
        "paragraph",
    ]


def test_a_hash_without_a_blank_is_no_heading() -> None:
    assert kinds("#1 in stock")[0][0] == "paragraph"


def test_a_table_needs_its_delimiter_row() -> None:
    assert kinds("| a | b |\n|---|:-:|\n| 1 | 2 |")[0][0] == "table"
    assert kinds("a | b\nc | d")[0][0] == "paragraph"


def test_a_table_ends_at_the_first_line_without_a_bar() -> None:
    parts = kinds("| a | b |\n|---|---|\n| 1 | 2 |\nText after.")
    assert parts == [
        ("table", 0, "| a | b |\n|---|---|\n| 1 | 2 |"),
        ("paragraph", 0, "Text after."),
    ]


def test_a_list_with_blank_lines_between_items_is_one_block() -> None:
    assert kinds("- a\n\n- b\n\n  more of b\n\nText.") == [
        ("list", 0, "- a\n\n- b\n\n  more of b"),
        ("paragraph", 0, "Text."),
    ]


def test_comments_are_left_out() -> None:
    assert kinds("<!-- hidden\nnote -->\nShown.")[0][2].strip() == "Shown."


def test_front_matter_becomes_metadata(read: Read) -> None:
    document = read("---\ntitle: 補充方針\nstatus: current\n---\n# 見出し\n\n本文です。")
    assert document.metadata == {"title": "補充方針", "status": "current"}
    assert document.title == "補充方針"
    assert document.text.startswith("見出し")


@pytest.mark.parametrize("broken", ["title: [a\n", "title: a\n\tb: c\n", "status: {x\n"])
def test_broken_front_matter_is_text_and_is_reported(broken: str, read: Read) -> None:
    document = read(f"---\n{broken}---\n\nBody.")
    assert "front_matter_error" in document.metadata
    assert broken.partition(" ")[0] in document.text
    assert "Body." in document.text


def test_rules_around_a_text_are_no_front_matter(read: Read) -> None:
    document = read("---\nJust a text between rules\n---\n\nBody.")
    assert document.metadata == {}
    assert "Just a text between rules" in document.text


def test_windows_line_ends_and_a_byte_order_mark_do_no_harm(read: Read) -> None:
    document = read("\ufeff---\r\ntitle: T\r\n---\r\n# A\r\n\r\nText.\r\n")
    assert document.title == "T"
    assert document.text == "A\n\nText."


def test_blocks_point_at_their_text(read: Read) -> None:
    document = read("# A\n\nOne.\n\n- x\n- y\n\n| a | b |\n|---|---|\n| 1 | 2 |\n")
    assert [document.text[b.start : b.end] for b in document.blocks] == [
        b.text for b in document.blocks
    ]


@pytest.mark.timeout(10)
@pytest.mark.parametrize(
    "hostile", ["<!--" * 100_000, "# a" + " " * 200_000 + "x", "| a |\n|" + " " * 200_000 + "x|"]
)
def test_hostile_text_is_read_in_linear_time(hostile: str) -> None:
    assert parse_markdown(hostile)


def test_broken_front_matter_is_not_the_title(read: Read) -> None:
    document = read("---\ntitle: [a\nstatus: current\n---\n# Returns\n\nBody.")
    assert document.title == "Returns"
    assert [b.kind for b in document.blocks] == ["paragraph", "heading", "paragraph"]


def test_front_matter_may_stand_below_blank_lines(read: Read) -> None:
    document = read("\n\n---\nstatus: rejected\n---\n# Returns\n")
    assert document.metadata == {"status": "rejected"}
    assert document.text == "Returns"
