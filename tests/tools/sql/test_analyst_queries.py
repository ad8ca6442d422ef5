"""What analysts write passes the guard and means the same as the text they wrote."""

from collections.abc import Callable
from decimal import Decimal
from pathlib import Path

import duckdb
import pytest

from tools.sql.result import SqlResult
from tools.sql.worker import Cells

Ask = Callable[[str], SqlResult]

QUERIES = (
    "SELECT city, SUM(amount) AS total FROM sales GROUP BY city ORDER BY total DESC NULLS LAST",
    "SELECT date_trunc('month', sold_on) AS m, SUM(quantity) FROM sales GROUP BY ALL ORDER BY ALL",
    "SELECT strftime(sold_on, '%Y-%m') AS m, COUNT(*) FROM sales GROUP BY m ORDER BY m",
    "SELECT strftime('%Y', sold_on) FROM sales ORDER BY sale_id",
    "SELECT EXTRACT(YEAR FROM sold_on), date_part('month', sold_on), quarter(sold_on) FROM sales",
    "SELECT sale_id, SUM(quantity) OVER (PARTITION BY city ORDER BY sold_on) FROM sales ORDER BY 1",
    "SELECT sale_id, LAG(amount) OVER (ORDER BY sold_on, sale_id) FROM sales ORDER BY 1",
    "SELECT sale_id, AVG(quantity) OVER (ORDER BY sold_on RANGE BETWEEN INTERVAL 30 DAY PRECEDING "
    "AND CURRENT ROW) FROM sales ORDER BY 1",
    "SELECT * FROM sales QUALIFY ROW_NUMBER() OVER (PARTITION BY city ORDER BY amount DESC) = 1 "
    "ORDER BY sale_id",
    "SELECT DISTINCT ON (city) city, amount FROM sales ORDER BY city, amount",
    "SELECT COUNT(DISTINCT city), COUNT(*) FILTER (WHERE quantity > 2) FROM sales",
    "SELECT city, product_cd, SUM(quantity) FROM sales GROUP BY GROUPING SETS ((city), "
    "(product_cd), ()) ORDER BY ALL",
    "SELECT city, GROUPING(city), SUM(quantity) FROM sales GROUP BY ROLLUP (city) ORDER BY ALL",
    "SELECT product_cd, city, SUM(quantity) FROM sales GROUP BY CUBE (product_cd, city) "
    "ORDER BY ALL",
    "SELECT CASE WHEN quantity >= 3 THEN 'big' ELSE 'small' END AS size, COUNT(*) FROM sales "
    "GROUP BY 1 ORDER BY 1",
    "SELECT city FROM sales WHERE city LIKE 'T%' OR city ILIKE 'o%' ORDER BY sale_id",
    "SELECT city FROM sales WHERE regexp_matches(city, '^[TO]') ORDER BY sale_id",
    "SELECT city FROM sales WHERE city ~ 'T.*' AND city NOT LIKE '%x%'",
    "SELECT LIST(city ORDER BY sale_id), array_agg(quantity ORDER BY sale_id) FROM sales",
    "SELECT string_agg(city, ', ' ORDER BY sale_id) FROM sales",
    "SELECT list_sum(list_transform([1, 2, 3], lambda x: x * 2)), [x + 1 FOR x IN [1, 2] IF x > 1]",
    'SELECT 商品名, "unit price" FROM products ORDER BY product_cd',
    'SELECT p."商品名" AS "商品", SUM(s.amount) AS "売上 合計" FROM sales AS s JOIN products AS p '
    'USING (product_cd) GROUP BY ALL ORDER BY "売上 合計" DESC NULLS LAST',
    'SELECT SUM(qty) FROM "order"',
    "WITH monthly AS (SELECT date_trunc('month', sold_on) AS m, SUM(amount) AS t FROM sales "
    "GROUP BY 1) SELECT m, t - LAG(t) OVER (ORDER BY m) FROM monthly ORDER BY m",
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5) SELECT SUM(i) "
    "FROM n",
    "SELECT sale_id FROM sales AS a WHERE amount > (SELECT AVG(amount) FROM sales AS b WHERE "
    "b.product_cd = a.product_cd) ORDER BY 1",
    "SELECT product_cd FROM products WHERE NOT EXISTS (SELECT 1 FROM stock WHERE "
    "stock.product_cd = products.product_cd)",
    "SELECT p.product_cd, t.n FROM products AS p, LATERAL (SELECT COUNT(*) AS n FROM sales AS s "
    "WHERE s.product_cd = p.product_cd) AS t ORDER BY 1",
    "SELECT city FROM sales UNION SELECT product_cd FROM products ORDER BY 1",
    "SELECT product_cd FROM products EXCEPT SELECT product_cd FROM stock",
    "SELECT product_cd FROM products INTERSECT SELECT product_cd FROM stock ORDER BY 1",
    "SELECT COUNT(*) FROM sales WHERE sold_on BETWEEN DATE '2026-01-01' AND DATE '2026-01-31'",
    "SELECT COUNT(*) FROM sales WHERE sold_on >= DATE '2026-03-31' - INTERVAL 2 MONTH",
    "SELECT date_diff('day', MIN(sold_on), MAX(sold_on)), last_day(MIN(sold_on)) FROM sales",
    "SELECT coalesce(city, '?'), upper(city), substr(product_cd, 1, 2), length(city), "
    "replace(city, 'o', '0'), lpad(product_cd, 6, '0'), city || '-' || product_cd FROM sales "
    "ORDER BY sale_id",
    "SELECT round(AVG(amount), 2), median(amount), quantile_cont(amount, 0.9), stddev(amount), "
    "arg_max(city, amount), mode(product_cd) FROM sales",
    "SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY quantity) FROM sales",
    "SELECT CAST(amount AS DOUBLE) / NULLIF(quantity, 0), quantity // 2, quantity % 2, "
    "TRY_CAST(product_cd AS INTEGER) FROM sales ORDER BY sale_id",
    "SELECT * EXCLUDE (amount) FROM sales ORDER BY sale_id LIMIT 2 OFFSET 1",
    "SELECT * REPLACE (quantity * 2 AS quantity) FROM sales ORDER BY sale_id",
    "SELECT s.*, p.商品名 FROM sales AS s LEFT JOIN products AS p ON p.product_cd = s.product_cd "
    "ORDER BY sale_id",
    "SELECT g.day::DATE, COUNT(sale_id) FROM generate_series(DATE '2026-01-05', DATE '2026-01-07', "
    "INTERVAL 1 DAY) AS g(day) LEFT JOIN sales ON sold_on = g.day::DATE GROUP BY 1 ORDER BY 1",
    "SELECT i, unnest([10, 20]) FROM range(2) AS r(i) ORDER BY ALL",
    "SELECT * FROM sales PIVOT (SUM(quantity) FOR city IN ('Tokyo', 'Osaka')) ORDER BY sale_id",
    "FROM sales SELECT city WHERE quantity = 5",
    "SELECT s.product_cd, k.on_hand FROM sales AS s ASOF JOIN stock AS k ON "
    "s.product_cd = k.product_cd AND s.sold_on <= k.day ORDER BY s.sale_id",
    "SELECT city, COUNT(*) AS n FROM sales GROUP BY city HAVING n > 1 ORDER BY city",
    "SELECT MAX(quantity) FILTER (WHERE city = 'Tokyo') - MIN(quantity) FROM sales",
    "SELECT ntile(2) OVER (ORDER BY sale_id), rank() OVER w FROM sales WINDOW w AS "
    "(ORDER BY quantity DESC) ORDER BY ALL",
    "VALUES (1, 'a'), (2, 'b')",
    "(SELECT 1 AS x) UNION ALL (SELECT 2) ORDER BY x",
    "SELECT {'a': quantity}.a, MAP {'k': city} FROM sales ORDER BY sale_id",
    "SELECT IF(quantity > 2, 'y', 'n'), IFNULL(city, '-'), greatest(quantity, 2) FROM sales "
    "ORDER BY sale_id",
    "SELECT sold_on::VARCHAR, dayname(sold_on), isodow(sold_on), week(sold_on) FROM sales "
    "ORDER BY sale_id",
    "SELECT time_bucket(INTERVAL '7 days', sold_on) AS w, SUM(quantity) FROM sales GROUP BY w "
    "ORDER BY w;",
)


