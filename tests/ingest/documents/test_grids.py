from ingest.documents import Document, document_tables
from ingest.documents.model import Part, place


def document(*parts: Part) -> Document:
    text, blocks = place(parts)
    return Document("Report", "en", text, blocks, 2, {})


def table(*rows: str, page: int | None = None) -> Part:
    head, *body = rows
    return Part("table", "\n".join([head, "| --- | --- |", *body]), page=page, box=(1, 2, 3, 4))


def test_a_table_has_its_cells_and_what_stands_over_it() -> None:
    found = document_tables(
        document(
            Part("heading", "Fees", 1),
            Part("paragraph", "Unit: JPY 1,000"),
            table("| zone | fee |", "| A \\| B | **1,200** |", "| C |", page=3),
        )
    )
    assert [t.rows for t in found] == [(("zone", "fee"), ("A | B", "1,200"), ("C", ""))]
    assert (found[0].title, found[0].unit) == ("Fees › Unit: JPY 1,000", "Unit: JPY 1,000")
    assert (found[0].page, found[0].box) == (3, (1, 2, 3, 4))


def test_a_table_that_goes_on_over_pages_is_one() -> None:
    found = document_tables(
        document(
            table("| a | b |", "| 1 | 2 |", page=4),
            table("| a | b |", "| 3 | 4 |", page=5),
            table("| a | b |", "| 5 | 6 |", page=6),
        )
    )
    assert [t.rows[1:] for t in found] == [(("1", "2"), ("3", "4"), ("5", "6"))]
    assert found[0].page == 4


def test_two_tables_with_one_header_on_one_page_or_with_text_between_stay_two() -> None:
    first, second = table("| a | b |", "| 1 | 2 |", page=4), table("| a | b |", "| 3 | 4 |", page=4)
    assert len(document_tables(document(first, second))) == 2
    later = table("| a | b |", "| 3 | 4 |", page=5)
    assert len(document_tables(document(first, Part("paragraph", "Osaka", page=5), later))) == 2


def test_a_header_without_rows_is_no_table() -> None:
    assert document_tables(document(table("| a | b |"))) == []
