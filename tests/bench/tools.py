"""The benchmark of the tools: what the SQL and the calculation tool take beyond the bare work.

    python -m tests.bench.tools [--rounds 20] [--profile]

Over the sample company's tables: each query of the golden set through the SQL tool and, beside it,
the very text that ran through a DuckDB connection of this process; each snippet through the
calculation tool and, beside it, through Python's own `exec`. The two take turns, so that a busy
machine slows both. An overhead is the difference of one pair; p50 is over all pairs. Exit 1 when
a target is missed. `--profile` adds where this process spends its time in the tools.
"""

import argparse
import ast
import cProfile
import io
import json
import pstats
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any

import duckdb

from ingest.embedders import make_embedder
from ingest.pipeline import run_ingest
from ingest.store import IngestSettings, Store
from tests.bench.retrieval_metrics import percentile
from tools.base import ToolContext
from tools.calc.inputs import EvidenceInputs
from tools.calc.tool import CalculationArguments, CalculationTool
from tools.errors import ToolError
from tools.evidence import Evidence
from tools.sql.client import Worker
from tools.sql.guard import check
from tools.sql.settings import SqlSettings
from tools.sql.tool import SqlArguments, SqlTool

ROOT = Path(__file__).resolve().parents[2]
TODAY = date(2026, 11, 30)
SQL_TARGET_MS, CALC_TARGET_MS = 10.0, 5.0
MONTHLY = (
    "SELECT strftime(sale_date, '%Y-%m') AS month, sum(quantity) AS units, sum(amount) AS amount "
    "FROM sales GROUP BY month ORDER BY month"
)
BY_SKU = (
    "SELECT sku, sum(quantity) AS units, sum(amount) AS amount FROM sales GROUP BY sku ORDER BY sku"
)
SNIPPETS = {
    "one sum": "1234.5 * 0.08 + 17",
    "a growth rate": "r = rows('E1')\n(r[-1]['amount'] - r[-2]['amount']) / r[-2]['amount']",
    "a share of each": "r = rows('E2')\ntotal = sum(x['amount'] for x in r)\n"
    "[{'sku': x['sku'], 'share': x['amount'] / total} for x in r]",
    "a moving average": "a = [x['units'] for x in rows('E1')]\n"
    "[sum(a[i - 2:i + 1]) / 3 for i in range(2, len(a))]",
    "ABC classes": "r = sorted(rows('E2'), key=lambda x: -x['amount'])\n"
    "total = sum(x['amount'] for x in r)\nout, run = [], 0\nfor x in r:\n    run += x['amount']\n"
    "    out.append({'sku': x['sku'], 'abc': 'A' if run <= total * 8 / 10 else 'B'})\nout",
}


@dataclass
class Pairs:
    """Milliseconds of a tool's call and of the bare work, taken in turn."""

    tool: list[float] = field(default_factory=list)
    bare: list[float] = field(default_factory=list)

    def add(self, tool: Callable[[], object], bare: Callable[[], object]) -> None:
        self.tool.append(_ms(tool))
        self.bare.append(_ms(bare))

    def extend(self, other: "Pairs") -> None:
        self.tool += other.tool
        self.bare += other.bare

    @property
    def overhead(self) -> list[float]:
        return [t - b for t, b in zip(self.tool, self.bare, strict=True)]


@dataclass(frozen=True)
class Company:
    store: Store
    queries: tuple[tuple[str, str], ...]
    """(question, SQL) of the golden set."""
    evidence: Mapping[str, Evidence]


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--profile", action="store_true")
    options = parser.parse_args(arguments)
    with _company() as company:
        by_sql = measure_sql(company, options.rounds)
        by_calc = measure_calc(company, options.rounds * 10)
        sys.stdout.write(report(by_sql, by_calc))
        if options.profile:
            sys.stdout.write(profile(company))
    missed = percentile(by_sql["all queries"].overhead, 0.5) > SQL_TARGET_MS
    return int(missed or percentile(by_calc["all snippets"].overhead, 0.5) > CALC_TARGET_MS)


