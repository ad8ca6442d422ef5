import re
import shlex
from pathlib import Path
from typing import Any

import pytest
import typer.main

from agent.answer import EXIT_CODES
from agent.cli import boundary
from agent.cli.app import app
from agent.cli.boundary import run

COMMON = {"--json", "--data-dir", "--help", "--by"}
GROUP: Any = typer.main.get_command(app)
GROUPS = {name for name, command in GROUP.commands.items() if hasattr(command, "commands")}


def commands(group: Any = GROUP, prefix: str = "") -> dict[str, Any]:
    """Full names ("handoff show") and the commands behind them."""
    found: dict[str, Any] = {}
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            found |= commands(command, f"{prefix}{name} ")
        else:
            found[f"{prefix}{name}"] = command
    return found


@pytest.fixture
def documented(rows: dict[str, list[list[str]]]) -> dict[str, str]:
    """The usage line of each command by its full name; `zaiko handoff list`, `show ID` are two."""
    found = {}
    for cells in rows["commands"]:
        usages = re.findall(r"`([^`]+)`", cells[0])
        words = usages[0].removeprefix("zaiko ").split()
        group = f"{words[0]} " if words[0] in GROUPS else ""
        for usage in usages:
            own = usage.removeprefix("zaiko ").removeprefix(group)
            found[group + own.split()[0]] = own
    return found


def options(command: Any) -> set[str]:
    long = {o for p in command.params if not getattr(p, "hidden", False) for o in p.opts}
    return {name for name in long if name.startswith("--")} - COMMON


def examples(readme: str) -> list[str]:
    """Command lines of the README, without the `zaiko` before them."""
    return re.findall(r"^    (?:\$ |\.venv/bin/)zaiko (.+)$", readme, re.MULTILINE)


def test_the_readme_has_every_command_and_no_other(documented: dict[str, str]) -> None:
    assert len(documented) > 10
    assert documented.keys() == commands().keys()


def test_the_help_lists_the_same_commands(
    documented: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["--help"]) == 0
    listed = capsys.readouterr().out.split("Commands:\n")[1]
    names = re.findall(r"^  ([a-z]+)  ", listed, re.MULTILINE)
    assert sorted(names) == sorted({name.split()[0] for name in documented})


def test_the_readme_names_every_option_of_a_command(documented: dict[str, str]) -> None:
    named = {name: set(re.findall(r"--[a-z-]+", usage)) for name, usage in documented.items()}
    real = {name: options(command) for name, command in commands().items()}
    assert any(real.values())
    assert named == real


def test_the_options_that_every_command_takes_are_real(readme: str) -> None:
    for name, command in commands().items():
        assert {"--json", "--data-dir"} <= {o for p in command.params for o in p.opts}, name
    assert "Every command takes `--json`" in readme


def test_every_example_can_be_parsed(readme: str) -> None:
    found = examples(readme)
    assert len(found) > 5
    for line in found:
        words = shlex.split(line)
        name = " ".join(words[:2]) if words[0] in GROUPS else words[0]
        arguments = words[len(name.split()) :]
        commands()[name].make_context(name, arguments)


@pytest.mark.parametrize("start", ["dates ", "calc "])
def test_an_example_without_data_prints_what_the_readme_shows(
    readme: str,
    start: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    (line,) = [e for e in examples(readme) if e.startswith(start)]
    assert run(shlex.split(line)) == 0
    (shown,) = re.findall(rf"\$ zaiko {re.escape(line)}\n((?: .+\n)+)", readme)
    assert capsys.readouterr().out == "".join(f"{row.strip()}\n" for row in shown.splitlines())


def test_the_exit_status_of_ask_is_the_documented_one(rows: dict[str, list[list[str]]]) -> None:
    (cells,) = [cells for cells in rows["exit codes"] if cells[0] == "`ask`"]
    meaning = dict(enumerate(cells[1:]))
    for status, code in EXIT_CODES.items():
        assert status.replace("_", " ") in meaning[code]
    assert meaning[boundary.EXIT_FAILURE] == "failure"
    assert meaning[boundary.EXIT_USAGE] == "usage or configuration"


def test_the_exit_status_of_an_interruption_is_documented(readme: str) -> None:
    assert f"\n{boundary.EXIT_INTERRUPTED}: interrupted" in readme
