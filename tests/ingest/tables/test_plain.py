"""Cells that the stage keeps as values come to the same as cells that it keeps as text."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import pytest

from ingest.store.settings import IngestSettings
from ingest.tables import TableImport, import_tables
from ingest.tables.delimited import read_delimited
from ingest.tables.direct import MIN_BYTES, drop_directly, stage_directly
from ingest.tables.forms import Counts, count_forms, plain_counts
from ingest.tables.layout import find_layout
from ingest.tables.plain import guess_kinds
from ingest.tables.staging import STAGE


@pytest.mark.parametrize(
    ("cells", "kind"),
    [
        (["0", "-7", "", "123456789012345678"], "BIGINT"),
        (["0.50", "-12.34"], "DECIMAL(18,2)"),
        (["2026-01-05", "2026-02-07"], "DATE"),
        (["2026-01-05 09:30:00", "2026-01-05 09:30:00.5"], "TIMESTAMP"),
        (["007", "012"], None),
        (["1,234", "5,678"], None),
        (["1.5", "1.50"], None),
        (["１", "２"], None),
        (["2026-1-5", "2026/01/05"], None),
        (["5", "a", "b"], None),
        (["", " "], None),
    ],
)
def test_a_column_is_tried_as_what_its_first_cells_are_written_as(
    cells: list[str], kind: str | None
) -> None:
    assert guess_kinds([[cell] for cell in cells], 1).get(0) == kind


def staged(
    connection: duckdb.DuckDBPyConnection, path: Path, cells: list[str]
) -> tuple[str | None, list[str | None], Counts | None, Counts]:
    """The kind that is tried, the text the stage gives back, and both ways of counting it."""
    path.write_text("k;x\n" + "".join(f"a;{cell}\n" for cell in cells))
    grid = read_delimited(path)[0]
    result = stage_directly(connection, grid, find_layout(grid), smallest=0)
    assert result is not None
    kind = result[1].kinds.get(1)
    text = [row[0] for row in connection.execute(f"SELECT c1 FROM {STAGE} ORDER BY n").fetchall()]
    plain = plain_counts(connection, 1, kind) if kind else None
    counts = count_forms(connection, 1, False)
    drop_directly(connection)
    return kind, text, plain, counts


@pytest.mark.parametrize(
    "cells",
    [
        ["5", "-12", "0", "123456789012345678", "5"],
        ["0.50", "-123.45", "-0.05", "99.00"],
        ["1.0", "-2.0", "3.0"],
        ["1.0", "2.5", "-0.5"],
        ["2026-01-05", "1999-12-31", "0001-01-01", "9999-12-31"],
        ["2026-01-05 09:30:00", "2026-01-05 00:00:00", "2026-01-05 23:59:59.25"],
    ],
)
def test_a_column_of_values_is_counted_as_its_text_is(
    connection: duckdb.DuckDBPyConnection, tmp_path: Path, cells: list[str]
) -> None:
    kind, text, plain, counts = staged(connection, tmp_path / "a.csv", cells)
    assert kind is not None
    assert text == cells
    assert plain == replace(counts, distinct=0)
    assert counts.total == len(cells)


@pytest.mark.parametrize(
    ("usual", "odd"),
    [
        ("5", ["007", "-0", "+5", "1e3", "0x1F", "1_000", "５", "1,234", "1234567890123456789"]),
        ("5", ["12345678901234567890", "true", "abc", "5.0", "５円"]),
        (
            "1.50",
            ["1.5", "-0.00", "1", ".50", "1.505", "-0.001", "1e2", "12345678901234567.00", "NaN"],
        ),
        ("2026-01-05", ["infinity", "-infinity", "epoch", "10000-01-01", "2026-1-5", "0000-01-01"]),
        ("2026-01-05", ["2026-01-05 (BC)", "0044-03-15 (BC)", "2026-02-30", "2026-01-05 00:00:00"]),
        ("2026-01-05 09:30:00", ["2026-01-05", "2026-01-05T09:30:00", "2026-01-05 09:30:00Z"]),
        ("2026-01-05 09:30:00", ["2026-01-05 09:30", "2026-01-05 09:30:00.500", "infinity"]),
    ],
)
def test_a_cell_that_is_written_otherwise_stays_as_it_is_written(
    connection: duckdb.DuckDBPyConnection, tmp_path: Path, usual: str, odd: list[str]
) -> None:
    for cell in odd:
        cells = [*[usual] * 20, cell, usual]
        kind, text, plain, counts = staged(connection, tmp_path / "a.csv", cells)
        assert kind is not None
        assert text == cells
        assert plain is None or plain == replace(counts, distinct=0)


def test_a_big_file_comes_to_the_same_table_as_through_our_own_reader(tmp_path: Path) -> None:
    quoted = '"1,200"'
    rows = [
        f"{i},{i % 7}.{i % 90 + 10},2026-01-{i % 28 + 1:02},2026-01-05 10:{i % 60:02}:00,"
        f"東京{i % 40},{'N/A' if i % 9 else i},{'x' if i == 9000 else i},{i % 3}.0,"
        f"{quoted if i == 8000 else i},商品 {i % 11}"
        for i in range(1, 9001)
    ]
    header = "id,price,order_date,shipped_at,store,blank,odd,whole,grouped,product"
    direct = imported(tmp_path / "a.csv", [header, *rows], direct=True)
    slow = imported(tmp_path / "b.csv", [header, *rows, "", ",,,,,,,,,", "note"], direct=False)
    assert direct[0].tables[0].columns == slow[0].tables[0].columns
    assert direct[1] == slow[1]
    types = [column.type for column in direct[0].tables[0].columns]
    assert types[:4] == ["BIGINT", "DECIMAL(18,2)", "DATE", "TIMESTAMP"]
    assert types[5:9] == ["BIGINT"] * 4
    assert [(c.column, c.row, c.value) for c in direct[0].quarantined] == [("odd", 9001, "x")]


def imported(path: Path, lines: list[str], *, direct: bool) -> tuple[TableImport, list[Any]]:
    path.write_text("\n".join(lines))
    assert path.stat().st_size >= MIN_BYTES
    grid = read_delimited(path)[0]
    with duckdb.connect() as connection:
        assert (stage_directly(connection, grid, find_layout(grid)) is not None) == direct
        drop_directly(connection)
        result = import_tables(connection, path, "orders.csv", IngestSettings())
        name = result.tables[0].name
        return result, connection.execute(f'SELECT * FROM "{name}"').fetchall()


def test_a_note_on_a_column_of_text_does_not_depend_on_the_order_of_its_cells(
    take: Callable[..., TableImport],
) -> None:
    notes: list[tuple[str, ...]] = []
    for words in (("pen", "ink", "cap"), ("cap", "pen", "ink")):
        text = "id,x\n" + "".join(f"{i},{word}\n" for i, word in enumerate([*words, *"3456"]))
        notes.append(take(text, name=f"a{len(notes)}.csv").tables[0].notes)
    assert notes[0] == notes[1]
    assert "'cap'" in notes[0][-1]
