"""Which stored value is found for the words of a person."""

from pathlib import Path

import duckdb
import pytest

from ingest.store import values
from ingest.store.errors import StoreBroken
from ingest.store.records import Catalog, ColumnRecord, TableRecord
from ingest.store.values import ValueIndex, read_values

WAREHOUSES = ["東京倉庫", "大阪倉庫", "札幌倉庫", "新橋店", "Hamburg Warehouse", "上海仓库"]
NAMES = [
    "コードレスドライバー",
    "LED Desk Lamp",
    "株式会社青木",
    "大阪府",
    "Tokyo",
    "深圳明辉照明有限公司",
]


@pytest.fixture(scope="module")
def index() -> ValueIndex:
    return ValueIndex(
        [
            ("warehouses", "name", WAREHOUSES),
            ("items", "name", NAMES),
            ("items", "sku", ["XR-4200"]),
        ]
    )


@pytest.mark.parametrize(
    ("word", "value"),
    [
        ("東京倉庫", "東京倉庫"),
        ("東京 倉庫", "東京倉庫"),
        ("ｺｰﾄﾞﾚｽﾄﾞﾗｲﾊﾞｰ", "コードレスドライバー"),
        ("こーどれすどらいばー", "コードレスドライバー"),
        ("led desk lamp", "LED Desk Lamp"),
        ("ＸＲ４２００", "XR-4200"),
        ("xr 4200", "XR-4200"),
    ],
)
def test_case_width_kana_and_marks_do_not_matter(index: ValueIndex, word: str, value: str) -> None:
    best = index.find(word)[0]
    assert (best.value, best.score) == (value, 1.0)


@pytest.mark.parametrize(
    ("word", "value"),
    [
        ("tokyo wh", "東京倉庫"),
        ("Tokyo warehouse", "東京倉庫"),
        ("warehouse Tōkyō", "東京倉庫"),
        ("とうきょう倉庫", "東京倉庫"),
        ("东京仓库", "東京倉庫"),
        ("toukyou souko", "東京倉庫"),
        ("Sapporo WH", "札幌倉庫"),
        ("Shimbashi store", "新橋店"),
        ("shanghai warehouse", "上海仓库"),
        ("ハンブルグ", None),
        ("lamp desk LED", "LED Desk Lamp"),
    ],
)
def test_neither_do_script_order_and_abbreviations(
    index: ValueIndex, word: str, value: str | None
) -> None:
    exact = [m.value for m in index.find(word) if m.score == values.OTHER_WORDING]
    assert exact[:1] == ([value] if value else [])


@pytest.mark.parametrize(
    ("word", "value"),
    [
        ("束京倉庫", "東京倉庫"),
        ("tokio warehouse", "東京倉庫"),
        ("LED Desk Lmap", "LED Desk Lamp"),
        ("コードレス", "コードレスドライバー"),
        ("shenzhen minghui", "深圳明辉照明有限公司"),
    ],
)
def test_typos_and_parts_are_similar_only(index: ValueIndex, word: str, value: str) -> None:
    best = index.find(word)[0]
    assert best.value == value
    assert values.ALIKE <= best.score < values.OTHER_WORDING


@pytest.mark.parametrize("word", ["zzz", "", "!!", "請求書"])
def test_what_is_like_nothing_finds_nothing(index: ValueIndex, word: str) -> None:
    assert index.find(word) == []


def test_one_column_may_be_asked(index: ValueIndex) -> None:
    assert {m.table for m in index.find("tokyo")} >= {"items"}
    assert {(m.table, m.column) for m in index.find("Tokyo WH", table="Warehouses")} == {
        ("warehouses", "name")
    }
    assert index.find("XR-4200", column="name") == []


@pytest.mark.parametrize(
    ("question", "named"),
    [
        ("How much stock is in the Tokyo warehouse?", ["東京倉庫"]),
        ("Osaka warehouse", ["大阪倉庫"]),
        ("东京仓库的库存有多少？", ["東京倉庫"]),
        ("sales in Osaka last month", ["大阪府"]),
        ("stock of every warehouse and company", []),
        ("what did the store sell", []),
    ],
)
def test_a_question_names_values_in_another_script(
    index: ValueIndex, question: str, named: list[str]
) -> None:
    assert [m.value for m in index.named_in(question)] == named


def test_words_that_only_sound_alike_name_nothing() -> None:
    index = ValueIndex([("t", "c", ["成功", "効果的"])])
    assert index.named_in("精工の製品") == []


def test_an_empty_index_finds_nothing() -> None:
    assert ValueIndex(()).find("x") == [] == ValueIndex(()).named_in("x")


def catalog(distinct: int) -> Catalog:
    name = ColumnRecord(name='the "name"', type="VARCHAR", original="n", distinct=distinct)
    paper = ColumnRecord(name="c", type="VARCHAR", original="c", distinct=1)
    return Catalog(
        tables=(
            TableRecord(name="在庫", source="f", rows=9, columns=(name,)),
            TableRecord(name="paper", source="d", rows=1, columns=(paper,), doc_id="d1"),
        )
    )


@pytest.fixture
def warehouse(tmp_path: Path) -> Path:
    path = tmp_path / "w.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute('CREATE TABLE "在庫" ("the ""name""" VARCHAR)')
        connection.execute(
            "INSERT INTO \"在庫\" VALUES ('灯'), ('灯'), (NULL), (''), (repeat('x', 99))"
        )
    return path


def test_short_texts_of_the_tables_are_read_once_each(warehouse: Path) -> None:
    index = read_values(warehouse, catalog(3))
    assert (len(index), index.left_out) == (1, ())
    assert index.find("灯")[0] == ("在庫", 'the "name"', "灯", 1.0)


def test_a_column_of_too_many_values_is_left_out_and_told(warehouse: Path) -> None:
    index = read_values(warehouse, catalog(values.MAX_OF_A_COLUMN + 1))
    assert (len(index), index.left_out) == (0, (("在庫", 'the "name"'),))


def test_a_damaged_warehouse_is_a_broken_store(tmp_path: Path) -> None:
    path = tmp_path / "w.duckdb"
    path.write_bytes(b"no database" * 1000)
    with pytest.raises(StoreBroken, match="cannot be read"):
        read_values(path, catalog(3))
