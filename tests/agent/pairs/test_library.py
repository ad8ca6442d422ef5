import sqlite3
import stat
import subprocess
import sys
from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest

from agent.errors import PairError
from agent.pairs import PAIRS_FILE, PairLibrary
from agent.pairs.sqlite import SqlitePairs
from ingest.store import Store
from tools.errors import ToolRefused, ToolRetry
from tools.sql.guard import CheckedQuery

from .conftest import SALES

pytestmark = pytest.mark.slow

Company = Callable[..., Path]
Open = Callable[..., PairLibrary]
TODAY = date(2026, 11, 30)
SALES_AGAIN = "sold_on,warehouse,sku,quantity\n2026-01-15,東京倉庫,A-1,5\n"
QUESTION = "東京倉庫の出庫数は？"
SQL = "SELECT sum(quantity) FROM sales WHERE warehouse = '東京倉庫'"


def found(library: PairLibrary, question: str, *values: str, today: date = TODAY) -> list[str]:
    return [e.id for e in library.find(question, today, values, library._store).examples]


def test_a_pair_says_who_confirmed_it_when_and_over_which_data(library: Open) -> None:
    pairs = library()
    pair = pairs.add(QUESTION, SQL, by="tanaka", asked_on=TODAY, at="2026-11-30T09:00:00+00:00")
    assert (pair.confirmed_by, pair.confirmed_at) == ("tanaka", "2026-11-30T09:00:00+00:00")
    assert (pair.origin, pair.language, pair.revision, pair.tables) == (
        "person", "ja", 1, ("sales",)
    )  # fmt: skip
    assert pairs.list() == [pair]


def test_the_guard_decides_what_is_kept(library: Open, company: Company) -> None:
    pairs = library()
    with pytest.raises(ToolRefused) as refused:
        pairs.add(QUESTION, "SELECT * FROM read_csv('/etc/passwd')", by="t", asked_on=TODAY)
    assert refused.value.kind
    with pytest.raises(ToolRetry) as unbound:
        pairs.add(QUESTION, "SELECT sum(amount) FROM sales", by="t", asked_on=TODAY)
    assert "amount" in unbound.value.message
    with pytest.raises(PairError, match="no table"):
        pairs.add(QUESTION, "SELECT 42", by="t", asked_on=TODAY)
    assert pairs.list() == []


@pytest.mark.parametrize("question", ["", "？！", "x" * 401])
def test_a_question_without_words_or_too_long_is_refused(library: Open, question: str) -> None:
    with pytest.raises(PairError, match="question"):
        library().add(question, SQL, by="tanaka", asked_on=TODAY)


def test_nobody_is_invented_who_confirms(library: Open) -> None:
    with pytest.raises(PairError, match="nobody is named"):
        library().add(QUESTION, SQL, by=" ", asked_on=TODAY)


def test_what_the_model_made_alone_is_marked_and_never_found(library: Open) -> None:
    pairs = library()
    made = pairs.add(QUESTION, SQL, by=None, origin="model", asked_on=TODAY)
    assert (made.origin, made.is_confirmed) == ("model", False)
    assert found(pairs, QUESTION, "東京倉庫") == []
    confirmed = pairs.add(QUESTION, SQL, by="tanaka", asked_on=TODAY)
    assert (confirmed.id, confirmed.origin, confirmed.confirmed_by) == (made.id, "model", "tanaka")
    assert found(pairs, QUESTION, "東京倉庫") == [made.id]


def test_the_same_pair_again_keeps_its_first_confirmation(library: Open) -> None:
    pairs = library()
    first = pairs.add(QUESTION, SQL, by="tanaka", asked_on=TODAY)
    again = pairs.add("東京倉庫の出庫数は", SQL + ";", by="suzuki", asked_on=TODAY)
    assert again == first
    assert len(pairs.list()) == 1


def test_another_sql_confirmed_for_the_question_takes_the_place_of_the_first(library: Open) -> None:
    pairs = library()
    old = pairs.add(QUESTION, SQL, by="tanaka", asked_on=TODAY)
    new = pairs.add(QUESTION, SQL + " AND quantity > 0", by="suzuki", asked_on=TODAY)
    states = {p.id: (p.state, p.why) for p in pairs.list()}
    assert states == {new.id: ("live", ""), old.id: ("retired", f"replaced by {new.id}")}
    pairs.check()
    assert found(pairs, QUESTION, "東京倉庫") == [new.id]
    assert pairs.add(QUESTION, SQL, by="tanaka", asked_on=TODAY).state == "live"
    assert found(pairs, QUESTION, "東京倉庫") == [old.id]


def test_a_like_question_finds_it_and_another_does_not(library: Open) -> None:
    pairs = library()
    pair = pairs.add(QUESTION, SQL, by="tanaka", asked_on=TODAY)
    assert found(pairs, "大阪倉庫の出庫数は？", "大阪倉庫") == [pair.id]
    assert found(pairs, "仕入先の支払条件は？") == []


def test_the_very_question_is_repeated_with_the_days_of_today(library: Open) -> None:
    pairs = library()
    sql = SQL + " AND sold_on BETWEEN DATE '2026-09-01' AND DATE '2026-09-30'"
    pairs.add("先月の" + QUESTION, sql, by="tanaka", asked_on=date(2026, 10, 15))
    repeat = pairs.find("先月の東京倉庫の出庫数は", TODAY, ["東京倉庫"], pairs._store).repeat
    assert repeat is not None
    assert "BETWEEN DATE '2026-10-01' AND DATE '2026-10-31'" in repeat.sql


