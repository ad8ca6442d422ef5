"""Two pieces of evidence and the calculation tool over them."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from ingest.store import Store
from tools.base import ToolContext
from tools.calc.tool import CalculationArguments, CalculationResult, CalculationTool
from tools.evidence import Column, Evidence

SALES = Evidence(
    id="E1",
    kind="rows",
    tool="sql",
    source="sales",
    columns=(
        Column(name="city", type="VARCHAR"),
        Column(name="amount", type="DECIMAL(12,2)"),
        Column(name="quantity", type="BIGINT"),
        Column(name="sold_on", type="DATE"),
    ),
    rows=(("Tokyo", "200.10", 2, "2026-01-05"), ("Osaka", "50.20", None, "2026-01-20")),
    row_count=2,
)
TOTAL = Evidence(
    id="E2",
    kind="rows",
    tool="sql",
    source="sales",
    columns=(Column(name="total", type="HUGEINT"),),
    rows=(("16",),),
    row_count=1,
)
PASSAGE = Evidence(id="E3", kind="chunk", tool="knowledge", source="policy.md", text="…")
CUT = SALES.model_copy(update={"id": "E4", "row_count": 20_000, "truncated": True})


@pytest.fixture(scope="session")
def context() -> ToolContext:
    evidence = {e.id: e for e in (SALES, TOTAL, PASSAGE, CUT)}
    return ToolContext(
        store=cast(Store, SimpleNamespace()), today=date(2026, 3, 31), evidence=evidence
    )


@pytest.fixture(scope="session")
def tool() -> Iterator[CalculationTool]:
    tool = CalculationTool()
    yield tool
    tool.close()


@pytest.fixture(scope="session")
def calculate(tool: CalculationTool, context: ToolContext) -> Callable[[str], CalculationResult]:
    return lambda code: tool.run(CalculationArguments(code=code), context)


@pytest.fixture(scope="session")
def run_python() -> Callable[[str], str]:
    """What a fresh interpreter prints for some code."""
    root = Path(__file__).parents[3]

    def run(code: str) -> str:
        command = [sys.executable, "-c", code]
        done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True)
        return done.stdout.strip()

    return run
