"""Columns that say a year: filtered by the question's year, never added up; no more are keys."""

from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path
from typing import cast

import duckdb
import pytest

from ingest.store import Catalog, ColumnRecord, JoinRecord, Store, TableRecord
from tools.base import ToolContext
from tools.errors import ToolRetry
from tools.sql.result import SqlResult
from tools.sql.tool import SqlArguments, SqlTool

Ask = Callable[[str, str], SqlResult]
JOINED = "FROM joined JOIN member USING (member_id)"
ROWS = """
CREATE TABLE joined (member_id BIGINT, joined_year BIGINT, fee BIGINT);
INSERT INTO joined VALUES (1, 2015, 10), (2, 2016, 20), (3, 2016, 30);
CREATE TABLE member (member_id BIGINT, name VARCHAR, changed_on DATE);
INSERT INTO member VALUES (1, 'A', '2026-01-01'), (2, 'B', '2026-02-01'), (3, 'C', '2026-03-01');
CREATE TABLE 売上 (年度 VARCHAR, 部門番号 BIGINT, 金額 BIGINT);
INSERT INTO 売上 VALUES ('2024年度', 7, 100), ('2025年度', 8, 200);
CREATE TABLE compared (product VARCHAR, last_year BIGINT, 前年 BIGINT);
INSERT INTO compared VALUES ('A', 2025, 900), ('B', 31000, 800);
CREATE TABLE article (article_id BIGINT, model_year BIGINT);
INSERT INTO article VALUES (1, 2025), (2, 2026);
CREATE TABLE visit (visit_id BIGINT, member_id BIGINT, seen_on DATE);
INSERT INTO visit VALUES (1, 1, '2016-05-01'), (2, 2, '2017-05-01');
"""
TABLES = ("joined", "member", "売上", "compared", "article", "visit")


class YearStore:
    """The part of a store that the tool reads."""

    def __init__(self, warehouse: Path, catalog: Catalog) -> None:
        self.warehouse, self.catalog, self.revision = warehouse, catalog, 1

    def find_values(self, word: str, **_: object) -> list[object]:
        return []


def _record(connection: duckdb.DuckDBPyConnection, name: str) -> TableRecord:
    columns = []
    for column, kind, *_ in connection.execute(f"DESCRIBE {name}").fetchall():
        values = connection.execute(f"SELECT DISTINCT {column}::VARCHAR FROM {name}").fetchall()
        examples = tuple(sorted(v for (v,) in values))
        columns.append(ColumnRecord(name=column, type=kind, original=column, examples=examples))
    keys = {"member": ("member_id",), "article": ("article_id",)}
    dates = {
        "member": ("changed_on", date(2026, 1, 1), date(2026, 3, 1)),
        "visit": ("seen_on", date(2016, 5, 1), date(2017, 5, 1)),
    }
    dated = dates.get(name, (None, None, None))
    return TableRecord(
        name=name,
        source=f"{name}.csv",
        rows=3,
        columns=tuple(columns),
        primary_key=keys.get(name, ()),
        date_column=dated[0],
        data_from=dated[1],
        data_to=dated[2],
    )


@pytest.fixture(scope="module")
def ask(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ask]:
    path = tmp_path_factory.mktemp("years") / "warehouse.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute(ROWS)
        catalog = Catalog(
            tables=tuple(_record(connection, name) for name in TABLES),
            joins=(
                JoinRecord(
                    left_table="joined",
                    left_column="member_id",
                    right_table="member",
                    right_column="member_id",
                ),
            ),
            fiscal_year_start=4,
        )
    store = cast(Store, YearStore(path, catalog))
    tool = SqlTool()

    def run(question: str, sql: str) -> SqlResult:
        context = ToolContext(store=store, today=date(2026, 11, 30), question=question)
        return tool.run(SqlArguments(query=sql), context)

    yield run
    tool.close()