@contextmanager
def _company() -> Iterator[Company]:
    """The sample company's tables, taken in anew."""
    lines = (ROOT / "eval_data" / "golden.jsonl").read_text(encoding="utf-8").splitlines()
    golden = [json.loads(line) for line in lines]
    queries = tuple((q["question"], q["sql"]) for q in golden if q.get("sql"))
    with tempfile.TemporaryDirectory() as directory:
        data_dir, embedder = Path(directory), make_embedder("seeded")
        tables = ROOT / "eval_data" / "company" / "tables"
        run_ingest(data_dir, (tables,), settings=IngestSettings(), embedder=embedder)
        with Store.open(data_dir, IngestSettings(), embedder=embedder) as store:
            tool = SqlTool()
            context = ToolContext(store=store, today=TODAY)
            found = [
                tool.run(SqlArguments(query=q), context).evidence()[0] for q in (MONTHLY, BY_SKU)
            ]
            tool.close()
            evidence = {f"E{n}": e for n, e in enumerate(found, start=1)}
            yield Company(store, queries, evidence)


def measure_sql(company: Company, rounds: int) -> dict[str, Pairs]:
    """By what is called: the tool as a person calls it, as the agent does, and parts of it."""
    tool, store = SqlTool(), company.store
    by_hand = ToolContext(store=store, today=TODAY)
    names = ("first call", "all queries", "for a question", "of it the check", "of it the worker")
    found = {name: Pairs() for name in names}
    path = store.warehouse
    assert path is not None
    with duckdb.connect(str(path), read_only=True) as bare:
        found["first call"].add(
            lambda: tool.run(SqlArguments(query="SELECT 1 AS one"), by_hand),
            lambda: bare.execute("SELECT 1").fetchall(),
        )
        for question, sql in company.queries:
            asked = ToolContext(store=store, today=TODAY, question=question)
            for name, context in (("all queries", by_hand), ("for a question", asked)):
                found[name].extend(_one_query(tool, bare, sql, context, rounds))
        _measure_parts(company, bare, found, rounds)
    tool.close()
    return found


def _one_query(
    tool: SqlTool, bare: duckdb.DuckDBPyConnection, sql: str, context: ToolContext, rounds: int
) -> Pairs:
    """Empty for a query that the tool refuses: then there is nothing to compare."""
    pairs, call = Pairs(), SqlArguments(query=sql)
    try:
        ran = tool.run(call, context).query.sql
    except ToolError:
        return pairs
    bare.execute(ran).fetchall()
    for _ in range(rounds):
        pairs.add(lambda: tool.run(call, context), lambda: bare.execute(ran).fetchall())
    return pairs


def _measure_parts(
    company: Company, bare: duckdb.DuckDBPyConnection, found: Mapping[str, Pairs], rounds: int
) -> None:
    """The guard alone, beside nothing, and the worker process alone, beside the engine here."""
    store = company.store
    assert store.warehouse is not None
    worker = Worker(store.warehouse, SqlSettings())
    for _, sql in company.queries:
        try:
            ran = check(sql, store.catalog, TODAY).sql
            worker.query(ran)
        except ToolError:
            continue
        for _ in range(rounds):
            _guarded(found["of it the check"], sql, store)
            found["of it the worker"].add(partial(worker.query, ran), partial(_fetch, bare, ran))
    worker.close()


def _fetch(bare: duckdb.DuckDBPyConnection, sql: str) -> object:
    return bare.execute(sql).fetchall()


def _guarded(pairs: Pairs, sql: str, store: Store) -> None:
    pairs.add(lambda: check(sql, store.catalog, TODAY), lambda: None)


