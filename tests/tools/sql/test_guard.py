from datetime import date

import pytest

from ingest.store import Catalog
from tools.errors import ToolError, ToolRefused, ToolRetry
from tools.sql.guard import check

HOSTILE = {
    "statement_not_allowed": (
        "INSERT INTO sales VALUES (1)",
        "UPDATE sales SET city = 'x'",
        "DELETE FROM sales",
        "DROP TABLE sales",
        "CREATE TABLE x (a INTEGER)",
        "CREATE TEMP TABLE x AS SELECT 1",
        "CREATE VIEW v AS SELECT 1",
        "ALTER TABLE sales ADD COLUMN x INTEGER",
        "TRUNCATE sales",
        "COPY sales TO '/tmp/x.csv'",
        "COPY (SELECT * FROM sales) TO '/tmp/x.parquet' (FORMAT parquet)",
        "EXPORT DATABASE '/tmp/x'",
        "ATTACH '/tmp/x.db' AS x",
        "DETACH warehouse",
        "INSTALL httpfs",
        "LOAD httpfs",
        "PRAGMA database_list",
        "CALL pragma_version()",
        "SET memory_limit = '100GB'",
        "SET VARIABLE x = 1",
        "RESET memory_limit",
        "CHECKPOINT",
        "EXPLAIN SELECT 1",
        "EXPLAIN ANALYZE SELECT * FROM sales",
        "SHOW TABLES",
        "DESCRIBE sales",
        "SUMMARIZE sales",
        "BEGIN TRANSACTION",
        "VACUUM",
        "USE information_schema",
        "SELECT * INTO x FROM sales",
        "PIVOT sales ON city USING SUM(quantity)",
        "SELECT * FROM (PIVOT sales ON city USING SUM(quantity))",
        "SELECT * FROM (DESCRIBE sales)",
        "SELECT * FROM (SHOW TABLES)",
        "MERGE INTO sales USING products ON true WHEN MATCHED THEN DELETE",
        "PREPARE p AS SELECT 1",
    ),
    "multiple_statements": (
        "SELECT 1; DROP TABLE sales",
        "SELECT 1; SELECT 2",
        "SELECT 1 --x\n; DELETE FROM sales",
    ),
    "table_not_allowed": (
        "SELECT * FROM 'x.csv'",
        "SELECT * FROM '/etc/passwd'",
        'SELECT * FROM "x.parquet"',
        "SELECT * FROM information_schema.tables",
        "SELECT * FROM pg_catalog.pg_tables",
        "SELECT * FROM duckdb_tables",
        "SELECT * FROM sqlite_master",
        "SELECT * FROM system.main.sales",
        "WITH duckdb_settings AS (SELECT 1) SELECT * FROM duckdb_settings",
        "SELECT (SELECT COUNT(*) FROM pragma_database_list) FROM sales",
    ),
    "table_function_not_allowed": (
        "SELECT * FROM read_csv('/etc/passwd')",
        "SELECT * FROM read_text('/etc/passwd')",
        "SELECT * FROM read_blob('x')",
        "SELECT * FROM read_parquet('x')",
        "SELECT * FROM read_json_auto('x')",
        "SELECT * FROM glob('/**')",
        "SELECT * FROM sniff_csv('x')",
        "SELECT * FROM query('DROP TABLE sales')",
        "SELECT * FROM query_table('sales')",
        "SELECT * FROM duckdb_settings()",
        "SELECT * FROM duckdb_databases()",
        "SELECT * FROM pragma_table_info('sales')",
        "SELECT * FROM json_execute_serialized_sql('x')",
        "SELECT * FROM repeat('x', 10)",
        "SELECT * FROM \"read_csv\"('x')",
        "SELECT * FROM sales, LATERAL (SELECT * FROM read_text('x'))",
    ),
    "function_not_allowed": (
        "SELECT current_setting('memory_limit')",
        "SELECT getvariable('x')",
        "SELECT sleep_ms(100000)",
        "SELECT nextval('s')",
        "SELECT write_log('x')",
        "SELECT getenv('HOME')",
        "SELECT current_user",
        "SELECT current_database()",
        "SELECT city FROM sales WHERE getvariable('x') = 1",
        "SELECT json_serialize_sql('SELECT 1')",
        "SELECT query('SELECT 1')",
        "SELECT nosuchfunction(city) FROM sales",
    ),
}
CASES = [(kind, sql) for kind, group in HOSTILE.items() for sql in group]


@pytest.mark.parametrize(("kind", "sql"), CASES, ids=[sql[:50] for _, sql in CASES])
def test_a_hostile_query_is_refused_by_a_named_kind(kind: str, sql: str, catalog: Catalog) -> None:
    with pytest.raises(ToolRefused) as refusal:
        check(sql, catalog)
    assert refusal.value.kind == kind
    assert refusal.value.hint


