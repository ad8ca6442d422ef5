"""Which stored values a question names, and whether a value is stored at all."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
import pytest
from numpy.typing import NDArray

from agent.relevance import MAX_DISTINCT, MAX_VALUES, Relevance
from ingest.embedders import Embedder, make_embedder
from ingest.store import Catalog, ColumnRecord, JoinRecord, TableRecord
from tests.support.desk import Desk


@dataclass
class OneTable:
    """The part of a store that is read: a catalog with one table and its text column."""

    catalog: Catalog
    made: list[Embedder] = field(default_factory=list)

    def embedder(self) -> Embedder:
        return make_embedder("seeded")


def catalog(distinct: int = 5) -> Catalog:
    name = ColumnRecord(name="name", type="VARCHAR", original="name", distinct=distinct)
    size = ColumnRecord(name="size", type="BIGINT", original="size", distinct=3)
    table = TableRecord(name="item", source="f", rows=9, columns=(name, size))
    return Catalog(tables=(table,))


def over(
    *values: str, holds: Callable[[str, str, str], bool] = lambda t, c, v: False, distinct: int = 5
) -> Relevance:
    store = OneTable(catalog(distinct))
    return Relevance(store, distinct=lambda t, c: values, holds=holds)  # type: ignore[arg-type]


def named(question: str, *values: str) -> list[str]:
    return [value for _, _, value in over(*values).values(question)]


def test_a_value_is_given_with_its_place_as_it_is_stored() -> None:
    assert over("Desk Lamp").values("how many DESK LAMPs? desk lamp!") == [
        ("item", "name", "Desk Lamp")
    ]


@pytest.mark.parametrize("question", ["rosetta", "a rosebud", "prose", "rose2"])
def test_a_latin_value_counts_only_as_whole_words(question: str) -> None:
    assert named(question, "rose") == []


@pytest.mark.parametrize(
    "question", ["a rose", "rose?", "(rose)", "roses rose", "赤rose的", "ＲＯＳＥ"]
)
def test_whole_words_end_at_marks_and_other_scripts(question: str) -> None:
    assert named(question, "rose") == ["rose"]


def test_japanese_and_chinese_values_count_inside_a_sentence() -> None:
    assert named("大阪倉庫の在庫は", "大阪", "東京") == ["大阪"]


def test_the_longest_values_come_first_and_hide_their_parts() -> None:
    found = named("black desk lamp for osaka", "lamp", "desk lamp", "black desk lamp", "osaka")
    assert found == ["black desk lamp", "osaka"]


@pytest.mark.parametrize("short", ["EU", "a", "山"])
def test_values_too_short_to_mean_anything_are_not_named(short: str) -> None:
    assert named(f"in {short} only", short) == []


def test_the_name_of_a_table_is_no_value() -> None:
    assert named("which item is it?", "item") == []


def test_only_so_many_values_are_given() -> None:
    words = [f"word{n}" for n in range(20)]
    assert len(named(" ".join(words), *words)) == MAX_VALUES


@pytest.mark.parametrize("value", ["eu", "EU", "ＥＵ", "Desk"])
def test_a_stored_value_is_known_however_short_or_written(value: str) -> None:
    assert over("EU", "Desk lamp").knows(value)


def test_what_no_column_holds_is_not_known() -> None:
    assert not over("EU").knows("Europe")


def test_columns_outside_the_index_are_asked_too() -> None:
    asked: list[str] = []

    def holds(_: str, column: str, value: str) -> bool:
        asked.append(f"{column}={value}")
        return column == "size"

    assert over("EU", holds=holds).knows("12")
    assert asked == ["size=12"]
    assert over(holds=holds, distinct=MAX_DISTINCT + 1).knows("x")
    assert asked == ["size=12", "name=x", "size=x"]


def test_real_columns_of_every_type_are_asked(desk: Desk) -> None:
    knows = desk.agent.workbench.relevance.knows
    assert knows("2026-11-30") and knows("1200.50") and knows("osaka") and knows("eu")
    assert not knows("QQ-77") and not knows("O'Neil") and not knows("2031-01-01")


def test_tables_that_share_words_with_the_question_come_first(desk: Desk) -> None:
    tables = desk.agent.workbench.relevance.tables("quantity in each warehouse of stock")
    assert tables[0].name == "stock"
    assert len(tables) == 3


def test_values_in_another_script_come_after_those_that_stand_there() -> None:
    relevance = over("東京倉庫", "lamp")
    relevance.otherwise_named = lambda question: [
        ("item", "name", "東京倉庫"),
        ("item", "name", "lamp"),
    ]
    assert relevance.values("lamp in the Tokyo warehouse") == [
        ("item", "name", "lamp"),
        ("item", "name", "東京倉庫"),
    ]


def test_where_all_values_are_latin_no_other_script_is_looked_for() -> None:
    asked: list[str] = []
    relevance = over("lamp")
    relevance.otherwise_named = lambda question: asked.append(question) or ()  # type: ignore[func-returns-value]
    assert relevance.values("lamp") == [("item", "name", "lamp")]
    assert asked == []


class Steps:
    """Each passage is a little less like any question than the one before."""

    def embed_query(self, text: str) -> NDArray[np.float32]:
        return np.array([1.0], dtype=np.float32)

    def embed_passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return np.array([[0.8 - 0.01 * i] for i in range(len(texts))], dtype=np.float32)


@dataclass
class Linked:
    """The part of a store that is read: tables in a row, some of them joined."""

    catalog: Catalog

    def embedder(self) -> Steps:
        return Steps()


def order(*names: str, joins: Sequence[tuple[str, str]] = ()) -> list[str]:
    tables = tuple(TableRecord(name=n, source="f", rows=9, columns=()) for n in names)
    pairs = tuple(
        JoinRecord(left_table=a, left_column="k", right_table=b, right_column="k") for a, b in joins
    )
    store = Linked(Catalog(tables=tables, joins=pairs))
    relevance = Relevance(store, distinct=lambda t, c: (), holds=lambda t, c, v: False)  # type: ignore[arg-type]
    return [table.name for table in relevance.tables("?")]


@pytest.mark.parametrize("join", [("aa", "ff"), ("ff", "aa")])
def test_a_table_joined_to_a_leading_one_comes_before_strangers(join: tuple[str, str]) -> None:
    names = ("aa", "bb", "cc", "dd", "ee", "ff")
    assert order(*names) == [*names]
    assert order(*names, joins=[join]) == ["aa", "bb", "cc", "ff", "dd", "ee"]


def test_a_join_to_a_hub_does_not_put_the_leading_ones_behind() -> None:
    others = [f"t{n}" for n in range(9)]
    names = ("hub", "subscriptions", "campaigns", *others)
    assert order(*names, joins=[(name, "hub") for name in others])[:3] == [*names[:3]]
