"""The golden set: its answers hold in the tables and the documents as committed."""

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

Query = Callable[[str], list[tuple[Any, ...]]]
DocumentText = Callable[[str], str]
Golden = list[dict[str, Any]]


def as_text(rows: list[Any]) -> list[list[str]]:
    return [[f"{v:g}" if isinstance(v, float) else str(v) for v in row] for row in rows]


def is_document(source: str) -> bool:
    return source.endswith((".md", ".pdf", ".docx"))


def test_the_set_is_large_and_mixed_enough(golden: Golden) -> None:
    languages = Counter(entry["lang"] for entry in golden)
    kinds = Counter(entry["kind"] for entry in golden)
    assert len(golden) >= 44
    assert len({entry["id"] for entry in golden}) == len(golden)
    assert 0.4 < languages["ja"] / len(golden) < 0.6
    assert 0.25 < languages["en"] / len(golden) < 0.4
    assert languages["zh"] >= 8
    assert kinds["none"] >= 5
    assert kinds["both"] >= 5
    assert kinds["document"] >= 10


def test_every_gold_sql_gives_the_gold_rows(golden: Golden, query: Query) -> None:
    tables = [entry for entry in golden if entry["expect"]["rows"] is not None]
    assert len(tables) >= 20
    assert {entry["kind"] for entry in tables} == {"table"}
    for entry in tables:
        got, told = as_text(query(entry["sql"])), as_text(entry["expect"]["rows"])
        assert told, entry["id"]
        if not entry["expect"]["ordered"]:
            got, told = sorted(got), sorted(told)
        assert got == told, entry["id"]


def test_what_the_gold_sql_gives_must_stand_in_the_answer(golden: Golden, query: Query) -> None:
    asked = [entry for entry in golden if entry["sql"]]
    assert {entry["kind"] for entry in asked} == {"table", "both"}
    for entry in asked:
        cells = [cell for row in as_text(query(entry["sql"])) for cell in row]
        assert sorted(as_text([entry["expect"]["values"]])[0]) == sorted(cells), entry["id"]


def test_document_answers_stand_in_the_documents(
    golden: Golden, document_text: DocumentText
) -> None:
    checked = 0
    for entry in golden:
        expect = entry["expect"]
        documents = [name for name in expect["sources"] if is_document(name)]
        values = expect["values"] if entry["kind"] == "document" else expect["figures"]
        assert bool(documents) == (entry["kind"] in ("document", "both")), entry["id"]
        for value in values:
            assert any(value in document_text(name) for name in documents), (entry["id"], value)
            checked += 1
    assert checked >= 30


def test_answers_of_superseded_or_proposed_rules_differ_from_the_current_ones(
    document_text: DocumentText,
) -> None:
    new, old = document_text("返品規定_2026.md"), document_text("返品規定_2024.md")
    assert "| 照明 | 14日 |" in new
    assert "| 照明 | 30日 |" in old
    assert "額の15%を" in new
    assert "額の10%を" in old
    assert "| A | 12日 | 16日 |" in document_text("発注方針_改定案_2027.md")


def test_sources_exist(golden: Golden, root: Path) -> None:
    for entry in golden:
        for source in entry["expect"]["sources"]:
            document = root / "company" / "documents" / source
            table = root / "company" / "tables" / f"{source}.csv"
            assert (document if is_document(source) else table).is_file(), source


def test_a_follow_up_comes_after_what_it_follows(golden: Golden) -> None:
    seen: set[str] = set()
    follow_ups = [entry for entry in golden if entry["follows"]]
    assert len(follow_ups) >= 4
    for entry in golden:
        assert entry["follows"] is None or entry["follows"] in seen
        seen.add(entry["id"])


def test_what_cannot_be_answered_expects_no_value(golden: Golden, query: Query) -> None:
    for entry in (e for e in golden if e["kind"] == "none"):
        assert entry["expect"]["status"] == ["not_found", "handed_off"]
        assert entry["expect"]["values"] == []
    assert query("SELECT COUNT(*) FROM products WHERE sku = 'ZZ-9999'") == [(0,)]
    assert query("SELECT COUNT(*) FROM sales WHERE sale_date < '2024-12-01'") == [(0,)]


def test_the_script_makes_the_same_golden_set(root: Path, tmp_path: Path) -> None:
    command = [sys.executable, str(root / "make_golden.py"), "--out", str(tmp_path)]
    subprocess.run(command, check=True, capture_output=True)
    for name in ("golden.jsonl", "demo.json"):
        assert (tmp_path / name).read_bytes() == (root / name).read_bytes()


def test_the_demo_questions_are_in_the_readme_with_their_answers(root: Path) -> None:
    readme = (root / "README.md").read_text(encoding="utf-8").replace(",", "")
    demo = json.loads((root / "demo.json").read_text(encoding="utf-8"))
    assert [entry["lang"] for entry in demo] == ["en", "ja", "en"]
    for entry in demo:
        row = next(r for r in readme.splitlines() if entry["question"].replace(",", "") in r)
        assert all(value in row for value in entry["expected"])
