"""Makes golden.jsonl and demo.json: `python eval_data/make_golden.py [--out DIR]`.

Table answers come from plain DuckDB SQL over the sample company's CSV files, without any part of
the product; document answers are written by hand in golden_questions.yaml.
"""

import argparse
import datetime as dt
import json
import sys
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import yaml

HERE = Path(__file__).resolve().parent
TODAY = "2026-11-30"
CODES = ("sku", "jan_code")
DEMO = ("t01", "d01", "c01")

Entry = dict[str, Any]


def open_tables(folder: Path) -> duckdb.DuckDBPyConnection:
    """An in-memory database with one table a CSV file; codes stay text."""
    connection = duckdb.connect(config={"threads": 1})
    for path in sorted(folder.glob("*.csv")):
        names = path.read_text(encoding="utf-8").split("\n", 1)[0].split(",")
        types = {name: "VARCHAR" for name in names if name in CODES}
        relation = connection.read_csv(str(path), header=True, sample_size=-1, dtype=types)
        relation.create(path.stem)
    return connection


def plain(value: object) -> object:
    """A JSON value: dates as ISO text, whole decimals and floats as integers."""
    if isinstance(value, dt.date):
        return value.isoformat()
    if isinstance(value, Decimal | float):
        return int(value) if value == int(value) else float(value)
    return value


def golden_entry(written: Entry, connection: duckdb.DuckDBPyConnection) -> Entry:
    sql = written.get("sql")
    rows = [[plain(v) for v in row] for row in connection.execute(sql).fetchall()] if sql else []
    cells = [cell for row in rows for cell in row]
    return {
        "id": written["id"],
        "question": written["question"],
        "lang": written["lang"],
        "kind": written["kind"],
        "today": TODAY,
        "expect": {
            "status": written.get("status", ["answered"]),
            "values": [*cells, *written.get("values", [])],
            "rows": rows if written["kind"] == "table" and written.get("rows", True) else None,
            "ordered": written.get("ordered", False),
            "sources": written.get("sources", []),
            "figures": written.get("figures", []),
        },
        "sql": sql,
        "follows": written.get("follows"),
        "note": written.get("note", ""),
    }


def golden_set(tables: Path) -> list[Entry]:
    written = yaml.safe_load((HERE / "golden_questions.yaml").read_text(encoding="utf-8"))
    connection = open_tables(tables)
    return [golden_entry(entry, connection) for entry in written]


def demo_set(golden: list[Entry]) -> list[Entry]:
    chosen = {entry["id"]: entry for entry in golden if entry["id"] in DEMO}
    return [
        {
            "question": chosen[name]["question"],
            "lang": chosen[name]["lang"],
            "expected": [str(value) for value in chosen[name]["expect"]["values"]],
        }
        for name in DEMO
    ]


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Make the golden set from the sample company.")
    parser.add_argument("--out", type=Path, default=HERE)
    out: Path = parser.parse_args(arguments).out
    golden = golden_set(HERE / "company" / "tables")
    lines = [json.dumps(entry, ensure_ascii=False) + "\n" for entry in golden]
    out.mkdir(parents=True, exist_ok=True)
    (out / "golden.jsonl").write_text("".join(lines), encoding="utf-8", newline="\n")
    demo = json.dumps(demo_set(golden), ensure_ascii=False, indent=2) + "\n"
    (out / "demo.json").write_text(demo, encoding="utf-8", newline="\n")
    sys.stdout.write(f"{out}: {len(golden)} golden questions\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
