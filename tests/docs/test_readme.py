import ast
import inspect
import re
import tomllib
from collections import Counter
from pathlib import Path

import pytest
from pydantic import BaseModel

from agent import Agent
from agent.answer import (
    Answer,
    Audit,
    Citation,
    EvidenceView,
    ReflectionView,
    StepView,
    SubTaskView,
    Timing,
    UsageView,
    Verified,
)
from agent.batch import Summary
from ingest.documents.readers import DOCUMENT_SUFFIXES
from ingest.report import Changes, IngestReport
from ingest.tables.importer import TABLE_SUFFIXES

ROOT = Path(__file__).resolve().parents[2]
PARTS: dict[str, type[BaseModel]] = {
    "citations": Citation,
    "evidence": EvidenceView,
    "verification": Verified,
    "sub_tasks": SubTaskView,
    "steps": StepView,
    "reflections": ReflectionView,
    "usage": UsageView,
    "timing": Timing,
    "audit": Audit,
}
FOLDERS = [
    "agent/models",
    "agent/batch",
    "agent/handoff",
    "agent/telemetry",
    "ingest/embedders",
    "ingest/index",
    "ingest/documents/readers",
    "reranker",
    "tools",
]


def words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text))


def test_every_field_of_an_answer_is_documented_and_no_other(
    rows: dict[str, list[list[str]]],
) -> None:
    documented = {cells[0].strip("`"): cells[1] for cells in rows["answer"]}
    assert documented.keys() == Answer.model_fields.keys()
    for name, part in PARTS.items():
        assert part.model_fields.keys() <= words(documented[name]), name


def test_the_json_of_ingest_and_batch_has_the_documented_fields(readme: str) -> None:
    report = IngestReport(Changes(), Changes(), 0, (), None, 0.0).to_json()
    lines = {line.split("`")[1]: words(line) for line in readme.splitlines() if line[:3] == "- `"}
    assert {*report, *report["documents"], "path", "reason"} <= lines["ingest"]
    assert Summary().to_json().keys() <= lines["batch"]


def test_the_readable_files_are_the_documented_ones(readme: str) -> None:
    found = re.search(r"^Tables: `([^`]+)`\. Documents: `([^`]+)`", readme, re.MULTILINE)
    assert found is not None
    assert set(found[1].split()) == TABLE_SUFFIXES
    assert set(found[2].split()) == DOCUMENT_SUFFIXES


def test_the_python_example_compiles_and_names_the_public_methods(readme: str) -> None:
    (block,) = re.findall(r"^```python\n(.*?)^```", readme, re.DOTALL | re.MULTILINE)
    ast.parse(block)
    methods = {n for n, _ in inspect.getmembers(Agent, inspect.isroutine) if n[0] != "_"}
    assert "ask" in methods
    for name in methods - {"close"}:
        assert re.search(rf"[aA]gent\.{name}\b", readme), name


def test_the_documented_options_of_agent_are_real(readme: str) -> None:
    (said,) = re.findall(r"`Agent\.open` takes (.+?)\.$", readme, re.MULTILINE)
    real = inspect.signature(Agent.__init__).parameters
    assert set(re.findall(r"`(\w+)`", said)) == {
        n for n, p in real.items() if p.kind is p.KEYWORD_ONLY
    }


def test_the_make_targets_are_the_documented_ones(readme: str) -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z-]+):.*## ", makefile, re.MULTILINE))
    (phony,) = re.findall(r"^\.PHONY: (.+)$", makefile, re.MULTILINE)
    assert targets == set(phony.split())
    named = set(re.findall(r"make ([a-z-]+)", readme))
    (others,) = re.findall(r"^`make` lists the other targets: (.+)\.$", readme, re.MULTILINE)
    assert named | set(re.findall(r"[a-z-]+", others)) | {"help"} == targets


@pytest.mark.parametrize("folder", FOLDERS)
def test_a_folder_of_variants_says_which_file_is_what(folder: str) -> None:
    text = (ROOT / folder / "README.md").read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 10
    named = re.findall(r"`(\w+\.py|\w+/)`", text)
    assert named
    for name in named:
        assert (ROOT / folder / name).exists(), name


def test_the_readme_names_every_folder_that_has_its_own(readme: str) -> None:
    for folder in FOLDERS:
        assert f"`{folder}`" in readme, folder


def test_every_path_in_the_map_exists(readme: str) -> None:
    rooms = re.findall(r"^\| `(\w+)/` \|", readme.split("## The map")[1], re.MULTILINE)
    assert Counter(rooms) == Counter(["agent", "tools", "ingest", "reranker", "eval_data", "tests"])
    for room in rooms:
        assert (ROOT / room).is_dir()


def test_the_changelog_has_the_version_of_the_package() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    versions = re.findall(r"^## \[([^\]]+)\]", changelog, re.MULTILINE)
    assert versions[0] == project["version"]
