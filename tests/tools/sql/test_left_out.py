"""Quarantined cells are counted for the rows of the query; codes met as numbers are said."""

from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path
from typing import cast

import duckdb
import pytest

from ingest.store import Catalog, ColumnRecord, Store, TableRecord
from ingest.store.records import QuarantinedCell
from tools.base import ToolContext
from tools.errors import ToolRetry
from tools.sql.result import SqlResult
from tools.sql.tool import SqlArguments, SqlTool

Ask = Callable[[str], SqlResult]
SCHEMA = """
CREATE TABLE bills (bill VARCHAR, city VARCHAR, amount INTEGER, fee INTEGER);
INSERT INTO bills VALUES ('001', 'Tokyo', 10, 1), ('01', 'Osaka', NULL, NULL),
    ('002', 'Tokyo', 20, 2), ('003', 'Osaka', 5, NULL), ('004', 'Kobe', NULL, 3);
CREATE TABLE places (place VARCHAR); INSERT INTO places VALUES ('P7'), ('P8');
"""
UNREAD = (("amount", 3, "abc"), ("amount", 6, "?"), ("fee", 3, "x"))
COUNTS = {"amount": (2, 2), "fee": (2, 1)}
"""NULLs and, among them, quarantined cells."""
ALL = "column amount of table bills leaves out 2 cells: rows 3, 6 of bills.csv (zaiko tables --quarantine bills)"
ONE = "column amount of table bills leaves out 1 cell (zaiko tables --quarantine bills)"


class _Store:
    def __init__(self, warehouse: Path, catalog: Catalog) -> None:
        self.warehouse, self.catalog, self.revision = warehouse, catalog, 1

    def find_values(self, word: str, **_: object) -> list[object]:
        return []

    def quarantine(self, table: str | None = None) -> list[QuarantinedCell]:
        return [
            QuarantinedCell(table="bills", column=c, row=r, value=v, reason="no number")
            for c, r, v in UNREAD
        ]


def _table(name: str, rows: int, **types: str) -> TableRecord:
    columns = []
    for column, kind in types.items():
        nulls, unread = COUNTS.get(column, (0, 0))
        columns.append(
            ColumnRecord(name=column, type=kind, original=column, nulls=nulls, quarantined=unread)
        )
    return TableRecord(name=name, source=f"{name}.csv", rows=rows, columns=tuple(columns))


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ask]:
    path = tmp_path_factory.mktemp("left_out") / "warehouse.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute(SCHEMA)
    bills = _table("bills", 5, bill="VARCHAR", city="VARCHAR", amount="INTEGER", fee="INTEGER")
    catalog = Catalog(tables=(bills, _table("places", 2, place="VARCHAR")))
    context = ToolContext(store=cast(Store, _Store(path, catalog)), today=date(2026, 11, 30))
    tool = SqlTool()
    yield lambda sql: tool.run(SqlArguments(query=sql), context)
    tool.close()


@pytest.mark.parametrize(
    ("sql", "notes", "cells"),
    [
        ("SELECT sum(amount) FROM bills", (ALL,), 2),
        ("SELECT city, amount FROM bills", (ALL,), 2),
        ("SELECT sum(amount) FROM bills WHERE city = 'Tokyo'", (), 0),
        ("SELECT sum(amount) FROM bills WHERE city = 'Osaka'", (ONE,), 1),
        ("SELECT amount FROM bills WHERE amount > 1", (ALL,), 2),
        ("SELECT amount FROM bills WHERE amount > 1 AND city = 'Osaka'", (ONE,), 1),
        ("WITH t AS (SELECT * FROM bills) SELECT sum(amount) FROM t WHERE city = 'Kobe'", (ONE,), 1),
        ("SELECT sum(a.amount) FROM bills a JOIN bills b ON a.amount = b.amount", (ALL,), 2),
        ("SELECT city FROM bills", (), 0),
    ],
)  # fmt: skip
def test_only_the_cells_that_the_querys_rows_miss_are_counted(
    asked: Ask, sql: str, notes: tuple[str, ...], cells: int
) -> None:
    result = asked(sql)
    assert result.answer_notes == notes
    assert result.evidence()[0].excluded_cells == cells


def test_where_a_null_may_be_a_blank_the_whole_column_is_told(asked: Ask) -> None:
    note = "column fee of table bills leaves out 1 cell: row 3 of bills.csv (zaiko tables --quarantine bills)"
    assert asked("SELECT sum(fee) FROM bills WHERE city = 'Osaka'").answer_notes == (note,)
    assert asked("SELECT sum(fee) FROM bills WHERE city = 'Tokyo'").answer_notes == ()


def test_a_code_that_is_met_as_a_number_is_said_with_all_that_it_meets(asked: Ask) -> None:
    result = asked("SELECT bill FROM bills WHERE bill = 1 ORDER BY bill")
    assert result.rows.rows == (("001",), ("01",))
    assert result.answer_notes == (
        "bill = 1 was compared as a number and meets '001', '01': quote the code that is meant",
    )
    assert "no row has bill = 9; " in " ".join(asked("SELECT bill FROM bills WHERE bill = 9").notes)


def test_a_code_with_letters_that_is_compared_with_a_number_is_named(asked: Ask) -> None:
    with pytest.raises(ToolRetry) as caught:
        asked("SELECT place FROM places WHERE place IN (7, 8)")
    assert caught.value.hint.startswith(
        "place is text: write place = 'P7'; place is text: write place = 'P8'"
    )