def test_an_example_whose_days_cannot_be_moved_says_when_it_was_asked(library: Open) -> None:
    pairs = library()
    sql = SQL + " AND sold_on = DATE '2026-09-15'"
    pairs.add("先月の" + QUESTION, sql, by="tanaka", asked_on=date(2026, 10, 15))
    result = pairs.find("先月の東京倉庫の出庫数は", TODAY, ["東京倉庫"], pairs._store)
    assert result.repeat is None
    assert [(e.asked_on, "2026-09-15" in e.sql) for e in result.examples] == [("2026-10-15", True)]


def test_at_most_two_short_examples_are_shown(library: Open) -> None:
    pairs = library()
    for n in range(4):
        pairs.add(f"{n}個以上の出庫数は？", f"{SQL} AND quantity >= {n}", by="t", asked_on=TODAY)
    long = " + ".join(["sum(quantity)"] * 40)
    pairs.add("9個以上の出庫数は？", f"SELECT {long} FROM sales", by="t", asked_on=TODAY)
    result = pairs.find("8個以上の出庫数は？", TODAY, [], pairs._store)
    assert len(result.examples) == 2
    assert all(e.question != "9個以上の出庫数は？" for e in result.examples)
    again = pairs.find("9個以上の出庫数は？", TODAY, [], pairs._store)
    assert again.repeat is not None  # too long to show is not too long to run
    assert again.examples == ()


def test_a_changed_schema_retires_a_pair_and_it_comes_back(library: Open, company: Company) -> None:
    data_dir = company(SALES)
    pair = library(data_dir).add(QUESTION, SQL, by="tanaka", asked_on=TODAY)
    company("sold_on,place,quantity\n2026-01-15,東京倉庫,5\n")
    changed = library(data_dir)
    assert found(changed, QUESTION, "東京倉庫") == []  # before anything was checked
    done = changed.check()
    assert [p.id for p in done.retired] == [pair.id]
    assert "warehouse" in changed.list()[0].why
    company("sold_on,warehouse,quantity\n2026-01-15,東京倉庫,5\n")
    assert [p.id for p in library(data_dir).check().back] == [pair.id]
    assert found(library(data_dir), QUESTION, "東京倉庫") == [pair.id]


def test_a_removed_pair_is_found_no_more_and_its_text_is_gone(
    library: Open, company: Company
) -> None:
    data_dir = company()
    pairs = library(data_dir)
    pair = pairs.add(QUESTION, SQL, by="tanaka", asked_on=TODAY)
    assert "東京倉庫の出庫数".encode() in (data_dir / PAIRS_FILE).read_bytes()
    assert pairs.remove(pair.id[:6]) == pair
    assert found(pairs, QUESTION, "東京倉庫") == []
    assert "東京倉庫の出庫数".encode() not in (data_dir / PAIRS_FILE).read_bytes()
    with pytest.raises(PairError, match="no pair"):
        pairs.remove(pair.id)


def test_reading_creates_nothing_and_needs_no_write_access(library: Open, company: Company) -> None:
    data_dir = company()
    pairs = library(data_dir)
    before = sorted(p.name for p in data_dir.iterdir())
    assert (pairs.list(), found(pairs, QUESTION)) == ([], [])
    pairs.check()
    assert sorted(p.name for p in data_dir.iterdir()) == before
    pairs.add(QUESTION, SQL, by="tanaka", asked_on=TODAY)
    (data_dir / PAIRS_FILE).chmod(stat.S_IRUSR)
    assert len(found(pairs, QUESTION, "東京倉庫")) == 1
    assert sorted(p.name for p in data_dir.iterdir()) == sorted([*before, PAIRS_FILE])


def test_a_file_that_is_no_database_is_an_error_with_the_way_out(tmp_path: Path) -> None:
    (tmp_path / PAIRS_FILE).write_bytes(b"no database" * 100)
    with pytest.raises(PairError) as error:
        SqlitePairs(tmp_path).list()
    assert "zaiko doctor" in error.value.hint


def test_what_a_killed_writer_left_half_done_is_undone(library: Open, company: Company) -> None:
    data_dir = company()
    pairs = library(data_dir)
    pair = pairs.add(QUESTION, SQL, by="tanaka", asked_on=TODAY)
    die = (
        "import os, sqlite3, sys\n"
        "c = sqlite3.connect(sys.argv[1], isolation_level=None)\n"
        "c.execute('PRAGMA cache_size = 1')\n"
        "c.execute('BEGIN IMMEDIATE')\n"
        "c.execute('DELETE FROM pairs')\n"
        "c.executemany('INSERT INTO pairs VALUES (?, ?, ?, ?, ?)',\n"
        "    [(str(n), '{}' + ' ' * 5000, '', None, None) for n in range(50)])\n"
        "os._exit(9)\n"
    )
    subprocess.run([sys.executable, "-c", die, str(data_dir / PAIRS_FILE)], check=False)
    assert (data_dir / f"{PAIRS_FILE}-journal").exists()
    assert pairs.list() == [pair]


def test_a_pair_that_is_removed_while_it_is_checked_stays_away(
    library: Open, company: Company
) -> None:
    data_dir = company(SALES)
    pairs = library(data_dir)
    pair = pairs.add(QUESTION, SQL, by="tanaka", asked_on=TODAY)
    company(SALES_AGAIN)
    changed = library(data_dir)
    bind = changed._bind

    def remove_first(sql: str, store: Store) -> CheckedQuery:
        pairs.remove(pair.id)
        return bind(sql, store)

    changed._bind = remove_first
    changed.check()
    assert pairs.list() == []


def test_a_file_that_is_still_being_created_holds_nothing(tmp_path: Path) -> None:
    sqlite3.connect(tmp_path / PAIRS_FILE).close()
    (tmp_path / PAIRS_FILE).touch()
    assert SqlitePairs(tmp_path).list() == []