@pytest.mark.parametrize(
    ("sql", "kind"),
    [
        ("", "syntax_error"),
        ("  ;  ", "syntax_error"),
        ("-- nothing", "syntax_error"),
        ("SELEC city FROM sales", "syntax_error"),
        ("SELECT FROM WHERE", "syntax_error"),
        ("SELECT city FROM sales WHERE", "syntax_error"),
        ("SELECT 'abc", "syntax_error"),
        ("SELECT city FROM sales WHERE city = ?", "syntax_error"),
        ("SELECT city FROM sales WHERE city = $1", "syntax_error"),
        ("SELECT 1\x00", "syntax_error"),
        ("SELECT " + "(" * 900 + "1" + ")" * 900, "query_too_deep"),
        ("SELECT '" + "x" * 30_000 + "'", "query_too_long"),
        ("SELECT to_char(sold_on, 'YYYY') FROM sales", "sql_error"),
        ("SELECT * FROM sale", "unknown_table"),
    ],
)
def test_a_broken_query_comes_back_with_its_kind(sql: str, kind: str, catalog: Catalog) -> None:
    with pytest.raises(ToolError) as error:
        check(sql, catalog)
    assert error.value.kind == kind
    assert error.value.hint


def test_an_unknown_table_is_answered_with_the_nearest_names(catalog: Catalog) -> None:
    with pytest.raises(ToolRetry) as error:
        check("SELECT * FROM Sale", catalog)
    assert error.value.hint.startswith("nearest: sales")
    assert "products" in error.value.hint


def test_describe_points_at_the_catalog_tool(catalog: Catalog) -> None:
    with pytest.raises(ToolRefused) as error:
        check("DESCRIBE sales", catalog)
    assert "catalog tool" in error.value.hint


def test_a_missing_function_is_answered_with_what_to_write(catalog: Catalog) -> None:
    with pytest.raises(ToolRefused) as error:
        check("SELECT julianday(sold_on) FROM sales", catalog)
    assert "date_diff" in error.value.hint


def test_what_runs_is_regenerated_without_comments(catalog: Catalog) -> None:
    query = check("select /* x */ city from sales -- y", catalog)
    assert query.sql == "SELECT city FROM sales"


def test_backticks_become_quoted_names(catalog: Catalog) -> None:
    query = check("SELECT `unit price` FROM `products`", catalog)
    assert query.sql == 'SELECT "unit price" FROM "products"'


def test_a_reserved_word_as_table_is_quoted(catalog: Catalog) -> None:
    assert check("SELECT qty FROM order", catalog).sql == 'SELECT qty FROM "order"'


def test_a_double_quoted_value_becomes_text_with_a_note(catalog: Catalog) -> None:
    query = check('SELECT city FROM sales WHERE city = "Tokyo"', catalog)
    assert query.sql == "SELECT city FROM sales WHERE city = 'Tokyo'"
    assert "'Tokyo'" in query.notes[0]


def test_double_quoted_values_in_a_list_become_texts(catalog: Catalog) -> None:
    query = check('SELECT city FROM sales WHERE city IN ("Tokyo", "Osaka")', catalog)
    assert query.sql.endswith("city IN ('Tokyo', 'Osaka')")


@pytest.mark.parametrize(
    "sql",
    [
        'SELECT "Total" FROM sales',
        "SELECT city FROM sales WHERE \"citty\" = 'Tokyo'",
        'SELECT city FROM sales WHERE quantity > "amounts"',
        'SELECT city FROM sales WHERE city = "citi"',
        "SELECT city FROM sales WHERE city = `Tokyo`",
    ],
)
def test_an_unsure_double_quoted_name_stays_a_name(sql: str, catalog: Catalog) -> None:
    query = check(sql, catalog)
    assert query.notes == ()
    assert query.sql.count("'") == sql.count("'")


def test_the_clock_is_the_callers_date(catalog: Catalog) -> None:
    query = check("SELECT current_date, now()", catalog, date(2026, 3, 31))
    assert "2026-03-31" in query.sql
    assert "NOW" not in query.sql
    assert query.notes == ("the current date is 2026-03-31",)


def test_the_columns_of_a_query_are_found_through_aliases_and_stars(catalog: Catalog) -> None:
    query = check(
        "WITH s AS (SELECT * FROM stock) "
        "SELECT p.商品名 FROM products AS p JOIN s ON s.product_cd = p.product_cd",
        catalog,
    )
    assert query.tables == ("products", "stock")
    assert set(query.columns) == {
        ("products", "商品名"),
        ("products", "product_cd"),
        ("stock", "day"),
        ("stock", "product_cd"),
        ("stock", "on_hand"),
    }


def test_a_cte_may_not_smuggle_a_system_name(catalog: Catalog) -> None:
    with pytest.raises(ToolRefused) as error:
        check("WITH a AS (WITH duckdb_logs AS (SELECT 1) SELECT 1) SELECT * FROM a", catalog)
    assert error.value.kind == "table_not_allowed"


def test_a_code_fence_around_the_query_is_taken_off(catalog: Catalog) -> None:
    assert check("```sql\nSELECT city FROM sales\n```", catalog).sql == "SELECT city FROM sales"


@pytest.mark.parametrize(
    ("sql", "word"),
    [("SELECT TOP 5 city FROM sales", "LIMIT"), ("SELECT SUM(amount) 'total' FROM sales", "AS")],
)
def test_another_databases_spelling_is_answered_with_duckdbs(
    sql: str, word: str, catalog: Catalog
) -> None:
    with pytest.raises(ToolRetry) as error:
        check(sql, catalog)
    assert word in error.value.hint
