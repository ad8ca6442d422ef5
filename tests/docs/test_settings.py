import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from pydantic import BaseModel

from agent.errors import SettingsError
from agent.models.settings import DEEPSEEK_PRICES
from agent.settings import _NAMED, _NOT_SETTINGS, Settings, load_settings
from ingest.store import KnowledgeBaseSettings

NOT_FOR_USERS = {"ingest.kb": "[kb.NAME] is its place", "kb": "a table of its own"}
_OPTIONAL = re.compile(r"^#(?=[a-z_]+ = )", re.MULTILINE)


@pytest.fixture
def complete(toml_blocks: list[str]) -> str:
    (found,) = [block for block in toml_blocks if block.startswith("# complete\n")]
    return found


def keys(model: type[BaseModel], prefix: str = "") -> Iterator[str]:
    """Dotted names of all settings below a model."""
    for name, field in model.model_fields.items():
        kind = field.annotation
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            yield from keys(kind, f"{prefix}{name}.")
        elif f"{prefix}{name}" == "model.prices":
            for price in DEEPSEEK_PRICES.values():
                yield from (f"model.prices.{k}" for k in type(price).model_fields)
        elif f"{prefix}{name}" not in NOT_FOR_USERS:
            yield f"{prefix}{name}"


def named(tree: dict[str, object], prefix: str = "") -> Iterator[str]:
    for name, value in tree.items():
        if isinstance(value, dict):
            yield from named(value, prefix if prefix == "model.prices." else f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}"


def loaded(directory: Path, text: str) -> Settings:
    (directory / "zaiko.toml").write_text(text, encoding="utf-8")
    return load_settings(directory, {})


def test_every_settings_block_is_valid(tmp_path: Path, toml_blocks: list[str]) -> None:
    assert len(toml_blocks) >= 2
    for block in toml_blocks:
        loaded(tmp_path, block)
        loaded(tmp_path, _OPTIONAL.sub("", block))


def test_a_block_with_a_wrong_key_would_be_found(tmp_path: Path, complete: str) -> None:
    with pytest.raises(SettingsError, match=r"unknown setting graph\.stepz"):
        loaded(tmp_path, complete.replace("\nsteps = 12", "\nstepz = 12"))


def test_the_complete_example_is_the_defaults(tmp_path: Path, complete: str) -> None:
    assert loaded(tmp_path, complete) == Settings()


def test_a_changed_default_would_be_found(tmp_path: Path, complete: str) -> None:
    changed = complete.replace("threshold = 0.5", "threshold = 0.6")
    assert loaded(tmp_path, changed) != Settings()


def test_the_complete_example_names_every_setting(complete: str) -> None:
    assert len(_OPTIONAL.findall(complete)) >= 5
    tree = tomllib.loads(_OPTIONAL.sub("", complete))
    assert set(named(tree)) == set(keys(Settings))


def test_the_example_of_a_knowledge_base_names_every_setting(toml_blocks: list[str]) -> None:
    (block,) = [b for b in toml_blocks if b.startswith("[kb.")]
    (table,) = tomllib.loads(block)["kb"].values()
    assert set(table) == set(KnowledgeBaseSettings.model_fields)
    free = {"description", "criteria", "threshold"}
    shown = KnowledgeBaseSettings.model_validate(table).model_dump(exclude=free)
    assert shown == KnowledgeBaseSettings().model_dump(exclude=free)


def test_every_variable_with_a_name_of_its_own_is_documented(
    rows: dict[str, list[list[str]]],
) -> None:
    documented = {cells[0].strip("`"): cells[1] for cells in rows["environment"]}
    assert documented.pop("ZAIKO_A__B")
    assert documented.keys() == _NAMED.keys() | _NOT_SETTINGS
    for name, path in _NAMED.items():
        assert f"`{'.'.join(path)}`" in documented[name]


@pytest.mark.parametrize(
    ("sentence", "value"),
    [
        ("{} steps, 5 a sub-task", Settings().graph.steps),
        ("12 steps, {} a sub-task", Settings().graph.steps_per_task),
        ("5 a sub-task, {:.0f} s.", Settings().graph.seconds),
        ("A tool: {:.0f} s.", Settings().graph.tool_seconds),
        ("{:,} rows kept", Settings().sql.rows_kept),
        ("rows kept, {} shown", Settings().sql.rows_shown),
        ("Calculation: {:.0f} s and", Settings().calc.time_limit_s),
        ("s and {} MB", Settings().calc.memory_mb),
        ("A question may have {:,} characters", Settings().graph.question_characters),
        ("`graph.threshold` ({})", Settings().graph.threshold),
    ],
)
def test_a_limit_stated_in_prose_is_the_default(readme: str, sentence: str, value: float) -> None:
    assert sentence.format(value) in readme