def measure_calc(company: Company, rounds: int) -> dict[str, Pairs]:
    tool = CalculationTool()
    context = ToolContext(store=company.store, today=TODAY, evidence=company.evidence)
    found = {name: Pairs() for name in ("first call", "all snippets", *SNIPPETS)}
    found["first call"].add(
        lambda: tool.run(CalculationArguments(code="1"), context), lambda: _bare("1", company)
    )
    for name, code in SNIPPETS.items():
        found[name] = _one_snippet(tool, code, company, context, rounds)
        found["all snippets"].extend(found[name])
    tool.close()
    return found


def _one_snippet(
    tool: CalculationTool, code: str, company: Company, context: ToolContext, rounds: int
) -> Pairs:
    pairs, call = Pairs(), CalculationArguments(code=code)
    tool.run(call, context)
    for _ in range(rounds):
        pairs.add(lambda: tool.run(call, context), lambda: _bare(code, company))
    return pairs


def _bare(code: str, company: Company) -> object:
    """The snippet by Python itself: compiled, run, and the last expression's value."""
    tree = ast.parse(code)
    last = tree.body.pop()
    assert isinstance(last, ast.Expr)
    inputs = EvidenceInputs(company.evidence)
    names: dict[str, Any] = {"rows": inputs.rows, "value": inputs.value}
    exec(compile(tree, "calculation", "exec"), names)
    value: object = eval(compile(ast.Expression(last.value), "calculation", "eval"), names)
    return value


def _ms(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return (time.perf_counter() - started) * 1000


def report(by_sql: Mapping[str, Pairs], by_calc: Mapping[str, Pairs]) -> str:
    lines = ["| milliseconds, p50 | calls | tool | bare | overhead | p95 | ratio |",
             "| --- | ---: | ---: | ---: | ---: | ---: | ---: |"]  # fmt: skip
    lines += [_row(f"SQL: {name}", pairs) for name, pairs in by_sql.items()]
    lines += [_row(f"calculation: {name}", pairs) for name, pairs in by_calc.items()]
    lines.append("")
    for what, pairs, target in (
        ("SQL tool", by_sql["all queries"], SQL_TARGET_MS),
        ("calculation tool", by_calc["all snippets"], CALC_TARGET_MS),
    ):
        p50 = percentile(pairs.overhead, 0.5)
        said = "held" if p50 <= target else "MISSED"
        lines.append(f"{what}: overhead p50 {p50:.2f} ms, target {target:g} ms: {said}")
    return "\n".join(lines) + "\n"


def _row(name: str, pairs: Pairs) -> str:
    if not pairs.tool:
        return f"| {name} | 0 | | | | | |"
    tool, bare = percentile(pairs.tool, 0.5), percentile(pairs.bare, 0.5)
    over, slow = percentile(pairs.overhead, 0.5), percentile(pairs.overhead, 0.95)
    ratio = f"{tool / bare:.1f}" if bare > 0.001 else "–"
    count = len(pairs.tool)
    return f"| {name} | {count} | {tool:.2f} | {bare:.2f} | {over:.2f} | {slow:.2f} | {ratio} |"


def profile(company: Company) -> str:
    """The 25 functions with the most time of their own and below, of this process."""
    sql, calc = SqlTool(), CalculationTool()
    context = ToolContext(store=company.store, today=TODAY, evidence=company.evidence)
    calls: dict[str, Callable[[], object]] = {
        "SQL": lambda: sql.run(SqlArguments(query=MONTHLY), context),
        "calculation": lambda: calc.run(
            CalculationArguments(code=SNIPPETS["ABC classes"]), context
        ),
    }
    parts = []
    for name, work in calls.items():
        work()
        profiler = cProfile.Profile()
        profiler.enable()
        for _ in range(100):
            work()
        profiler.disable()
        out = io.StringIO()
        pstats.Stats(profiler, stream=out).sort_stats("cumulative").print_stats(25)
        parts.append(f"\n{name}, 100 calls\n{out.getvalue()}")
    sql.close()
    calc.close()
    return "".join(parts)


if __name__ == "__main__":
    sys.exit(main())
