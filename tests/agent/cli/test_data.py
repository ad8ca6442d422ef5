"""`zaiko tables`: what was left out of the tables, and what in them may falsify figures."""

from pathlib import Path

import pytest

from .conftest import Zaiko

pytestmark = pytest.mark.slow

ROWS = "".join(f"A-{n},{n}\n" for n in range(1, 201))


@pytest.fixture
def odd(zaiko: Zaiko, tmp_path: Path) -> Path:
    """200 readable quantities, `about 5` in row 202; and a total that does not add up."""
    files = tmp_path / "files"
    files.mkdir()
    (files / "sales.csv").write_text(f"sku,quantity\n{ROWS}A-201,約5\n", encoding="utf-8")
    (files / "shelf.csv").write_text("品名,数量\n机,5\n棚,6\n合計,99\n箱,2\n", encoding="utf-8")
    assert zaiko("ingest", files, "--data-dir", tmp_path / "data").code == 0
    return tmp_path / "data"


def test_the_cells_that_were_left_out_are_listed(zaiko: Zaiko, odd: Path) -> None:
    shown = zaiko("tables", "--quarantine", "sales", "--data-dir", odd, "--json").json()
    assert shown == {
        "count": 1,
        "cells": [
            {
                "table": "sales",
                "column": "quantity",
                "row": 202,
                "value": "約5",
                "reason": "not a number (BIGINT column)",
                "source": "files/sales.csv",
            }
        ],
    }
    plain = zaiko("tables", "--quarantine", "--data-dir", odd)
    assert "files/sales.csv" in plain.out and "約5" in plain.out
    none = zaiko("tables", "shelf", "--quarantine", "--data-dir", odd)
    assert none.out.endswith("no cell was left out\n")


