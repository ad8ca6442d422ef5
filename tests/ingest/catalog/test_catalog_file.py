from datetime import date
from pathlib import Path

import pytest

from ingest.store.catalog import dump_catalog, load_catalog
from ingest.store.errors import StoreBroken
from ingest.store.overlay import overlay_edits
from ingest.store.records import Catalog, ColumnRecord, JoinRecord, TableRecord

CATALOG = Catalog(
    tables=(
        TableRecord(
            name="売上",
            source="売上.csv",
            rows=2,
            columns=(
                ColumnRecord(name="数量", type="BIGINT", original="数量", examples=("0012", "no")),
                ColumnRecord(name="sku", type="VARCHAR", original="SKU"),
            ),
            date_column="日付",
            data_from=date(2026, 1, 5),
        ),
        TableRecord(
            name="products",
            source="p.csv",
            rows=1,
            columns=(ColumnRecord(name="sku", type="VARCHAR", original="sku", distinct=1),),
        ),
    ),
    joins=(JoinRecord(left_table="a", left_column="b", right_table="c", right_column="d"),),
)


@pytest.fixture
def edits(tmp_path: Path) -> Path:
    return tmp_path / "catalog.yaml"


def refused(path: Path, text: str) -> StoreBroken:
    path.write_text(text, encoding="utf-8")
    with pytest.raises(StoreBroken) as error:
        overlay_edits(CATALOG, path)
    return error.value


def test_a_catalog_comes_back_from_its_file_unchanged(tmp_path: Path) -> None:
    dump_catalog(CATALOG, tmp_path / "c.yaml")
    assert load_catalog(tmp_path / "c.yaml") == CATALOG
    assert "売上" in (tmp_path / "c.yaml").read_text(encoding="utf-8")


@pytest.mark.parametrize("text", ["tables: [", "tables: 5\n", "- a\n"])
def test_a_damaged_catalog_is_a_broken_store(tmp_path: Path, text: str) -> None:
    path = tmp_path / "c.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(StoreBroken, match=r"c\.yaml cannot be read") as error:
        load_catalog(path)
    assert "rollback" in error.value.hint


def test_a_missing_catalog_is_a_broken_store(tmp_path: Path) -> None:
    with pytest.raises(StoreBroken):
        load_catalog(tmp_path / "none.yaml")


def test_without_a_file_nothing_changes(edits: Path) -> None:
    assert overlay_edits(CATALOG, edits) is CATALOG


def test_an_empty_file_changes_nothing(edits: Path) -> None:
    edits.write_text("# nothing yet\n", encoding="utf-8")
    assert overlay_edits(CATALOG, edits) == CATALOG


def test_edits_are_laid_over_and_the_rest_stays(edits: Path) -> None:
    edits.write_text(
        "fiscal_year_start: 1\nclosing_day: 20\ncurrency: JPY\ntables:\n"
        "  売上:\n    description: 明細\n    synonyms: [sales, 販売]\n    snapshot: true\n"
        "    columns:\n      数量: {unit: 個, description: pieces}\n",
        encoding="utf-8",
    )
    edited = overlay_edits(CATALOG, edits)
    table = edited.table("売上")
    assert table is not None
    assert (edited.fiscal_year_start, edited.closing_day, edited.currency) == (1, 20, "JPY")
    assert (table.description, table.synonyms, table.snapshot) == ("明細", ("sales", "販売"), True)
    assert (table.columns[0].unit, table.columns[0].examples) == ("個", ("0012", "no"))
    assert (table.columns[1], edited.tables[1]) == (CATALOG.tables[0].columns[1], CATALOG.tables[1])
    assert edited.joins == CATALOG.joins


def test_a_fiscal_year_that_a_person_said_is_no_longer_assumed(edits: Path) -> None:
    drafted = CATALOG.model_copy(update={"assumed": ("fiscal_year_start",)})
    edits.write_text("closing_day: 20\n", encoding="utf-8")
    assert overlay_edits(drafted, edits).assumed == ("fiscal_year_start",)
    edits.write_text("fiscal_year_start: 4\n", encoding="utf-8")
    assert overlay_edits(drafted, edits).assumed == ()


def test_a_join_may_be_added(edits: Path) -> None:
    edits.write_text(
        "joins:\n  - {left_table: 売上, left_column: SKU, right_table: Products, right_column: sku}\n",
        encoding="utf-8",
    )
    added = overlay_edits(CATALOG, edits).joins[-1]
    assert (added.left_column, added.right_table) == ("sku", "products")


def test_an_unknown_key_names_its_line_and_what_is_allowed(edits: Path) -> None:
    error = refused(edits, "currency: JPY\n\nfiscal_start: 4\n")
    assert error.message == f"{edits}, line 3: unknown key 'fiscal_start'."
    assert "fiscal_year_start" in error.hint


def test_an_unknown_key_of_a_column_lists_the_columns_keys(edits: Path) -> None:
    error = refused(edits, "tables:\n  売上:\n    columns:\n      数量:\n        units: 個\n")
    assert ", line 5: unknown key 'units'" in error.message
    assert error.hint == "Allowed here: description, synonyms, unit, currency, tax, measure."


def test_an_unknown_table_names_the_tables(edits: Path) -> None:
    error = refused(edits, "tables:\n  sales:\n    description: x\n")
    assert ", line 2: there is no table 'sales'" in error.message
    assert error.hint == "Allowed here: 売上, products."


def test_an_unknown_column_names_the_columns(edits: Path) -> None:
    error = refused(edits, "tables:\n  売上:\n    columns:\n      qty: {unit: 個}\n")
    assert ", line 4: table '売上' has no column 'qty'" in error.message
    assert error.hint == "Allowed here: 数量, sku."


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("closing_day: 20\nfiscal_year_start: april\n", 2),
        ("fiscal_year_start: 13\n", 1),
        ("tables:\n  売上:\n    snapshot: maybe\n", 3),
        ("tables:\n  売上:\n    synonyms: sales\n", 3),
        ("tables:\n  - 売上\n", 1),
    ],
)
def test_a_wrong_value_names_its_line(edits: Path, text: str, line: int) -> None:
    assert f", line {line}: " in refused(edits, text).message


def test_broken_yaml_names_its_line(edits: Path) -> None:
    assert ", line 2: " in refused(edits, "currency: JPY\n  closing_day: 20\n").message


def test_a_join_to_a_column_that_is_not_there_is_refused(edits: Path) -> None:
    error = refused(
        edits,
        "joins:\n  - left_table: 売上\n    left_column: nope\n"
        "    right_table: products\n    right_column: sku\n",
    )
    assert ", line 3: there is no 売上.nope" in error.message
