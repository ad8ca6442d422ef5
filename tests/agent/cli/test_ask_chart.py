"""`zaiko ask --chart`: the chart is saved beside an answer, and never instead of it."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from agent.models.scripted import ScriptedModel
from tests.support.desk import SIMPLE, said, sql

from .conftest import Zaiko

Script = Callable[..., ScriptedModel]
BY_WAREHOUSE = (
    "SELECT warehouse, sum(quantity) AS units FROM stock GROUP BY warehouse ORDER BY units DESC"
)
TOLD = said("Nagoya has 40 units.", "E1")
QUESTION = "How many units are in each warehouse?"


def test_the_specification_is_saved_and_the_answer_is_as_ever(
    zaiko: Zaiko, data_dir: Path, script: Script, tmp_path: Path
) -> None:
    script(sql(BY_WAREHOUSE), TOLD)
    path = tmp_path / "units.vl.json"
    called = zaiko("ask", QUESTION, "--data-dir", data_dir, "--json", "--chart", path)
    assert called.code == 0
    assert "chart" not in called.json()
    assert f"chart: {path} (bar of E1)" in called.err
    spec = json.loads(path.read_text(encoding="utf-8"))
    values = {v["at"]: v["value"] for v in spec["data"]["values"]}
    assert values == {"Nagoya": "40", "Osaka": "12", "東京": "7"}


@pytest.mark.slow
def test_a_picture_has_its_specification_beside_it(
    zaiko: Zaiko, data_dir: Path, script: Script, tmp_path: Path
) -> None:
    script(sql(BY_WAREHOUSE), TOLD)
    called = zaiko("ask", QUESTION, "--data-dir", data_dir, "--chart", tmp_path / "units.png")
    assert called.code == 0
    assert (tmp_path / "units.png").read_bytes().startswith(b"\x89PNG\r\n\x1a\n")
    assert json.loads((tmp_path / "units.vl.json").read_text(encoding="utf-8"))["title"]


def test_an_answer_that_cannot_be_drawn_is_still_given_and_exit_1(
    zaiko: Zaiko, data_dir: Path, script: Script, tmp_path: Path
) -> None:
    script(sql(), said("There are 19 units.", "E1"))
    path = tmp_path / "units.png"
    called = zaiko("ask", SIMPLE, "--data-dir", data_dir, "--chart", path)
    assert called.code == 1
    assert called.out.startswith("There are 19 units[1].")
    assert "no chart: E1: the result is a single figure" in called.err
    assert "next: ask by month" in called.err
    assert not path.exists()


def test_a_handoff_keeps_its_exit_status(
    zaiko: Zaiko, data_dir: Path, script: Script, tmp_path: Path
) -> None:
    wrong = said("There are 23 units.", "E1")
    script(sql(), wrong, wrong)
    called = zaiko("ask", SIMPLE, "--data-dir", data_dir, "--chart", tmp_path / "x.json")
    assert called.code == 3
    assert "no chart: the answer was handed to a person" in called.err


def test_a_chart_that_cannot_be_saved_is_said_before_anything_is_asked(
    zaiko: Zaiko, data_dir: Path, script: Script, tmp_path: Path
) -> None:
    model = script(sql(BY_WAREHOUSE), TOLD)
    (tmp_path / "units.vl.json").write_text("[1]", encoding="utf-8")
    called = zaiko("ask", QUESTION, "--data-dir", data_dir, "--chart", tmp_path / "units.png")
    assert (called.code, called.out, model.remaining) == (2, "", 2)
    assert (tmp_path / "units.vl.json").read_text(encoding="utf-8") == "[1]"
