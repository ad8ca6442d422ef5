"""Figures with thousands separators that are not quoted shift the cells of their record."""

from collections.abc import Callable

import duckdb

from ingest.tables import TableImport

Take = Callable[..., TableImport]


def test_a_figure_that_its_own_comma_splits_is_listed_and_never_read_in_part(
    take: Take, connection: duckdb.DuckDBPyConnection
) -> None:
    result = take("a,b,c\nx,1,234,50\ny,2,345,60\nz,999,70\n")
    assert connection.execute("SELECT * FROM sales").fetchall() == [
        ("x", None, None),
        ("y", None, None),
        ("z", 999, 70),
    ]
    assert [(c.row, c.column, c.value) for c in result.quarantined[:3]] == [
        (2, "b", "1"),
        (2, "c", "234"),
        (2, "column_4", "50"),
    ]
    assert [c.quarantined for c in result.tables[0].columns] == [0, 2, 2]


def test_quoted_figures_and_short_headers_are_read_as_they_stand(
    take: Take, connection: duckdb.DuckDBPyConnection
) -> None:
    take('a,b\nx,"1,234"\nz,999\n')
    assert connection.execute("SELECT sum(b) FROM sales").fetchall() == [(2233,)]
    result = take("a,b\nx,5,p\ny,6,q\n", name="short.csv")
    assert connection.execute("SELECT * FROM short").fetchall() == [("x", 5, "p"), ("y", 6, "q")]
    assert "The header names 2 columns, the rows below have 3." in result.tables[0].notes
