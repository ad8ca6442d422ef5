"""Stock by month: refused where months are added up, said as of the month that is read."""

from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path
from typing import cast

import duckdb
import pytest

from ingest.store import Catalog, ColumnRecord, Store, TableRecord
from tools.base import ToolContext
from tools.errors import ToolRetry
from tools.sql.result import SqlResult
from tools.sql.tool import SqlArguments, SqlTool

Ask = Callable[[str], SqlResult]
LEVELS = ("qty", "open_qty", "heads")
TABLES = {
    "shelf": ("CREATE TABLE shelf (ym VARCHAR, wh VARCHAR, qty BIGINT, moved BIGINT)", ("ym",)),
    "backlog": ("CREATE TABLE backlog (ym VARCHAR, customer VARCHAR, open_qty BIGINT)", ("ym",)),
    "staff": ("CREATE TABLE staff (y BIGINT, m BIGINT, dept VARCHAR, heads BIGINT)", ("y", "m")),
}
ROWS = (
    "INSERT INTO shelf VALUES ('2026-09','E',10,1),('2026-09','W',20,2),"
    "('2026-10','E',11,3),('2026-10','W',21,4);"
    "INSERT INTO backlog VALUES ('2026年9月','A',5),('2026年10月','A',7);"
    "INSERT INTO staff VALUES (2025,12,'HR',3),(2025,12,'IT',4),(2026,1,'HR',5),(2026,1,'IT',6)"
)


class LevelStore:
    """The part of a store that the tool reads."""

    def __init__(self, warehouse: Path, catalog: Catalog) -> None:
        self.warehouse, self.catalog, self.revision = warehouse, catalog, 1

    def find_values(self, word: str, **_: object) -> list[object]:
        return []


def record(connection: duckdb.DuckDBPyConnection, name: str) -> TableRecord:
    columns = []
    for column, kind, *_ in connection.execute(f"DESCRIBE {name}").fetchall():
        measure = "stock" if column in LEVELS else "flow" if column == "moved" else None
        values = connection.execute(f"SELECT DISTINCT {column}::VARCHAR FROM {name}").fetchall()
        told = {"name": column, "type": kind, "original": column, "measure": measure}
        counted = {"distinct": len(values), "examples": tuple(sorted(v for (v,) in values))}
        columns.append(ColumnRecord.model_validate(told | counted))
    (count,) = connection.execute(f"SELECT count(*) FROM {name}").fetchone() or (0,)
    return TableRecord(
        name=name,
        source=f"{name}.csv",
        rows=count,
        columns=tuple(columns),
        period=TABLES[name][1],
    )


@pytest.fixture(scope="module")
def monthly(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ask]:
    path = tmp_path_factory.mktemp("levels") / "warehouse.duckdb"
    with duckdb.connect(str(path)) as connection:
        for create, _ in TABLES.values():
            connection.execute(create)
        connection.execute(ROWS)
        catalog = Catalog(tables=tuple(record(connection, name) for name in TABLES))
    context = ToolContext(store=cast(Store, LevelStore(path, catalog)), today=date(2026, 11, 30))
    tool = SqlTool()
    yield lambda sql: tool.run(SqlArguments(query=sql), context)
    tool.close()


@pytest.mark.parametrize(
    ("sql", "found"),
    [
        ("SELECT sum(qty) FROM shelf", "2026-09, 2026-10"),
        ("SELECT wh, sum(qty) FROM shelf GROUP BY wh", "2026-09, 2026-10"),
        ("SELECT sum(qty) FROM shelf WHERE ym LIKE '2026%'", "2026-09, 2026-10"),
        ("SELECT left(ym, 4) AS y, sum(qty) FROM shelf GROUP BY 1", "2026-09, 2026-10"),
        ("SELECT sum(q) FROM (SELECT ym, sum(qty) AS q FROM shelf GROUP BY ym)",
         "2026-09, 2026-10"),
        ("SELECT sum(open_qty) FROM backlog", "2026-09, 2026-10"),
        ("SELECT sum(heads) FROM staff", "2025-12, 2026-01"),
        ("SELECT sum(h) FROM (SELECT y, m, sum(heads) AS h FROM staff GROUP BY y, m)",
         "2025-12, 2026-01"),
    ],
)  # fmt: skip
def test_months_of_a_level_are_not_added_up(monthly: Ask, sql: str, found: str) -> None:
    with pytest.raises(ToolRetry) as error:
        monthly(sql)
    assert error.value.kind == "stock_over_dates"
    assert f"several periods ({found})" in error.value.message


@pytest.mark.parametrize(
    ("sql", "first", "note"),
    [
        ("SELECT sum(qty) FROM shelf WHERE ym = '2026-10'", "32",
         "stock as of 2026-10 (month end) (shelf)"),
        ("SELECT sum(qty) FROM shelf WHERE ym = (SELECT max(ym) FROM shelf)", "32",
         "stock as of 2026-10 (month end) (shelf)"),
        ("SELECT ym, sum(qty) FROM shelf GROUP BY ym ORDER BY ym", "2026-09",
         "stock of 2026-09 to 2026-10 (shelf)"),
        ("SELECT sum(qty) / 2.0 FROM shelf", 31.0, "stock of 2026-09 to 2026-10 (shelf)"),
        ("SELECT sum(open_qty) FROM backlog WHERE ym = '2026年10月'", "7",
         "stock as of 2026-10 (month end) (backlog)"),
        ("SELECT sum(heads) FROM staff WHERE y = 2026 AND m = 1", "11",
         "stock as of 2026-01 (month end) (staff)"),
        ("SELECT y, m, sum(heads) FROM staff GROUP BY y, m ORDER BY y", 2025,
         "stock of 2025-12 to 2026-01 (staff)"),
        ("SELECT arg_max(qty, ym) FROM shelf WHERE wh = 'E'", 11,
         "stock as of 2026-10 (month end) (shelf)"),
    ],
)  # fmt: skip
def test_one_month_runs_and_says_which(monthly: Ask, sql: str, first: object, note: str) -> None:
    result = monthly(sql)
    assert result.rows.rows[0][0] == first
    assert note in result.answer_notes


def test_flows_beside_a_level_are_added_up_without_a_note(monthly: Ask) -> None:
    result = monthly("SELECT sum(moved) FROM shelf")
    assert (result.rows.rows[0][0], result.answer_notes) == ("10", ())


def test_a_month_without_rows_is_as_of_nothing(monthly: Ask) -> None:
    result = monthly("SELECT sum(qty) FROM shelf WHERE ym = '2026-12'")
    assert not [note for note in result.answer_notes if note.startswith("stock")]


@pytest.mark.parametrize(
    ("table", "level", "total"), [("shelf", "qty", "32"), ("staff", "heads", "11")]
)
def test_the_fix_of_the_refusal_runs(monthly: Ask, table: str, level: str, total: str) -> None:
    with pytest.raises(ToolRetry) as error:
        monthly(f"SELECT sum({level}) FROM {table}")
    fix = error.value.hint.removeprefix("filter one period: ").split(", or ")[0]
    assert monthly(f"SELECT sum({level}) FROM {table} WHERE {fix}").rows.rows[0][0] == total
