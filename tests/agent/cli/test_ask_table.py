"""`zaiko ask --table`: the answer's table is saved whole, beside an answer and never instead."""

import csv
from collections.abc import Callable
from pathlib import Path

import pytest

from agent.models.scripted import ScriptedModel
from tests.support.desk import SIMPLE, calculate, said, split, sql

from .conftest import Zaiko

Script = Callable[..., ScriptedModel]
STOCK = "SELECT sku, sum(quantity) AS on_hand FROM stock GROUP BY sku ORDER BY sku"
QUESTION = "How many units of each SKU are there?"


def lines_of(path: Path) -> list[list[str]]:
    with path.open(encoding="utf-8-sig", newline="") as lines:
        return list(csv.reader(lines))


def test_the_rows_of_the_answer_are_saved_and_it_is_as_ever(
    zaiko: Zaiko, data_dir: Path, script: Script, tmp_path: Path
) -> None:
    script(sql(STOCK), said("The units of each SKU.", "E1"))
    path = tmp_path / "在庫.csv"
    called = zaiko("ask", QUESTION, "--data-dir", data_dir, "--json", "--table", path)
    assert called.code == 0
    found = called.json()["evidence"][0]
    assert lines_of(path) == [
        [c["name"] for c in found["columns"]],
        *([str(v) for v in row] for row in found["rows"]),
    ]
    assert f"table: {path} ({found['row_count']} rows of E1)" in called.err


def test_a_calculated_table_is_shown_and_saved_instead_of_its_inputs(
    zaiko: Zaiko, data_dir: Path, script: Script, tmp_path: Path
) -> None:
    code = (
        "reorder_proposal('E1', [{'sku': r['sku'], 'quantity': r['on_hand']} for r in rows('E1')],"
        " [{'sku': r['sku'], 'lead_time_days': 90} for r in rows('E1')], days=30, safety_days=0)"
    )
    script(
        split(("the units of each SKU", "rows"), ("what to order", "calculation")),
        sql(STOCK),
        calculate(code),
        said("This is what to order.", "E2"),
    )
    path = tmp_path / "order.xlsx"
    question = "How many units of each SKU are there? And what should be ordered for 90 days?"
    called = zaiko("ask", question, "--data-dir", data_dir, "--json", "--table", path)
    answer = called.json()
    assert called.code == 0
    assert "| proposed_quantity | reason |" in answer["text"]
    assert "E1: " not in answer["text"]
    assert f"({answer['evidence'][1]['row_count']} rows of E2)" in called.err
    assert path.read_bytes().startswith(b"PK")


def test_an_answer_without_a_table_is_still_given_and_exit_1(
    zaiko: Zaiko, data_dir: Path, script: Script, tmp_path: Path
) -> None:
    wrong = said("There are 23 units.", "E1")
    script(sql(), wrong, wrong)
    path = tmp_path / "x.csv"
    called = zaiko("ask", SIMPLE, "--data-dir", data_dir, "--table", path)
    assert called.code == 3
    assert f"no table: the answer rests on none, {path} is not written" in called.err
    assert not path.exists()


@pytest.mark.parametrize("name", ["x.pdf", "none/x.csv", "."])
def test_a_table_that_cannot_be_saved_is_said_before_anything_is_asked(
    name: str, zaiko: Zaiko, data_dir: Path, script: Script, tmp_path: Path
) -> None:
    model = script(sql(STOCK), said("The units.", "E1"))
    called = zaiko("ask", QUESTION, "--data-dir", data_dir, "--table", tmp_path / name)
    assert (called.code, called.out, model.remaining) == (2, "", 2)
    assert "next: " in called.err
