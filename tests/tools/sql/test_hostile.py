"""Hostile queries, through the whole tool: refused by a named kind, or bounded in time and memory.

After each the warehouse has the same bytes, no file has appeared, no secret was told, and the next
question is answered.
"""

import hashlib
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ingest.store import Catalog
from tools.base import ToolContext
from tools.errors import ToolError, ToolRefused, ToolRetry
from tools.sql.client import Worker
from tools.sql.guard import check
from tools.sql.result import SqlResult
from tools.sql.settings import SqlSettings
from tools.sql.tool import SqlArguments

Ask = Callable[[str], SqlResult]
SECRET = "s3cr3t-7f21"
LIMIT_S, MEMORY_MB, ADDRESS_MB = 1.0, 128, 1024
WITHIN_S = 20.0
"""The limit, the kill two seconds later, and a start of the next worker on a busy machine."""

# {secret} is a file that holds the secret, {out} one that must never appear.
REFUSED = {
    "statement_not_allowed": (
        "/* SELECT */ DROP TABLE sales",
        "-- SELECT 1\nDELETE FROM sales",
        "WITH a AS (SELECT 1) DELETE FROM sales",
        "COPY sales FROM '{secret}'",
        "cOpY sales tO '{out}' (FORMAT csv)",
        "COPY (SELECT * FROM sales) TO '{out}' (FORMAT parquet)",
        "EXPORT DATABASE '{out}' (FORMAT parquet)",
        "IMPORT DATABASE '{out}'",
        "ATTACH '{out}' AS other (TYPE sqlite)",
        "ATTACH ':memory:' AS other",
        "INSTALL httpfs FROM community",
        "FORCE INSTALL json",
        "LOAD '{out}'",
        "SET enable_external_access = true",
        "SET GLOBAL threads = 64",
        "set lock_configuration = false",
        "RESET ALL",
        "PRAGMA disable_checkpoint_on_shutdown",
        "pragma threads = 99",
        "CREATE OR REPLACE TABLE sales AS SELECT 1",
        "CREATE MACRO city(x) AS x",
        "CREATE PERSISTENT SECRET s (TYPE s3, KEY_ID 'a', SECRET 'b')",
        "CREATE TYPE t AS ENUM ('a')",
        "CREATE SEQUENCE s",
        "COMMENT ON TABLE sales IS 'x'",
        "DROP SCHEMA main CASCADE",
        "ALTER TABLE sales RENAME TO other",
        "INSERT OR REPLACE INTO sales SELECT * FROM sales",
        "UPDATE sales SET amount = 0 RETURNING *",
        "EXECUTE p",
        "DEALLOCATE p",
        "ROLLBACK",
        "FORCE CHECKPOINT",
        "ANALYZE",
        "SUMMARIZE SELECT * FROM sales",
        "DESCRIBE SELECT 1",
    ),
    "multiple_statements": (
        "SELECT 1; ATTACH '{out}' AS x",
        "SELECT city FROM sales; COPY sales TO '{out}'",
        "SELECT ';'; SELECT 2",
        "SELECT 1 /* x */ ; /* y */ PRAGMA version",
        "SELECT $$;$$; DROP TABLE sales",
        "SELECT 1;\n--\nDROP TABLE sales",
    ),
    "table_not_allowed": (
        "SELECT * FROM '{secret}'",
        'SELECT * FROM "{secret}"',
        "FROM '{secret}'",
        "SELECT * FROM 's3://bucket/x.parquet'",
        "SELECT * FROM 'http://127.0.0.1:9/x.csv'",
        "SELECT * FROM information_schema.columns",
        "SELECT * FROM information_schema.schemata",
        "SELECT * FROM pg_catalog.pg_settings",
        "SELECT * FROM main.sqlite_master",
        "SELECT * FROM temp.information_schema.tables",
        "SELECT city FROM sales UNION ALL SELECT sql FROM duckdb_tables",
        "SELECT (SELECT max(sql) FROM sqlite_master)",
        "SELECT * FROM sales WHERE EXISTS (SELECT 1 FROM '{secret}')",
        "SELECT * FROM sales JOIN '{secret}' AS s ON true",
    ),
    "table_function_not_allowed": (
        "SELECT * FROM read_csv_auto('{secret}')",
        "SELECT * FROM read_csv(['{secret}'], header = false)",
        "SELECT content FROM read_text('{secret}')",
        "SELECT content FROM read_blob('{secret}')",
        "SELECT * FROM read_json('{secret}')",
        "SELECT * FROM read_ndjson_objects('{secret}')",
        "SELECT * FROM parquet_metadata('{secret}')",
        "SELECT * FROM sqlite_scan('{secret}', 't')",
        "SELECT * FROM glob('/etc/*')",
        "SELECT * FROM query('COPY sales TO ''{out}''')",
        "SELECT * FROM query_table(['sales', 'products'])",
        "SELECT * FROM duckdb_secrets()",
        "SELECT * FROM duckdb_extensions()",
        "SELECT * FROM duckdb_temporary_files()",
        "SELECT * FROM pragma_database_size()",
        "SELECT * FROM checkpoint()",
        "SELECT * FROM force_checkpoint('warehouse')",
        "SELECT * FROM test_all_types()",
        "SELECT * FROM pandas_scan(0)",
        "SELECT * FROM enable_logging('QueryLog')",
        "WITH r AS MATERIALIZED (SELECT * FROM read_text('{secret}')) SELECT * FROM r",
        "SELECT (SELECT content FROM read_text('{secret}')) AS x",
        "SELECT * FROM sales WHERE city IN (SELECT content FROM read_text('{secret}'))",
    ),
    "function_not_allowed": (
        "SELECT getenv('PATH')",
        "SELECT getenv ( /* x */ 'PATH' )",
        "SELECT list_transform([1], x -> getenv('PATH'))",
        "SELECT city FROM sales ORDER BY getenv('PATH')",
        "SELECT current_setting('home_directory')",
        "SELECT currval('s')",
        "SELECT txid_current()",
        "SELECT current_schemas(true)",
        "SELECT current_query()",
        "SELECT sleep_ms(600000)",
        "SELECT write_log('{out}')",
        "SELECT set_config('a', 'b', false)",
    ),
}
REFUSALS = [(kind, sql) for kind, group in REFUSED.items() for sql in group]

