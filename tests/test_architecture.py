"""The rooms' rules: who imports whom, who reads the environment, who prints."""

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from importlib.metadata import packages_distributions
from itertools import chain
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[1]
MAY_IMPORT = {
    "agent": ("agent", "tools", "reranker", "ingest.store"),
    "tools": ("tools", "reranker", "ingest.store"),
    "reranker": ("reranker",),
    "ingest": ("ingest",),
}
ROOMS = tuple(MAY_IMPORT)
STARTS_INGEST = {"agent/cli/ingest.py", "agent/demo.py"}
TOUCHES_ENVIRONMENT = {
    "agent/settings.py": "the one place that reads it",
    "agent/models/llama_server.py": "sets OpenMP's wait policy before the library loads",
    "ingest/embedders/e5.py": "sets OpenMP's thread count while the library loads",
}
PRINTS = ("agent/cli/", "agent/demo.py")
NOT_DECLARED = {
    "aiosqlite": "the connection that langgraph-checkpoint-sqlite is handed",
    "openai": "langchain-openai's own; its errors are translated",
}


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), str(path))


def modules(*folders: str) -> list[Path]:
    return sorted(p for folder in folders for p in (ROOT / folder).rglob("*.py"))


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def imports(tree: ast.Module, package: str) -> Iterator[str]:
    """Full dotted names, also of imports inside functions; relative ones made absolute."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            parts = package.split(".")[: len(package.split(".")) - node.level + 1]
            base = [*parts, node.module] if node.level else [node.module]
            prefix = ".".join(filter(None, base))
            yield from (f"{prefix}.{alias.name}" for alias in node.names)


def imports_of(path: Path) -> list[str]:
    return list(imports(tree_of(path), ".".join(path.relative_to(ROOT).parent.parts)))


def inside(name: str, packages: tuple[str, ...]) -> bool:
    return any(name == package or name.startswith(package + ".") for package in packages)


def strangers(path: Path) -> list[str]:
    """Imports of rooms that the module's room may not import."""
    room = path.relative_to(ROOT).parts[0]
    allowed = MAY_IMPORT[room]
    if name_of(path) in STARTS_INGEST:
        allowed = (*allowed, "ingest")
    return [i for i in imports_of(path) if inside(i, ROOMS) and not inside(i, allowed)]


def environment_uses(tree: ast.Module) -> list[ast.AST]:
    names = {"environ", "environb", "getenv", "getenvb", "putenv", "unsetenv"}
    found: list[ast.AST] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr in names:
            found += [node] if isinstance(node.value, ast.Name) and node.value.id == "os" else []
        elif isinstance(node, ast.ImportFrom) and node.module == "os":
            found += [node] if names & {alias.name for alias in node.names} else []
    return found


def prints(tree: ast.Module) -> list[ast.Call]:
    calls = (node for node in ast.walk(tree) if isinstance(node, ast.Call))
    return [c for c in calls if isinstance(c.func, ast.Name) and c.func.id == "print"]


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


@cache
def declared() -> set[str]:
    """Distributions that pyproject.toml names, extras included."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    lines = chain(project["dependencies"], *project["optional-dependencies"].values())
    return {normal(re.split(r"[<>=~!;\[ ]", line)[0]) for line in lines}


@cache
def distributions() -> dict[str, set[str]]:
    """The distributions that hold each installed top-level package."""
    return {name: set(map(normal, held)) for name, held in packages_distributions().items()}


def undeclared(path: Path) -> list[str]:
    """Top-level names that are neither ours, nor Python's, nor of a declared distribution."""
    ours = {*ROOMS, "tests", "eval_data", *sys.stdlib_module_names}
    wanted = {i.split(".")[0] for i in imports_of(path)} - ours - NOT_DECLARED.keys()
    return sorted(
        name
        for name in wanted
        if not ({normal(name)} | distributions().get(name, set())) & declared()
    )


def test_the_rooms_import_each_other_in_one_direction() -> None:
    found = {name_of(p): s for p in modules(*ROOMS) if (s := strangers(p))}
    assert found == {}


def test_the_exceptions_to_the_direction_are_still_needed() -> None:
    for name in STARTS_INGEST:
        assert any(inside(i, ("ingest.pipeline",)) for i in imports_of(ROOT / name)), name


def test_every_room_was_looked_at() -> None:
    for room in ROOMS:
        assert len(modules(room)) > 3, room
    assert any(inside(i, ("ingest.store",)) for p in modules("agent") for i in imports_of(p))


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("import ingest.pipeline", ["ingest.pipeline"]),
        ("from ingest import pipeline", ["ingest.pipeline"]),
        ("def f():\n    from agent.api import Agent", ["agent.api.Agent"]),
        ("from . import base", ["tools.sql.base"]),
        ("from ..errors import ToolError", ["tools.errors.ToolError"]),
    ],
)
def test_every_form_of_import_is_seen(code: str, expected: list[str]) -> None:
    assert list(imports(ast.parse(code), "tools.sql")) == expected


def test_only_the_settings_read_the_environment() -> None:
    found = {name_of(p) for p in modules(*ROOMS) if environment_uses(tree_of(p))}
    assert found == TOUCHES_ENVIRONMENT.keys()


@pytest.mark.parametrize(
    "code", ["os.environ['A']", "os.getenv('A')", "from os import environ", "os.putenv('A', 'b')"]
)
def test_every_use_of_the_environment_is_seen(code: str) -> None:
    assert environment_uses(ast.parse(code))


def test_only_the_command_line_and_the_demo_print() -> None:
    found = {name_of(p) for p in modules(*ROOMS) if prints(tree_of(p))}
    assert [name for name in sorted(found) if not name.startswith(PRINTS)] == []
    assert "agent/demo.py" in found


def test_every_library_is_declared() -> None:
    found = {name_of(p): u for p in modules(*ROOMS, "tests") if (u := undeclared(p))}
    assert found == {}


def test_the_libraries_that_need_no_declaration_are_still_used() -> None:
    used = {i.split(".")[0] for p in modules(*ROOMS, "tests") for i in imports_of(p)}
    assert NOT_DECLARED.keys() <= used


def test_no_test_changes_where_modules_are_found() -> None:
    assert len(modules("tests")) > 20
    for path in modules("tests"):
        for node in ast.walk(tree_of(path)):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                assert (node.value.id, node.attr) != ("sys", "path"), name_of(path)
