"""The benchmark of the import of tables: its rate beside DuckDB's own reader, and its memory.

    python -m tests.bench.tables [--megabytes 100] [--runs 3]

The file is made up, seeded and clean: order lines with codes, dates, times, Japanese words,
whole numbers and decimals, one column mostly blank. DuckDB reads it with `read_csv` (types by a
sample) into a table of a database file; ours reads all of it as text, types every column over all
its rows, writes the same kind of file and describes the table. Runs take turns, each in a process
of its own; the fastest of each counts, since whatever else runs on the machine only slows it
down. Memory is the peak of the process, the interpreter and its libraries included.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from pathlib import Path
from typing import NamedTuple

from ingest.store.settings import IngestSettings
from ingest.tables import import_tables
from ingest.tables.connection import open_duckdb

LEAST_RATIO, MOST_MEMORY = 0.25, 3.0
MEGA = 1_000_000
HEADER = (
    "order_id,order_date,store,sku,product,category,quantity,unit_price,amount,shipped_at,note\n"
)
CATEGORIES = ("文具", "飲料", "菓子", "日用品", "家電")
BATCH = 2000


class Run(NamedTuple):
    """One import. `peak` in bytes; `cpu_s` of all its threads."""

    reader: str
    seconds: float
    cpu_s: float
    peak: int
    rows: int
    quarantined: int = 0


class Result(NamedTuple):
    """What the runs come to: MB/s of the fastest run of each reader, and our highest peak."""

    size: int
    duckdb: float
    ours: float
    peak: int

    @property
    def ratio(self) -> float:
        return self.ours / self.duckdb

    @property
    def memory(self) -> float:
        """Peak as a multiple of the file's size."""
        return self.peak / self.size

    def missed(self) -> list[str]:
        found = []
        if self.ratio < LEAST_RATIO:
            found.append(f"{self.ratio:.2f} of DuckDB's rate, at least {LEAST_RATIO} wanted")
        if self.memory >= MOST_MEMORY:
            found.append(f"memory {self.memory:.1f} times the file, below {MOST_MEMORY} wanted")
        return found


def main(arguments: Sequence[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    if options.measure:
        sys.stdout.write(json.dumps(measure(options.measure, options.file)))
        return 0
    with tempfile.TemporaryDirectory(prefix="zaiko-bench-") as folder:
        path = Path(folder) / "orders.csv"
        rows = write_orders(path, options.megabytes * MEGA)
        size = path.stat().st_size
        sys.stdout.write(f"{size / MEGA:.0f} MB, {rows:,} rows, {HEADER.count(',') + 1} columns\n")
        readers = [reader for _ in range(options.runs) for reader in ("duckdb", "zaiko")]
        runs = [_in_its_own_process(reader, path) for reader in readers]
    for run in runs:
        sys.stdout.write(line(run, size) + "\n")
    result = summary(runs, size)
    sys.stdout.write(
        f"ratio {result.ratio:.2f} (zaiko {result.ours:.1f} MB/s, DuckDB {result.duckdb:.1f} MB/s), "
        f"memory {result.memory:.2f} times the file\n"
    )
    wrong = [run for run in runs if run.rows != rows or run.quarantined]
    missed = [*result.missed(), *(f"{run.reader} read {run.rows:,} rows" for run in wrong)]
    sys.stdout.writelines(f"missed: {what}\n" for what in missed)
    return 1 if missed else 0


def summary(runs: Sequence[Run], size: int) -> Result:
    fastest = {
        reader: min(run.seconds for run in runs if run.reader == reader)
        for reader in ("duckdb", "zaiko")
    }
    peak = max(run.peak for run in runs if run.reader == "zaiko")
    return Result(size, size / MEGA / fastest["duckdb"], size / MEGA / fastest["zaiko"], peak)


def line(run: Run, size: int) -> str:
    rate = size / MEGA / run.seconds
    return (
        f"{run.reader:7} {rate:7.1f} MB/s  {run.seconds:6.2f} s  CPU {run.cpu_s:6.2f} s  "
        f"peak {run.peak / MEGA:5.0f} MB"
    )


def measure(reader: str, path: Path) -> Run:
    """One import into a new database file beside the table; the clock stops when it is on disk."""
    with tempfile.TemporaryDirectory(prefix="zaiko-bench-") as folder:
        connection = open_duckdb(Path(folder) / "warehouse.duckdb")
        started, cpu = time.perf_counter(), time.process_time()
        quarantined = 0
        if reader == "duckdb":
            connection.execute("CREATE TABLE orders AS SELECT * FROM read_csv(?)", [str(path)])
        else:
            result = import_tables(connection, path, path.name, IngestSettings())
            quarantined = len(result.quarantined)
        connection.execute("CHECKPOINT")
        seconds, cpu = time.perf_counter() - started, time.process_time() - cpu
        found = connection.execute("SELECT count(*) FROM orders").fetchone()
        connection.close()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    return Run(reader, seconds, cpu, peak, found[0] if found else 0, quarantined)


def write_orders(path: Path, size: int) -> int:
    """At least `size` bytes of order lines; their number."""
    rows = 0
    with path.open("w", encoding="utf-8", newline="") as file:
        written = file.write(HEADER)
        for batch in _orders(random.Random(7)):
            text = "".join(batch)
            file.write(text)
            rows, written = rows + len(batch), written + len(text.encode())
            if written >= size:
                return rows
    raise AssertionError("orders never end")


def _orders(chance: random.Random) -> Iterator[list[str]]:
    number = 0
    while True:
        batch = []
        for _ in range(BATCH):
            number += 1
            day = date(2024, 1, 1) + timedelta(days=number // BATCH % 1000)
            quantity, price = chance.randint(1, 40), chance.randint(5_000, 9_999_900) / 100
            note = "" if chance.random() < 0.8 else f"note for line {number}"
            batch.append(
                f"{100_000 + number},{day},店舗{chance.randint(1, 120):03},"
                f"SKU-{chance.randint(1, 9_999):05},商品 {chance.randint(1, 9_999)},"
                f"{chance.choice(CATEGORIES)},{quantity},{price:.2f},{quantity * price:.2f},"
                f"{day} {chance.randint(8, 19):02}:{chance.randint(0, 59):02}:00,{note}\n"
            )
        yield batch


def _in_its_own_process(reader: str, path: Path) -> Run:
    command = [sys.executable, "-m", "tests.bench.tables", "--measure", reader, "--file", str(path)]
    out = subprocess.run(command, check=True, capture_output=True, text=True)
    return Run(*json.loads(out.stdout))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--megabytes", type=int, default=100)
    parser.add_argument("--runs", type=int, default=3, help="of each reader; the fastest counts")
    parser.add_argument("--measure", choices=("duckdb", "zaiko"), help=argparse.SUPPRESS)
    parser.add_argument("--file", type=Path, help=argparse.SUPPRESS)
    return parser


if __name__ == "__main__":
    sys.exit(main())