def test_a_note_of_sql_names_the_command_that_lists_the_cells(zaiko: Zaiko, odd: Path) -> None:
    said = zaiko("sql", "SELECT SUM(quantity) FROM sales", "--data-dir", odd, "--json").json()
    assert said["rows"] == [[str(200 * 201 // 2)]]
    command = "zaiko tables --quarantine sales"
    assert any(f"row 202 of files/sales.csv ({command})" in note for note in said["notes"])
    assert zaiko(*command.split()[1:], "--data-dir", odd, "--json").json()["count"] == 1


def test_a_table_that_is_not_there_is_named_with_those_that_are(zaiko: Zaiko, odd: Path) -> None:
    called = zaiko("tables", "sale", "--quarantine", "--data-dir", odd)
    assert called.code == 2
    assert "no table 'sale'" in called.err and "sales, shelf" in called.err


def test_what_may_falsify_figures_is_said_wherever_the_table_is(
    zaiko: Zaiko, odd: Path, tmp_path: Path
) -> None:
    warning = "1 row may add up other rows, so that a sum may count them twice (row 4: 合計 | 99)"
    report = zaiko("ingest", tmp_path / "files", "--data-dir", odd, "--json").json()
    assert report["notes"] == [{"table": "shelf", "note": warning, "warning": True}]
    assert (
        f"warning    shelf: {warning}" in zaiko("ingest", tmp_path / "files", "--data-dir", odd).out
    )
    assert f"shelf: warning: {warning}" in zaiko("tables", "--data-dir", odd).out
    assert warning in zaiko("tables", "--notes", "--data-dir", odd).out
    (table,) = zaiko("tables", "shelf", "--data-dir", odd, "--json").json()["tables"]
    assert table["warnings"] == [warning]
    said = zaiko("sql", "SELECT SUM(数量) FROM shelf", "--data-dir", odd, "--json").json()
    assert f"table shelf: {warning}" in said["notes"]


@pytest.mark.parametrize(
    ("codes", "said", "warned"),
    [
        ("A,B,B,X", "3 of 4 rows find their row (75%), many to one", False),
        ("X,Y,Y,Z", "0 of 4 rows find their row (0%), many to one", True),
        ("A,X,Y,Z", "1 of 4 rows find their row (25%), one to one", True),
    ],
)
def test_a_declared_join_is_measured_on_the_data(
    zaiko: Zaiko, tmp_path: Path, codes: str, said: str, warned: bool
) -> None:
    files, data = tmp_path / "files", tmp_path / "data"
    files.mkdir()
    data.mkdir()
    sales = "".join(f"{code},{n}\n" for n, code in enumerate(codes.split(",")))
    (files / "sales.csv").write_text(f"item,n\n{sales}")
    (files / "goods.csv").write_text("code,name\nA,Lamp\nB,Mug\nC,Tea\n")
    (data / "catalog.yaml").write_text(
        "joins:\n  - {left_table: sales, left_column: item, right_table: goods, right_column: code}\n"
    )
    called = zaiko("ingest", files, "--data-dir", data)
    assert called.code == 0
    assert (f"warning: sales.item = goods.code: {said}" in called.err) == warned
    assert ("share no value" in called.err) == (said[0] == "0")
    (join,) = zaiko("tables", "--data-dir", data, "--json").json()["declared_joins"]
    assert join == {"join": f"sales.item = goods.code: {said}", "share": int(said[0]) / 4}
    assert f"join sales.item = goods.code: {said}" in zaiko("tables", "--data-dir", data).out


@pytest.fixture
def months(zaiko: Zaiko, tmp_path: Path) -> Path:
    """Goods, and two months of their sales; March lacks its quantities."""
    files = tmp_path / "files"
    files.mkdir()
    (files / "products.csv").write_text("sku,name\nA,Lamp\nB,Mug\n")
    for month, rows in ((1, "A,5,500\nB,7,700\n"), (2, "A,11,1100\n")):
        lines = "".join(f"2026-0{month}-05,{row}\n" for row in rows.splitlines())
        (files / f"sales_2026-0{month}.csv").write_text(f"day,sku,qty,amount(JPY)\n{lines}")
    (files / "sales_2026-03.csv").write_text("day,sku,amount(JPY)\n2026-03-05,A,100\n")
    assert zaiko("ingest", files, "--data-dir", tmp_path / "data").code == 0
    return tmp_path / "data"


APART = "files/sales_2026-03.csv is not in sales: it lacks qty; see table sales_2026_03"  # March


def test_a_file_that_stands_apart_is_said_wherever_its_series_is(
    zaiko: Zaiko, months: Path
) -> None:
    said = zaiko("sql", "SELECT SUM(qty) FROM sales", "--data-dir", months, "--json").json()
    assert said["rows"] == [["23"]]
    assert f"table sales: {APART}" in said["notes"]
    assert f"sales: warning: {APART}" in zaiko("tables", "--data-dir", months).out
    other = zaiko("sql", "SELECT COUNT(*) FROM products", "--data-dir", months, "--json").json()
    assert not any("sales" in note for note in other["notes"])


def test_keys_measures_joins_and_metrics_are_shown(zaiko: Zaiko, months: Path) -> None:
    shown = zaiko("tables", "--data-dir", months)
    assert "join sales.sku = products.sku: many to one, proved" in shown.out
    assert "amount_JPY BIGINT (flow, JPY)" in shown.out
    assert "metric sales = " in shown.out
    found = zaiko("tables", "--data-dir", months, "--json").json()
    tables = {t["name"]: t for t in found["tables"]}
    assert (tables["products"]["key"], tables["products"]["grain"]) == (["sku"], "one row a sku")
    assert (tables["sales"]["data_from"], tables["sales"]["data_to"]) == (
        "2026-01-05",
        "2026-02-05",
    )
    join = {"left": "sales.sku", "right": "products.sku", "multiplicity": "many to one"}
    assert {**join, "declared": False} in found["joins"]
    assert "sales" in [metric["name"] for metric in found["metrics"]]


def test_ingest_says_what_is_wrong_with_the_catalog(
    zaiko: Zaiko, months: Path, tmp_path: Path
) -> None:
    (months / "catalog.yaml").write_text("week_start: 0\ncurrency: YEN\n")
    called = zaiko("ingest", tmp_path / "files", "--data-dir", months)
    assert called.code == 0
    assert "catalog.yaml, line 2: currency: 'YEN' is no currency code" in called.err
    assert "next: Correct that value." in called.err


def test_the_cells_shown_are_of_every_column_and_the_shortest_notes_come_first(
    zaiko: Zaiko, tmp_path: Path
) -> None:
    files = tmp_path / "odd"
    files.mkdir()
    odd = "".join(f"A-{n},約{n},1\n" for n in range(1, 13))
    rows = "".join(f"A-{n},{n},{n}\n" for n in range(1, 2001))
    (files / "a.csv").write_text(f"sku,quantity,price\n{odd}{rows}Z,1,時価\n", encoding="utf-8")
    (files / "b.csv").write_text("品名,数量\n机,5\n棚,6\n合計,11\n", encoding="utf-8")
    out = zaiko("ingest", files, "--data-dir", tmp_path / "made").out
    assert "a.quantity files" not in out and "a.price row 2014: '時価'" in out
    notes = [line for line in out.splitlines() if line.startswith("note ")]
    assert notes and "合計" in notes[0]
