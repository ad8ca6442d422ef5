"""Columns that the question names and the query reads nowhere."""

import pytest
from sqlglot import parse_one

from ingest.store import Catalog, ColumnRecord, JoinRecord, TableRecord
from tools.sql.unread import unread_columns

TABLES = {
    "store": ("store_id", "store_name", "kind", "freight", "price", "store_population"),
    "store_district": ("store_id", "district_id"),
    "district": ("district_id", "head_city", "city_area", "altitude", "last_updated"),
    "region": ("region_id", "climate"),
    "site": ("site_id", "cost", "weather"),
}
FIGURES = ("store_population", "freight", "price", "city_area", "altitude")
JOINS = [("store_district", "store", "store_id"), ("store_district", "district", "district_id")]
CATALOG = Catalog(
    tables=tuple(
        TableRecord(
            name=name,
            source=f"{name}.csv",
            rows=3,
            columns=tuple(
                ColumnRecord(name=c, type="BIGINT" if c in FIGURES else "VARCHAR", original=c)
                for c in columns
            ),
        )
        for name, columns in TABLES.items()
    ),
    joins=tuple(
        JoinRecord(left_table=left, left_column=key, right_table=right, right_column=key)
        for left, right, key in JOINS
    ),
)
BY_KIND = "SELECT kind, COUNT(*) FROM store GROUP BY kind"


def _left_out(sql: str, question: str) -> list[str]:
    found = list(unread_columns(parse_one(sql, dialect="duckdb"), question, CATALOG))
    assert all(error.kind == "column_left_out" for error in found)
    return [error.hint for error in found]


@pytest.mark.parametrize(
    ("question", "sql", "column"),
    [
        ("Find the city with the most stores.", BY_KIND, "district.head_city"),
        ("What is the population of all stores?", BY_KIND, "store.store_population"),
        ("cityごとの店舗数は？", BY_KIND, "district.head_city"),
        ("Freights by store", "SELECT store_name FROM store", "store.freight"),
        ("How many stores are in the city of Rome?", BY_KIND, "district.head_city"),
        ("Stores in the city Rome", BY_KIND, "district.head_city"),
        ("Stores in the city rome", BY_KIND, "district.head_city"),
        ("What are the names of all cities?", "SELECT kind FROM store", "district.head_city"),
        ("Which city to visit?", BY_KIND, "district.head_city"),
    ],
)
def test_a_column_that_the_question_names_must_be_read(
    question: str, sql: str, column: str
) -> None:
    assert _left_out(sql, question) == [f"read {column}"]


@pytest.mark.parametrize(
    ("question", "sql"),
    [
        ("Find the city with the most stores.", "SELECT head_city FROM district"),
        ("Stores in City Hall", "SELECT store_name FROM store WHERE kind = 'City Hall'"),
        ("What of the area?", "SELECT city_area, COUNT(*) FROM district GROUP BY 1"),
        ("How many stores are there by city?", "SELECT * FROM store"),
        ("The price a store", "SELECT SUM(freight) / COUNT(*) FROM store"),
        ("Which district has the most stores?", "SELECT district_id FROM store_district"),
        ("Stores by climate", BY_KIND),
        ('Stores with the city "Kobe"', "SELECT store_name FROM store WHERE kind = 'Kobe'"),
        ("Stores whose city is Kobe", "SELECT store_name FROM store WHERE kind LIKE 'Kobe%'"),
        ("What is the altitude of the stores?", "SELECT store_population FROM store"),
        ("What quantity is on hand?", "SELECT store_population FROM store"),
        ("What is the freight cost?", "SELECT freight FROM store JOIN site ON TRUE"),
        ("When was it updated?", "SELECT MAX(last_updated) FROM district"),
        ("What is the name of the store?", "SELECT kind FROM store"),
        ("How many stores are there across all cities?", "SELECT COUNT(*) FROM store"),
        ("How many stores, regardless of the city?", "SELECT COUNT(*) FROM store"),
        ("The number of stores of all cities?", "SELECT COUNT(*) FROM store"),
        ("How many stores are there in our cities?", "SELECT COUNT(*) FROM store"),
        ("How many stores are in the city?", "SELECT COUNT(*) FROM store"),
        ("Which stores should we price?", "SELECT store_name FROM store"),
        ("Which stores price to sell?", "SELECT store_name FROM store"),
    ],
)
def test_what_is_read_worked_out_or_out_of_reach_passes(question: str, sql: str) -> None:
    assert _left_out(sql, question) == []