@pytest.mark.parametrize("sql", QUERIES, ids=[q[:60] for q in QUERIES])
def test_a_query_gives_what_duckdb_gives_for_the_text_as_written(
    sql: str, ask: Ask, warehouse: Path
) -> None:
    with duckdb.connect(str(warehouse), read_only=True) as connection:
        expected = [tuple(Cells().convert(v) for v in row) for row in
                    connection.execute(sql).fetchall()]  # fmt: skip
    assert [tuple(map(str, r)) for r in ask(sql).rows.rows] == [
        tuple(map(str, r)) for r in expected
    ]


def test_sums_are_exact_texts(ask: Ask) -> None:
    result = ask("SELECT SUM(amount) AS total, SUM(quantity) AS pieces FROM sales")
    assert [c.type for c in result.rows.columns] == ["DECIMAL(38,2)", "HUGEINT"]
    assert result.rows.rows == (("1002.00", "16"),)
    assert result.evidence()[0].typed_rows() == [(Decimal("1002.00"), Decimal(16))]


def test_a_window_over_months_is_right(ask: Ask) -> None:
    result = ask(
        "SELECT strftime(sold_on, '%Y-%m') AS m, SUM(quantity) AS q, SUM(SUM(quantity)) OVER "
        "(ORDER BY strftime(sold_on, '%Y-%m')) AS running FROM sales GROUP BY 1 ORDER BY 1"
    )
    assert result.rows.rows == (
        ("2026-01", "3", "3"),
        ("2026-02", "8", "11"),
        ("2026-03", "5", "16"),
    )
