from dataclasses import dataclass

from ingest.documents.model import Box
from ingest.documents.readers.pdf_order import in_reading_order


@dataclass(frozen=True)
class Item:
    name: str
    box: Box


def order(*items: Item) -> str:
    return "".join(item.name for item in in_reading_order(items, 600))


def test_a_single_column_is_read_from_the_top() -> None:
    assert order(Item("b", (50, 200, 550, 300)), Item("a", (50, 50, 550, 150))) == "ab"


def test_columns_are_read_one_after_the_other_below_a_full_width_heading() -> None:
    items = [
        Item("c", (310, 100, 550, 200)),
        Item("a", (50, 100, 290, 200)),
        Item("d", (310, 220, 550, 320)),
        Item("b", (50, 220, 290, 320)),
        Item("T", (50, 20, 550, 60)),
        Item("z", (50, 400, 550, 500)),
    ]
    assert order(*items) == "Tabcdz"


def test_labels_and_values_of_a_form_stay_in_rows() -> None:
    items = [
        Item("1", (50, 100, 110, 112)),
        Item("2", (300, 100, 550, 112)),
        Item("3", (50, 120, 110, 132)),
        Item("4", (300, 120, 550, 132)),
    ]
    assert order(*items) == "1234"
