"""`zaiko tables`: what was left out of the tables, and what in them may falsify figures."""

from pathlib import Path

import pytest

from .conftest import Zaiko

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
