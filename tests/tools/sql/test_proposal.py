"""Corrected queries for columns that are looked for in the wrong table."""

from collections.abc import Callable

import duckdb
import pytest

from ingest.store import Catalog, ColumnRecord, JoinRecord, TableRecord
from tools.errors import ToolRetry
from tools.sql.guard import check
from tools.sql.proposal import propose
from tools.sql.result import SqlResult


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


def test_the_nearest_way_is_taken_over_tables_that_are_not_asked_for() -> None:
    sql = propose("SELECT publisher FROM review", CATALOG)
    assert sql is not None
    assert sql.endswith(
        "FROM review JOIN book AS j2 ON review.book_id = j2.book_id"
        " JOIN publication AS j3 ON j2.book_id = j3.book_id"
    )
    assert _runs(sql)


def test_two_columns_of_a_missing_table_are_read_from_one_join() -> None:
    sql = propose("SELECT b.title, b.publisher, b.price FROM book AS b", CATALOG)
    assert sql == (
        "SELECT b.title, j2.publisher, j2.price FROM book AS b"
        " JOIN publication AS j2 ON b.book_id = j2.book_id"
    )


def test_a_join_on_a_column_that_is_not_there_goes_over_the_table_between() -> None:
    query = "SELECT p.price, r.stars FROM publication p JOIN review r ON p.review_id = r.review_id"
    sql = propose(query, CATALOG)
    assert sql == (
        "SELECT p.price, r.stars FROM publication AS p JOIN book AS j3 ON p.book_id = j3.book_id"
        " JOIN review AS r ON j3.book_id = r.book_id"
    )
    assert _runs(sql)


def test_a_table_that_only_the_columns_name_is_joined_under_its_name() -> None:
    sql = propose("SELECT book.title, review.stars FROM review", CATALOG)
    assert sql == (
        "SELECT book.title, review.stars FROM review JOIN book ON review.book_id = book.book_id"
    )
    assert _runs(sql)


def test_a_column_of_a_table_that_is_not_in_from_is_not_looked_for_in_another() -> None:
    sql = propose("SELECT book.book_id, review.stars FROM review", CATALOG)
    assert sql is not None
    assert sql.endswith("FROM review JOIN book ON review.book_id = book.book_id")


def test_bare_names_say_their_table_before_another_table_may_have_them() -> None:
    sql = propose("SELECT book_id, title, stars FROM book WHERE book_id > 1", CATALOG)
    assert sql is not None
    assert sql.startswith("SELECT book.book_id, book.title, j2.stars FROM book")
    assert sql.endswith("WHERE book.book_id > 1")
    assert _runs(sql)


def test_the_nearest_table_and_column_are_taken_for_misspelt_ones() -> None:
    assert propose("SELECT title FROM bok", CATALOG) == "SELECT title FROM book"
    assert propose("SELECT publishers FROM publication", CATALOG) == (
        "SELECT publisher FROM publication"
    )


def test_the_largest_count_of_groups_is_the_count_of_the_first() -> None:
    sql = propose("SELECT MAX(COUNT(stars)) AS n, book_id FROM review GROUP BY book_id", CATALOG)
    assert sql == (
        "SELECT COUNT(stars) AS n, book_id FROM review GROUP BY book_id"
        " ORDER BY COUNT(stars) DESC LIMIT 1"
    )
    assert _runs(sql)


def test_top_is_written_as_limit() -> None:
    sql = propose("SELECT TOP 3 title FROM book ORDER BY title", CATALOG)
    assert sql is not None
    assert sql.startswith("SELECT title FROM book ORDER BY title")
    assert sql.endswith("LIMIT 3")
    assert _runs(sql)


def test_a_bare_name_that_joined_tables_share_is_read_from_the_first() -> None:
    query = "SELECT book_id FROM publication JOIN book ON publication.book_id = book.book_id"
    checked = check(query, CATALOG)
    assert checked.sql == query.replace("SELECT book_id", "SELECT publication.book_id")
    assert checked.notes == ()


def test_a_shared_name_of_an_outer_join_stays_ambiguous() -> None:
    query = "SELECT book_id FROM publication LEFT JOIN book ON publication.book_id = book.book_id"
    assert check(query, CATALOG).sql == query


def test_case_and_underscores_of_a_column_are_put_right_with_a_note() -> None:
    checked = check("SELECT BookId FROM book", CATALOG)
    assert checked.sql == "SELECT book_id FROM book"
    assert checked.notes == ("BookId was read as book.book_id",)


def test_a_table_that_is_there_is_not_joined_once_more() -> None:
    catalog = Catalog(
        tables=(
            _table("visits", "staff_id", "engineer_id"),
            _table("staff", "staff_id", "staff_name"),
            _table("engineers", "engineer_id", "first_name"),
        ),
        joins=tuple(
            JoinRecord(left_table="visits", left_column=key, right_table=table, right_column=key)
            for key, table in (("staff_id", "staff"), ("engineer_id", "engineers"))
        ),
    )
    query = "SELECT v.staff_name, s.first_name FROM visits AS v JOIN staff AS s ON v.staff_id = s.staff_id"
    assert propose(query, catalog) == (
        "SELECT s.staff_name, j3.first_name FROM visits AS v JOIN staff AS s "
        "ON v.staff_id = s.staff_id JOIN engineers AS j3 ON v.engineer_id = j3.engineer_id"
    )


