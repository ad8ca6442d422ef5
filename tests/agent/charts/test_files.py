import json
from decimal import Decimal
from pathlib import Path

import pytest

from agent.charts import ChartFile
from agent.charts.spec import grouped, wrapped
from agent.errors import UsageError

OURS = {"mark": "bar", "usermeta": {"zaiko": {"evidence_id": "E1"}}}


@pytest.mark.parametrize(
    ("name", "spec", "picture"),
    [
        ("sales.png", "sales.vl.json", "sales.png"),
        ("sales.svg", "sales.vl.json", "sales.svg"),
        ("sales.vl.json", "sales.vl.json", None),
        ("売上.json", "売上.json", None),
        ("a.b.PNG", "a.b.vl.json", "a.b.PNG"),
    ],
)
def test_the_name_says_what_is_saved(
    name: str, spec: str, picture: str | None, tmp_path: Path
) -> None:
    found = ChartFile.at(tmp_path / name)
    assert found.spec.name == spec
    assert (found.picture and found.picture.name) == picture


@pytest.mark.parametrize("name", ["sales", "sales.pdf", "no/sales.png", "", "folder.png"])
def test_a_place_where_nothing_can_be_saved_is_refused_at_once(name: str, tmp_path: Path) -> None:
    (tmp_path / "folder.png").mkdir()
    with pytest.raises(UsageError) as error:
        ChartFile.at(tmp_path / name)
    assert error.value.hint
    assert [p.name for p in tmp_path.iterdir()] == ["folder.png"]


def test_an_earlier_chart_is_replaced_and_anothers_file_is_not(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    ChartFile.at(path).save(OURS)
    assert ChartFile.at(path).save({**OURS, "mark": "line"}) == [path]
    assert json.loads(path.read_text(encoding="utf-8"))["mark"] == "line"
    assert list(tmp_path.iterdir()) == [path]
    (tmp_path / "y.vl.json").write_text('{"mine": 1}', encoding="utf-8")
    with pytest.raises(UsageError, match="no chart of zaiko"):
        ChartFile.at(tmp_path / "y.png")


def test_a_long_title_is_broken_at_spaces_or_between_characters_and_ends_in_dots() -> None:
    assert wrapped("one two three", 7) == ["one two", "three"]
    assert wrapped("在庫の推移を", 6) == ["在庫の", "推移を"]
    assert wrapped("a b c d e f", 3, lines=2) == ["a b", "c …"]
    assert wrapped("", 10) == [""]
    assert all(len(line) <= 10 for line in wrapped("x" * 95 + " yy", 10))


@pytest.mark.parametrize(
    ("figure", "shown"), [("1234567.50", "1,234,567.50"), ("-0.10", "-0.10"), ("1E+3", "1,000")]
)
def test_a_figure_on_a_bar_has_all_its_digits(figure: str, shown: str) -> None:
    assert grouped(Decimal(figure)) == shown
    assert grouped(None) == ""
