"""A join that nobody asked for has no place in a count."""

import duckdb
import pytest

from ingest.store import Catalog, ColumnRecord, TableRecord
from tools.sql.guard import examine

SCHEMA = """
CREATE TABLE assets (asset_id INTEGER, contract_id INTEGER, model VARCHAR);
INSERT INTO assets VALUES (1, 10, 'a'), (2, 10, 'b'), (3, 20, 'a');
CREATE TABLE contracts (contract_id INTEGER, partner VARCHAR);
INSERT INTO contracts VALUES (10, 'Aoki'), (20, 'Baba');
CREATE TABLE asset_parts (asset_id INTEGER, part VARCHAR);
INSERT INTO asset_parts VALUES (1, 'x'), (1, 'y'), (1, 'z'), (3, 'x');
"""
COLUMNS = {
    "assets": ("asset_id", "contract_id", "model"),
    "contracts": ("contract_id", "partner"),
    "asset_parts": ("asset_id", "part"),
}
CATALOG = Catalog(
    tables=tuple(
        TableRecord(
            name=name,
            source=f"{name}.csv",
            rows=3,
            columns=tuple(ColumnRecord(name=c, type="VARCHAR", original=c) for c in columns),
        )
        for name, columns in COLUMNS.items()
    )
)
CONTRACTS = "JOIN contracts AS c ON a.contract_id = c.contract_id"
FROM_PARTS = "FROM asset_parts AS p JOIN assets AS a ON p.asset_id = a.asset_id"
NOTE = "the join with asset_parts was left out: the question does not ask for it"


@pytest.mark.parametrize(
    ("question", "sql"),
    [
        (
            "How many assets does each contract contain?",
            f"SELECT c.contract_id, COUNT(*) {FROM_PARTS} {CONTRACTS} GROUP BY c.contract_id",
        ),
        (
            "Show the contract and the number of assets in it",
            f"SELECT c.contract_id, COUNT(a.asset_id) FROM assets AS a {CONTRACTS} "
            "JOIN asset_parts AS p ON p.asset_id = a.asset_id GROUP BY c.contract_id",
        ),
    ],
)
def test_a_table_that_is_not_asked_for_repeats_nothing(question: str, sql: str) -> None:
    query = examine(sql, CATALOG, question=question, alone=True)
    with duckdb.connect() as connection:
        connection.execute(SCHEMA)
        rows = connection.execute(query.sql).fetchall()
    assert sorted(rows) == [(10, 2), (20, 1)]
    assert query.left_out == (NOTE,)


@pytest.mark.parametrize(
    ("question", "sql"),
    [
        ("How many assets have parts?", f"SELECT COUNT(DISTINCT a.asset_id) {FROM_PARTS}"),
        ("How many assets with a part are there?", f"SELECT COUNT(*) {FROM_PARTS}"),
        ("How many assets of part x are there?", f"SELECT COUNT(*) {FROM_PARTS}"),
        ("How many assets are there?", f"SELECT COUNT(*) {FROM_PARTS} WHERE part = 'x'"),
        ("How many pieces are there?", f"SELECT COUNT(*) {FROM_PARTS}"),
        ("資産は何件ありますか？", f"SELECT COUNT(*) {FROM_PARTS}"),
        ("List the assets", f"SELECT a.asset_id {FROM_PARTS}"),
        (
            "How many assets are there?",
            "SELECT COUNT(*) FROM assets AS a LEFT JOIN asset_parts AS p ON p.asset_id = a.asset_id",
        ),
    ],
)
def test_a_join_that_may_be_meant_stays(question: str, sql: str) -> None:
    assert examine(sql, CATALOG, question=question, alone=True).left_out == ()
