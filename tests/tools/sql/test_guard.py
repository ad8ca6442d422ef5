from datetime import date

import duckdb
import pytest

from ingest.store import Catalog
from tools.errors import ToolError, ToolRefused, ToolRetry
from tools.sql.functions import FUNCTIONS
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


@pytest.mark.parametrize(
    ("sql", "name"),
    [
        ("TRUNCATE sales", "TRUNCATE"),
        ("HELP", "HELP"),
        ("START TRANSACTION", "START"),
        ("FROM sales INSERT INTO x", "INSERT"),
        ("(DELETE FROM sales RETURNING *)", "DELETE"),
        ("/* SELECT */ (UPDATE sales SET quantity = 0)", "UPDATE"),
        ("SELECT 1 INTO OUTFILE 'x'", "SELECT INTO OUTFILE"),
    ],
)
def test_a_statement_is_refused_by_the_name_that_it_was_written_with(
    sql: str, name: str, catalog: Catalog
) -> None:
    with pytest.raises(ToolRefused) as refusal:
        check(sql, catalog)
    assert refusal.value.kind == "statement_not_allowed"
    assert refusal.value.message == f"{name} is not allowed: only SELECT runs"


def test_a_function_named_by_a_text_is_judged_like_a_call(catalog: Catalog) -> None:
    with pytest.raises(ToolRefused) as refusal:
        check("SELECT list_aggregate(['HOME'], 'getenv')", catalog)
    assert refusal.value.kind == "function_not_allowed"
    assert check("SELECT list_aggregate([1, 2], 'sum')", catalog).sql


def test_a_byte_order_mark_is_skipped_and_full_width_letters_are_pointed_out(
    catalog: Catalog,
) -> None:
    assert check("\ufeffSELECT 1 AS x", catalog).sql == "SELECT 1 AS x"
    with pytest.raises(ToolRetry) as error:
        check("ＳＥＬＥＣＴ city FROM sales", catalog)
    assert "full-width" in error.value.hint


ARGUMENTS = {
    "BIGINT": "1", "INTEGER": "1", "DOUBLE": "0.5", "VARCHAR": "'a'", "BOOLEAN": "true",
    "DATE": "DATE '2026-01-31'", "TIMESTAMP": "TIMESTAMP '2026-01-31 08:00:00'", "ANY": "2",
    "INTERVAL": "INTERVAL 1 DAY", "VARCHAR[]": "['a']", "T[]": "[3]", "T": "3", "DECIMAL": "1.5",
}  # fmt: skip
CHANGING = ("random", "now", "uuid", "get_current_time", "get_current_timestamp")


def _results(connection: duckdb.DuckDBPyConnection, sql: str) -> str:
    return repr(connection.execute(sql).fetchall())


def test_every_allowed_function_of_plain_arguments_gives_what_the_engine_gives() -> None:
    catalog, tried = Catalog(), 0
    with duckdb.connect() as connection:
        found = connection.execute(
            "SELECT function_name, parameter_types FROM duckdb_functions() WHERE parameters <> []"
            " AND function_type IN ('scalar', 'aggregate')"
        ).fetchall()
        for name, kinds in found:
            if name not in FUNCTIONS or name in CHANGING or not set(kinds) <= set(ARGUMENTS):
                continue
            sql = f"SELECT {name}({', '.join(ARGUMENTS[k] for k in kinds)})"
            try:
                expected = _results(connection, sql)
            except duckdb.Error:
                continue
            assert _results(connection, check(sql, catalog).sql) == expected, sql
            tried += 1
    assert tried > 300


@pytest.mark.parametrize(
    ("sql", "first"),
    [
        ("SELECT reduce([1, 2, 3], lambda a, b: a + b)", 6),
        ("SELECT approx_top_k(i, 1) FROM (VALUES (7), (7), (8)) t(i)", [7]),
        ("""SELECT json_extract('{"a": {"b": 1}}', '$..b')::VARCHAR""", "[1]"),
        ("SELECT jaro_winkler_similarity('a', 'A', 0.5)", 0.0),
    ],
)
def test_calls_that_other_databases_read_otherwise_keep_their_meaning(
    sql: str, first: object
) -> None:
    with duckdb.connect() as connection:
        assert connection.execute(check(sql, Catalog()).sql).fetchall() == [(first,)]
