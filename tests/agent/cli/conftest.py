"""The command line, called in this process; and a small company that it ingested itself."""

import json
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from agent.api import Agent
from agent.cli import session
from agent.cli.boundary import run
from agent.models.base import ChatModel
from agent.models.scripted import ScriptedModel, Step
from agent.settings import Role
from tests.support.copies import copied
from tests.support.desk import ROLES

STOCK = """as_of,sku,warehouse,quantity
2026-11-30,XR-4200,Osaka,12
2026-11-30,XR-4200,東京,7
2026-11-30,0012,Osaka,0
2026-11-30,Z-9,Nagoya,40
"""
RETURNS = """# Return policy

Customers may return goods within 30 days of delivery. The company pays the shipping.
"""
DELIVERY = "# 配送規程\n\n大阪倉庫からの配送は2営業日以内に行います。\n"
FOREIGN = ("ZAIKO_", "DEEPSEEK_", "OTEL_")


@dataclass(frozen=True)
class Called:
    """What a command did: its exit status and both streams."""

    code: int
    out: str
    err: str

    def json(self) -> Any:
        """stdout, which must be one document on one line."""
        (line,) = self.out.splitlines()
        return json.loads(line)


Zaiko = Callable[..., Called]


@pytest.fixture(autouse=True)
def no_settings_of_this_machine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in os.environ:
        if name.startswith(FOREIGN):
            monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def zaiko(capsys: pytest.CaptureFixture[str]) -> Zaiko:
    """Calls a command, `--json` and all."""

    def call(*arguments: object) -> Called:
        capsys.readouterr()
        code = run([str(a) for a in arguments])
        out, err = capsys.readouterr()
        return Called(code, out, err)

    return call


def write_company(root: Path) -> Path:
    (root / "rules").mkdir(parents=True)
    (root / "stock.csv").write_text(STOCK, encoding="utf-8")
    (root / "rules" / "returns.md").write_text(RETURNS, encoding="utf-8")
    (root / "rules" / "delivery.md").write_text(DELIVERY, encoding="utf-8")
    return root


@pytest.fixture
def company(tmp_path: Path) -> Path:
    """One table of 4 rows, two documents."""
    return write_company(tmp_path / "company")


@pytest.fixture(scope="session")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data directory made by `zaiko ingest`; to be read, or copied."""
    root = tmp_path_factory.mktemp("cli")
    files, data_dir = write_company(root / "company"), root / "data"
    with pytest.MonkeyPatch.context() as patch:
        for name in [n for n in os.environ if n.startswith(FOREIGN)]:
            patch.delenv(name)
        assert run(["ingest", str(files), "--data-dir", str(data_dir)]) == 0
    return data_dir


@pytest.fixture
def data_dir(published: Path, tmp_path: Path) -> Path:
    """A copy of one's own."""
    return copied(published, tmp_path / "data")


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> Callable[..., ScriptedModel]:
    """Gives the agents of the next commands a model that plays these steps."""

    def play(*steps: Step) -> ScriptedModel:
        model = ScriptedModel(steps)
        models: dict[Role, ChatModel] = dict.fromkeys(ROLES, model)

        def open_agent(settings: Any, data_dir: Path, **options: Any) -> Agent:
            given = {k: v for k, v in options.items() if v is not None}
            return Agent(settings, data_dir, models=models, **given)

        monkeypatch.setattr(session, "open_agent", open_agent)
        return model

    return play


def fields(value: Any, names: Sequence[str]) -> bool:
    """Exactly these fields, in this order."""
    return list(value) == list(names)