DOUBLED = "WITH a0 AS (SELECT 1 AS x)" + "".join(
    f", a{n + 1} AS (SELECT x FROM a{n} UNION ALL SELECT x FROM a{n})" for n in range(40)
)
BOMBS = {
    "recursion without an end": (
        "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT max(n) FROM r",
        "WITH RECURSIVE r(s) AS (SELECT 'a' UNION ALL SELECT s || s FROM r) SELECT max(len(s)) FROM r",
        "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r, range(1000)) "
        "SELECT count(*) FROM r",
    ),
    "joins of everything with everything": (
        "SELECT max(hash(a.i, b.i)) FROM range(10000000) a(i), range(10000000) b(i)",
        "SELECT a.i FROM range(10000000) a(i), range(10000000) b(i) ORDER BY hash(a.i, b.i)",
        f"{DOUBLED} SELECT max(hash(x)) FROM a40",
    ),
    "endless series": (
        "SELECT max(hash(i)) FROM range(100000000000000) AS r(i)",
        "SELECT range(2000000000)",
        "SELECT sum(hash(i)) FROM (SELECT unnest(generate_series(1, 5000000000)) AS i)",
        "SELECT i, count(*) FROM range(2000000000) AS r(i) GROUP BY i",
    ),
    "huge texts": (
        "SELECT repeat(repeat('x', 1000000), 1000000)",
        "SELECT replace(repeat('a', 50000000), 'a', repeat('b', 1000))",
        "SELECT string_agg(repeat('在', 100000), '') FROM range(1000000)",
        "SELECT lpad('a', 2000000000, 'b')",
        "SELECT bar(1, 0, 1, 2000000000)",
        "SELECT format('{:>2000000000}', 'x')",
        "SELECT printf('%2000000000d', 1)",
        "SELECT url_encode(repeat('在', 300000000))",
    ),
    "huge lists": (
        "SELECT list_resize([1], 2000000000, 0)",
        "SELECT flatten(list_transform(range(100000), x -> range(100000)))",
        "SELECT list_sort(range(500000000))",
        "SELECT list_reduce(range(500000000), (a, b) -> a + b)",
        "SELECT json_group_array(i) FROM range(500000000) AS r(i)",
        "SELECT histogram(i) FROM range(500000000) AS r(i)",
        "SELECT array_to_string(range(500000000), ',')",
    ),
    "work that grows with the square": (
        "SELECT levenshtein(repeat('a', 500000), repeat('b', 500000))",
        "SELECT damerau_levenshtein(repeat('a', 100000), repeat('b', 100000))",
        "SELECT max(median(i)) OVER (ORDER BY i ROWS BETWEEN 500000 PRECEDING AND 500000 FOLLOWING) "
        "FROM range(1000000) AS r(i) GROUP BY i",
    ),
    "patterns": (
        "SELECT regexp_replace(repeat('a', 50000000), 'a', repeat('b', 1000), 'g')",
        "SELECT max(len(regexp_extract_all(repeat('ab', 1000000) || i, '(a|ab)(c|bcd)*'))) "
        "FROM range(100000) AS r(i)",
    ),
}
CASES = [sql for group in BOMBS.values() for sql in group]
# Odd, but bounded by themselves: each is answered, or refused before it runs.
ODD = {
    "nested selects": "SELECT " + "(SELECT " * 400 + "1" + ")" * 400,
    "nested calls": "SELECT " + "abs(" * 2000 + "1" + ")" * 2000,
    "nested lists": "SELECT " + "[" * 3000 + "]" * 3000,
    "nested CASE": "SELECT " + "CASE WHEN true THEN " * 300 + "1" + " END" * 300,
    "many signs": "SELECT " + "- " * 5000 + "1",
    "many NOT": "SELECT " + "NOT " * 4000 + "true",
    "a long IN list": f"SELECT count(*) FROM sales WHERE sale_id IN ({','.join(map(str, range(4000)))})",
    "a longer IN list": f"SELECT 1 WHERE 1 IN ({','.join(map(str, range(100_000)))})",
    "a long OR": "SELECT count(*) FROM sales WHERE " + " OR ".join(["quantity = 1"] * 1200),
    "a long UNION": " UNION ALL ".join(["SELECT 1"] * 1400),
    "a pattern that others choke on": "SELECT regexp_matches(repeat('a', 5000), '^(a+)+$b')",
    "a pattern that multiplies": "SELECT regexp_matches('a', '((((a{1,99}){1,99}){1,99}){1,99})')",
    "a factorial": "SELECT factorial(100000)",
    "a power": "SELECT power(10::DECIMAL(38, 0), 100000)",
    "an open comment": "SELECT 1 /* ; DROP TABLE sales",
    "an open text": "SELECT 'x; DROP TABLE sales --",
    "nested comments": "SELECT 1 /* /* */ ; DROP TABLE sales -- */",
    "a NUL": "SELECT 1; \x00 DROP TABLE sales",
    "another kind of semicolon": "SELECT 1； DROP TABLE sales",
    "an invisible space": "SELECT\u200b1",
    "a placeholder": "SELECT * FROM sales WHERE city = $1",
}


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A file with a secret, and a path that must stay free."""
    root = tmp_path_factory.mktemp("hostile")
    (root / "secret.csv").write_text(f"token\n{SECRET}\n", encoding="utf-8")
    return {"secret": root / "secret.csv", "out": root / "out.file"}


@pytest.fixture(autouse=True)
def nothing_has_changed(warehouse: Path, places: dict[str, Path]) -> Iterator[None]:
    before = digest(warehouse)
    yield
    assert digest(warehouse) == before
    assert [p.name for p in warehouse.parent.iterdir()] == ["warehouse.duckdb"]
    assert [p.name for p in places["out"].parent.iterdir()] == ["secret.csv"]


@pytest.fixture(scope="module")
def bounded(warehouse: Path) -> Iterator[Worker]:
    settings = SqlSettings(
        time_limit_s=LIMIT_S, memory_mb=MEMORY_MB, address_space_mb=ADDRESS_MB, threads=2
    )
    worker = Worker(warehouse, settings)
    yield worker
    worker.close()


def peak_mb(pid: int | None) -> int:
    """Peak resident memory of a live process; 0 for one that has been ended."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text(encoding="utf-8").splitlines()
    except OSError:
        return 0
    return sum(int(line.split()[1]) // 1024 for line in lines if line.startswith("VmHWM"))


@pytest.mark.parametrize(("kind", "sql"), REFUSALS, ids=[sql[:60] for _, sql in REFUSALS])
def test_a_hostile_query_is_refused_by_a_named_kind_and_the_next_one_runs(
    kind: str, sql: str, ask: Ask, places: dict[str, Path]
) -> None:
    with pytest.raises(ToolRefused) as refusal:
        ask(sql.replace("{secret}", str(places["secret"])).replace("{out}", str(places["out"])))
    assert refusal.value.kind == kind
    assert SECRET not in refusal.value.message + refusal.value.hint
    assert ask("SELECT count(*) AS n FROM sales").rows.rows == ((6,),)


@pytest.mark.slow
@pytest.mark.parametrize("sql", CASES, ids=[sql[:60] for sql in CASES])
def test_a_bomb_is_bounded_in_time_and_memory_and_the_next_question_is_answered(
    sql: str, bounded: Worker, catalog: Catalog
) -> None:
    query = check(sql, catalog)
    bounded.query("SELECT 1")
    started = time.monotonic()
    with pytest.raises(ToolRetry) as error:
        bounded.query(query.sql)
    assert error.value.kind in ("time_limit", "memory_limit", "sql_error")
    assert time.monotonic() - started < WITHIN_S
    assert peak_mb(bounded.pid) <= ADDRESS_MB
    assert bounded.query("SELECT count(*) FROM sales").rows == ((6,),)


def test_the_worker_cannot_have_more_memory_than_its_limit(bounded: Worker) -> None:
    bounded.query("SELECT 1")
    limits = Path(f"/proc/{bounded.pid}/limits").read_text(encoding="utf-8").splitlines()
    (line,) = [line for line in limits if line.startswith("Max address space")]
    assert line.split()[3:5] == [str(ADDRESS_MB << 20)] * 2


@pytest.mark.parametrize("sql", ODD.values(), ids=ODD.keys())
def test_an_odd_query_is_answered_or_refused_at_once(
    sql: str, ask: Ask, context: ToolContext
) -> None:
    started = time.monotonic()
    try:
        rows = ask(sql).rows
    except ToolError as error:
        assert error.kind and error.hint
        assert len(error.message) < 2_500
    else:
        assert rows.row_count >= 1
    assert time.monotonic() - started < WITHIN_S
    assert ask("SELECT count(*) AS n FROM sales").rows.rows == ((6,),)


def test_the_list_is_as_long_as_it_claims() -> None:
    every = [*(sql for _, sql in REFUSALS), *CASES, *ODD.values()]
    assert len(every) == len(set(every)) >= 60


def test_the_arguments_of_a_call_are_only_a_query() -> None:
    with pytest.raises(ValueError, match="extra"):
        SqlArguments.model_validate({"query": "SELECT 1", "rows_kept": 10**9})
