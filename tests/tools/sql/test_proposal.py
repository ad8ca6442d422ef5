"""Corrected queries for columns that are looked for in the wrong table."""

import duckdb
import pytest

from ingest.store import Catalog, ColumnRecord, JoinRecord, TableRecord
from tools.errors import ToolRetry
from tools.sql.guard import check
from tools.sql.hints import sql_error
from tools.sql.proposal import propose


def _table(name: str, *columns: str) -> TableRecord:
    records = tuple(ColumnRecord(name=c, type="BIGINT", original=c) for c in columns)
    return TableRecord(name=name, source=f"{name}.csv", rows=1, columns=records)


CATALOG = Catalog(
    tables=(
        _table("book", "book_id", "title"),
        _table("publication", "book_id", "publisher", "price"),
        _table("review", "book_id", "stars"),
        _table("author", "name"),
    ),
    joins=tuple(
        JoinRecord(
            left_table=left, left_column="book_id", right_table="book", right_column="book_id"
        )
        for left in ("publication", "review")
    ),
)


def _runs(sql: str) -> bool:
    connection = duckdb.connect()
    for table in CATALOG.tables:
        columns = ", ".join(f"{c.name} BIGINT" for c in table.columns)
        connection.execute(f"CREATE TABLE {table.name} ({columns})")
    return connection.execute(sql).fetchall() == []


def test_a_column_of_the_other_table_is_read_there_and_a_note_says_so() -> None:
    query = "SELECT b.publisher FROM publication p JOIN book b ON p.book_id = b.book_id"
    checked = check(query, CATALOG)
    assert checked.sql == query.replace("b.publisher", "p.publisher").replace(
        "publication p JOIN book b", "publication AS p JOIN book AS b"
    )
    assert checked.notes == ("b.publisher was read as publication.publisher",)


@pytest.mark.parametrize(
    "query",
    [
        "SELECT r.title FROM publication p JOIN review r ON p.book_id = r.book_id",
        "SELECT a.book_id FROM author a, publication p, review r",
        "SELECT b.title FROM book b JOIN author a ON b.book_id = a.book_id",
    ],
)
def test_what_is_not_certain_is_left_as_it_was_written(query: str) -> None:
    assert check(query, CATALOG).notes == ()


def test_the_one_table_that_has_the_column_is_joined_by_the_proved_join() -> None:
    sql = propose("SELECT title, stars FROM book", CATALOG)
    assert sql is not None
    assert sql.endswith("FROM book JOIN review AS j2 ON book.book_id = j2.book_id")
    assert _runs(sql)


def test_columns_of_an_inner_select_are_not_mended_by_the_outer_one() -> None:
    query = "SELECT b.price FROM book b WHERE b.book_id IN (SELECT book_id FROM review)"
    sql = propose(query, CATALOG)
    assert sql is not None
    assert "SELECT book_id FROM review" in sql
    assert _runs(sql)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT title FROM book",
        "SELECT nowhere FROM book",
        "SELECT stars FROM author",
        "SELECT price AS stars FROM publication ORDER BY stars",
        "WITH t AS (SELECT 1 AS stars) SELECT stars FROM t",
        "SELECT x.stars FROM book b",
        "not sql at all (",
    ],
)
def test_what_no_rule_can_mend_gets_no_proposal(sql: str) -> None:
    assert propose(sql, CATALOG) is None


def test_an_error_about_a_column_shows_the_proposal() -> None:
    message = 'Binder Error: Referenced column "stars" not found in FROM clause!'
    error = sql_error(message, CATALOG, ["book"], "SELECT title, stars FROM book")
    assert isinstance(error, ToolRetry)
    assert error.kind == "unknown_column"
    assert error.hint.startswith("try: SELECT title, j2.stars FROM book JOIN review")
