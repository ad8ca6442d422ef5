"""The README, cut into the parts that can be checked."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def readme() -> str:
    return (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.fixture(scope="session")
def toml_blocks(readme: str) -> list[str]:
    return re.findall(r"^```toml\n(.*?)^```", readme, re.DOTALL | re.MULTILINE)


@pytest.fixture(scope="session")
def rows(readme: str) -> dict[str, list[list[str]]]:
    """The cells of the tables that are marked `<!-- name -->`, without their heads."""
    found = {}
    for name, table in re.findall(r"<!-- ([\w ]+) -->\n((?:\|.*\n)+)", readme):
        lines = [line.strip().strip("|").split("|") for line in table.splitlines()[2:]]
        found[name] = [[cell.strip() for cell in line] for line in lines]
    return found