@pytest.mark.parametrize(
    ("query", "meant"),
    [
        (
            "SELECT publisher, COUNT(book_id) FROM review GROUP BY publisher",
            "SELECT publisher, COUNT(book_id) FROM publication GROUP BY publisher",
        ),
        (
            "SELECT r.publisher, COUNT(r.book_id) FROM review AS r GROUP BY r.publisher",
            "SELECT r.publisher, COUNT(r.book_id) FROM publication AS r GROUP BY r.publisher",
        ),
    ],
)
def test_the_one_table_that_has_all_columns_is_read_alone(query: str, meant: str) -> None:
    assert propose(query, CATALOG) == meant


def test_a_table_whose_own_column_is_read_is_kept() -> None:
    query = "SELECT publisher, AVG(stars) FROM review GROUP BY publisher"
    assert propose(query, CATALOG) != query.replace("review", "publication")


def test_of_two_tables_as_near_the_one_that_is_called_after_it_is_joined() -> None:
    catalog = Catalog(
        tables=(
            _table("fault_logs", "log_id", "description"),
            _table("fault_log_parts", "log_id", "status"),
            _table("visits", "log_id", "status"),
        ),
        joins=tuple(
            JoinRecord(
                left_table=left,
                left_column="log_id",
                right_table="fault_logs",
                right_column="log_id",
            )
            for left in ("fault_log_parts", "visits")
        ),
    )
    found = propose("SELECT description, status FROM fault_logs", catalog)
    assert found == (
        "SELECT fault_logs.description, j2.status FROM fault_logs JOIN fault_log_parts AS j2 "
        "ON fault_logs.log_id = j2.log_id"
    )


def test_to_char_is_proposed_as_strftime(ask: Callable[[str], SqlResult]) -> None:
    with pytest.raises(ToolRetry) as error:
        ask("SELECT TO_CHAR(sold_on, 'YYYY-MM') AS m, sum(quantity) FROM sales GROUP BY 1")
    assert "STRFTIME(sold_on, '%Y-%m')" in error.value.hint
    assert error.value.hint.startswith("try: ")
    rows = ask(error.value.hint.removeprefix("try: ") + " ORDER BY 1").rows.rows
    assert rows == (("2026-01", "3"), ("2026-02", "8"), ("2026-03", "5"))


@pytest.mark.parametrize(
    "sql",
    [
        """SELECT json_extract('{"a":1}', '$..*'), no_such FROM sales""",
        """SELECT '{"a":1}'::JSON -> '$..*' FROM sale""",
        "SELECT approx_top_k(city, 2), no_such FROM sales",
    ],
)
def test_what_cannot_be_written_again_is_not_proposed_and_still_a_tool_error(
    sql: str, ask: Callable[[str], SqlResult]
) -> None:
    with pytest.raises(ToolRetry):
        ask(sql)


def test_an_order_by_a_sum_gets_its_groups() -> None:
    query = "SELECT title FROM review JOIN book USING (book_id) ORDER BY SUM(stars) DESC LIMIT 1"
    found = propose(query, CATALOG)
    assert found is not None and "GROUP BY title ORDER BY SUM(stars)" in found.replace(
        "book.", ""
    ).replace("review.", "")


CUSTOMERS = Catalog(
    tables=(
        _table("customers", "customer_id", "customer_name", "customer_phone", "fax"),
        _table("contacts", "contact_id", "customer_id", "first_name", "last_name", "contact_phone"),
    ),
    joins=(
        JoinRecord(
            left_table="contacts",
            left_column="customer_id",
            right_table="customers",
            right_column="customer_id",
        ),
    ),
)


@pytest.mark.parametrize(
    ("question", "query", "expected"),
    [
        (
            "Show the names and phones of all customers.",
            "SELECT T1.first_name, T1.last_name, T1.contact_phone FROM customers AS T1",
            "SELECT T1.customer_name, T1.customer_phone FROM customers AS T1",
        ),
        (
            "Show each customer's contact phone.",
            "SELECT contact_phone FROM customers",
            "SELECT j2.contact_phone FROM customers JOIN contacts AS j2"
            " ON customers.customer_id = j2.customer_id",
        ),
        (
            "The customer phone, and which phone is called?",
            "SELECT customer_phone, contact_phone FROM customers",
            "SELECT customers.customer_phone, j2.contact_phone FROM customers JOIN contacts AS j2"
            " ON customers.customer_id = j2.customer_id",
        ),
        (
            "The phones?",
            "SELECT contact_phone FROM customers",
            "SELECT j2.contact_phone FROM customers JOIN contacts AS j2"
            " ON customers.customer_id = j2.customer_id",
        ),
    ],
)
def test_the_column_that_the_question_says_is_taken_for_one_that_it_does_not(
    question: str, query: str, expected: str
) -> None:
    assert propose(query, CUSTOMERS, question) == expected
