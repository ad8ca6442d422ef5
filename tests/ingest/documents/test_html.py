from collections.abc import Callable

import pytest

from ingest.documents import Document

Read = Callable[..., Document]


def blocks(document: Document) -> list[tuple[str, int, str]]:
    return [(b.kind, b.level, b.text) for b in document.blocks]


def test_headings_paragraphs_and_lists_keep_their_order(read: Read) -> None:
    html = (
        "<h1>Policy</h1><p>First <b>bold</b> text.</p><ul><li>a<li>b<ul><li>c</ul></ul><h2>End</h2>"
    )
    assert blocks(read(html, "a.html")) == [
        ("heading", 1, "Policy"),
        ("paragraph", 0, "First bold text."),
        ("list", 0, "- a\n- b\n  - c"),
        ("heading", 2, "End"),
    ]


def test_numbered_lists_are_numbered(read: Read) -> None:
    assert blocks(read("<ol><li>x</li><li>y</li></ol>", "a.htm"))[0][2] == "1. x\n2. y"


def test_scripts_and_styles_are_left_out(read: Read) -> None:
    html = "<style>p{}</style><script>if (a<b) alert('<p>no</p>')</script><p>Yes.</p>"
    assert read(html, "a.html").text == "Yes."


def test_a_table_becomes_markdown_with_merged_cells_resolved(read: Read) -> None:
    html = (
        "<table><caption>Stock</caption><tr><th>SKU<th>Qty</tr>"
        "<tr><td rowspan=2>XR-4200<td>1</tr><tr><td>2</tr></table>"
    )
    assert blocks(read(html, "a.html")) == [
        ("paragraph", 0, "Stock"),
        ("table", 0, "| SKU | Qty |\n| --- | --- |\n| XR-4200 | 1 |\n| XR-4200 | 2 |"),
    ]


def test_a_bar_in_a_cell_is_escaped(read: Read) -> None:
    html = "<table><tr><td>a|b<td>c</tr><tr><td>1<td>2</tr></table>"
    assert "| a\\|b | c |" in read(html, "a.html").text


def test_a_table_that_is_never_closed_is_kept(read: Read) -> None:
    assert "| 1 | 2 |" in read("<table><tr><td>a<td>b<tr><td>1<td>2", "a.html").text


def test_the_declared_charset_is_obeyed(read: Read) -> None:
    html = '<meta charset="Shift_JIS"><title>規程</title><p>返品は三十日以内です。</p>'
    document = read(html.encode("cp932"), "a.html")
    assert document.title == "規程"
    assert document.text == "返品は三十日以内です。"


def test_a_wrong_charset_declaration_does_not_stop_the_reader(read: Read) -> None:
    html = '<meta charset="ascii"><p>返品は三十日以内です。</p>'
    assert read(html, "a.html").text == "返品は三十日以内です。"


def test_line_breaks_and_entities_are_read(read: Read) -> None:
    assert read("<p>A&amp;B<br>C&nbsp;D</p>", "a.html").text == "A&B\nC D"


def test_a_label_means_what_browsers_mean_by_it(read: Read) -> None:
    html = '<meta charset="iso-8859-1"><p>The “best” price – 5€</p>'
    assert read(html.encode("cp1252"), "a.html").text == "The “best” price – 5€"
    html = '<meta charset="shift_jis"><p>①㈱在庫</p>'
    assert read(html.encode("cp932"), "a.html").text == "①㈱在庫"
    html = '<meta charset="gb2312"><p>仓库囍</p>'
    assert read(html.encode("gb18030"), "a.html").text == "仓库囍"


@pytest.mark.parametrize("blanks", [0, 1])
def test_a_text_that_calls_itself_utf_16_in_ascii_is_not(blanks: int, read: Read) -> None:
    html = f'<meta charset="utf-16"><p>Goods in, goods out.</p>{" " * blanks}'
    assert read(html, "a.html").text == "Goods in, goods out."


def test_the_cells_of_a_table_in_a_cell_and_options_stay_apart(read: Read) -> None:
    html = "<table><tr><td>a<table><tr><td>in<td>out</table><td>b</table>"
    assert read(html + "<select><option>one<option>two</select>", "a.html").text == (
        "| a in out | b |\n| --- | --- |\n\none\ntwo"
    )


def test_utf_8_under_a_western_label_is_read(read: Read) -> None:
    html = '<meta charset="iso-8859-1"><p>Größe 返品</p>'
    assert read(html, "a.html").text == "Größe 返品"


def test_a_header_of_two_rows_names_each_column(read: Read) -> None:
    html = (
        "<table><tr><th rowspan=2>品目<th colspan=2>価格<tr><th>国内<th>海外"
        "<tr><td>弁<td>1,200<td>2,300</table>"
    )
    assert read(html, "a.html").text.splitlines() == [
        "| 品目 | 価格 / 国内 | 価格 / 海外 |",
        "| --- | --- | --- |",
        "| 弁 | 1,200 | 2,300 |",
    ]