@pytest.mark.parametrize(
    ("question", "sql", "fix"),
    [
        ("Who joined in 2016?", f"SELECT name {JOINED}", "joined.joined_year = 2016"),
        ("How much was paid in 2016?", "SELECT SUM(fee) FROM joined", "joined.joined_year = 2016"),
        (
            "How much was paid in 2016?",
            "SELECT SUM(fee) FROM joined WHERE joined_year = 2015",
            "joined.joined_year = 2016",
        ),
        ("2025年度の金額の合計は？", "SELECT SUM(金額) FROM 売上", "売上.年度 = '2025年度'"),
        (
            "How much was paid from 2014 to 2015?",
            "SELECT SUM(fee) FROM joined",
            "joined.joined_year BETWEEN 2014 AND 2015",
        ),
        (
            "How many models of this year are there?",
            "SELECT COUNT(*) FROM article",
            "article.model_year = 2026",
        ),
        ("昨年度の金額の合計は？", "SELECT SUM(金額) FROM 売上", "売上.年度 = '2025年度'"),
        (
            "2025年度の金額の合計は？",
            "SELECT SUM(金額) FROM 売上 WHERE 年度 = '2024年度'",
            "売上.年度 = '2025年度'",
        ),
    ],
)
def test_a_year_that_the_query_leaves_out_is_sent_back(
    ask: Ask, question: str, sql: str, fix: str
) -> None:
    with pytest.raises(ToolRetry) as caught:
        ask(question, sql)
    assert caught.value.kind == "other_period"
    assert fix in caught.value.hint


@pytest.mark.parametrize(
    ("question", "sql"),
    [
        ("Who joined in 2016?", f"SELECT name {JOINED} WHERE joined_year = 2016"),
        ("Who joined in 2016?", f"SELECT name {JOINED} WHERE joined_year BETWEEN 2016 AND 2016"),
        ("Fees of 2016 beside 2015?", "SELECT joined_year, SUM(fee) FROM joined GROUP BY 1"),
        ("Who joined in 2014?", f"SELECT name {JOINED}"),
        ("Who joined?", f"SELECT name {JOINED}"),
        ("How much was paid from 2015 to 2016?", "SELECT SUM(fee) FROM joined"),
        ("How long was each in by 2016?", "SELECT 2016 - joined_year FROM joined"),
        ("How many articles are there today?", "SELECT COUNT(*) FROM article"),
        ("Which articles do we sell this year?", "SELECT article_id FROM article"),
        ("How much was sold last year?", "SELECT product FROM compared"),
        (
            "When did those who joined in 2016 come?",
            "SELECT seen_on FROM visit JOIN joined USING (member_id) WHERE joined_year = 2016",
        ),
        (
            "How many fees came in 2016 and how many in 2015?",
            "SELECT COUNT(*) FILTER (WHERE joined_year = 2016), "
            "COUNT(*) FILTER (WHERE joined_year = 2015) FROM joined",
        ),
        ("2025年度の金額の合計は？", "SELECT SUM(金額) FROM 売上 WHERE 年度 = '2025年度'"),
        ("2025年度の金額の合計は？", "SELECT SUM(金額) FROM 売上 WHERE 年度 LIKE '2025%'"),
        ("2025年2月の金額の合計は？", "SELECT SUM(金額) FROM 売上 WHERE 年度 = '2024年度'"),
    ],
)
def test_a_year_that_is_told_apart_passes(ask: Ask, question: str, sql: str) -> None:
    assert ask(question, sql).query.sql


def test_a_year_said_in_other_words_is_no_code_that_was_made_up(ask: Ask) -> None:
    result = ask("昨年度の金額の合計は？", "SELECT SUM(金額) FROM 売上 WHERE 年度 = '2025年度'")
    assert result.rows.rows == (("200",),)


@pytest.mark.parametrize(
    ("sql", "message"),
    [
        ("SELECT SUM(joined_year) FROM joined", "joined_year of table joined says a year"),
        ("SELECT SUM(joined_year::INT) FROM joined", "joined_year of table joined says a year"),
        ("SELECT SUM(member_id) FROM member", "member_id of table member numbers things"),
        ("SELECT AVG(j.member_id) FROM joined AS j", "member_id of table joined numbers things"),
    ],
)
def test_years_and_keys_are_not_added_up(ask: Ask, sql: str, message: str) -> None:
    with pytest.raises(ToolRetry, match=message) as caught:
        ask("What does it come to?", sql)
    assert caught.value.kind == "summed_names"
    assert "COUNT(DISTINCT" in caught.value.hint


def test_what_only_its_name_tells_to_be_a_key_is_said(ask: Ask) -> None:
    result = ask("合計は？", "SELECT SUM(部門番号) FROM 売上")
    assert "部門番号 of table 売上 numbers things: its sum or mean says nothing" in (
        result.answer_notes
    )
    assert ask("?", "SELECT AVG(joined_year) FROM joined").answer_notes == ()


@pytest.mark.parametrize("column", ["last_year", "前年"])
def test_a_figure_that_is_called_after_a_year_is_added_up(ask: Ask, column: str) -> None:
    assert ask("What does it come to?", f"SELECT SUM({column}) FROM compared").rows.row_count == 1
