"""`zaiko pairs`: what a person confirms, sees, takes out and checks."""

import getpass
from collections.abc import Callable
from pathlib import Path

import pytest

from agent.models.scripted import ScriptedModel
from agent.pairs import PAIRS_FILE
from tests.support.desk import SIMPLE, UNITS, said, sql

from .conftest import STOCK, Zaiko

pytestmark = pytest.mark.slow

Script = Callable[..., ScriptedModel]
FIELDS = {
    "id", "question", "sql", "language", "origin", "confirmed_by", "confirmed_at", "asked_on",
    "dates", "tables", "revision", "checked_revision", "state", "why", "replaced_by",
}  # fmt: skip


def test_a_pair_is_added_listed_and_removed(zaiko: Zaiko, data_dir: Path) -> None:
    here = ("--data-dir", data_dir, "--json")
    added = zaiko("pairs", "add", SIMPLE, "--sql", UNITS, "--by", "Aya", *here).json()
    assert added.keys() == FIELDS
    assert (added["confirmed_by"], added["state"], added["tables"]) == ("Aya", "live", ["stock"])
    assert zaiko("pairs", "list", *here).json() == {"pairs": [added]}
    assert added["id"] in zaiko("pairs", "list", "--data-dir", data_dir).out
    assert zaiko("pairs", "remove", added["id"], *here).json()["id"] == added["id"]
    assert zaiko("pairs", "list", *here).json() == {"pairs": []}
    again = zaiko("pairs", "remove", added["id"], *here)
    assert (again.code, again.json()["error"]["kind"]) == (2, "pair")


def test_looking_creates_no_store(zaiko: Zaiko, data_dir: Path) -> None:
    here = ("--data-dir", data_dir, "--json")
    assert zaiko("pairs", "list", *here).json() == {"pairs": []}
    assert zaiko("pairs", "check", *here).json() == {"live": 0, "retired": [], "back": []}
    assert not (data_dir / PAIRS_FILE).exists()


def test_who_confirms_is_the_login_name_or_nobody(
    zaiko: Zaiko, data_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = ("--data-dir", data_dir, "--json")
    monkeypatch.setattr(getpass, "getuser", lambda: "kato")
    assert zaiko("pairs", "add", SIMPLE, "--sql", UNITS, *here).json()["confirmed_by"] == "kato"

    def no_name() -> str:
        raise KeyError("uid")

    monkeypatch.setattr(getpass, "getuser", no_name)
    nameless = zaiko("pairs", "add", "Units?", "--sql", UNITS, *here)
    assert (nameless.code, "--by" in nameless.json()["error"]["hint"]) == (2, True)


def test_what_nobody_confirmed_is_marked(zaiko: Zaiko, data_dir: Path) -> None:
    here = ("--data-dir", data_dir, "--json")
    made = zaiko("pairs", "add", SIMPLE, "--sql", UNITS, "--unconfirmed", *here).json()
    assert (made["origin"], made["confirmed_by"]) == ("model", None)
    assert "nobody" in zaiko("pairs", "list", "--data-dir", data_dir).out


@pytest.mark.parametrize(
    ("sql", "code", "kind"),
    [
        ("DROP TABLE stock", 1, "statement_not_allowed"),
        ("SELECT nope FROM stock", 1, "unknown_column"),
        ("SELECT 1", 2, "pair"),
        ("", 2, "usage"),
    ],
)
def test_sql_that_the_guard_refuses_is_not_kept(
    zaiko: Zaiko, data_dir: Path, sql: str, code: int, kind: str
) -> None:
    here = ("--data-dir", data_dir, "--json")
    refused = zaiko("pairs", "add", SIMPLE, "--sql", sql, *here)
    assert (refused.code, refused.json()["error"]["kind"]) == (code, kind)
    assert not (data_dir / PAIRS_FILE).exists()


@pytest.mark.slow
def test_an_import_that_changes_the_columns_retires_it_and_a_rollback_brings_it_back(
    zaiko: Zaiko, tmp_path: Path, company: Path
) -> None:
    here = ("--data-dir", tmp_path / "own", "--json")
    assert zaiko("ingest", company, *here).code == 0
    id = zaiko("pairs", "add", SIMPLE, "--sql", UNITS, "--by", "Aya", *here).json()["id"]
    changed = STOCK.replace("as_of,sku,warehouse,quantity", "as_of,sku,warehouse,pieces")
    (company / "stock.csv").write_text(changed, encoding="utf-8")
    assert f"pair {id} is retired: " in zaiko("ingest", company, *here).err
    (pair,) = zaiko("pairs", "list", *here).json()["pairs"]
    assert (pair["state"], "quantity" in pair["why"]) == ("retired", True)
    assert f"pair {id} binds again" in zaiko("rollback", *here).err
    assert zaiko("pairs", "check", *here).json() == {"live": 1, "retired": [], "back": []}


def test_the_answer_of_a_thread_is_confirmed(zaiko: Zaiko, data_dir: Path, script: Script) -> None:
    here = ("--data-dir", data_dir, "--json")
    script(sql(), said("There are 19 units.", "E1"))
    thread = zaiko("ask", SIMPLE, *here).json()["thread_id"]
    script()
    pair = zaiko("pairs", "add", "--thread", thread, "--by", "Aya", *here).json()
    assert (pair["question"], pair["origin"], pair["confirmed_by"]) == (SIMPLE, "model", "Aya")
    both = zaiko("pairs", "add", SIMPLE, "--thread", thread, *here)
    assert both.code == 2
