"""The settings tree and its loader: `zaiko.toml`, then `ZAIKO_…` variables over it.

This is the only file that reads the environment. Every room has its own section; unknown keys
are refused with the line they stand on, and secrets are never printed.
"""

import os
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError

from agent.errors import SettingsError
from agent.models.settings import ModelSettings
from ingest.store import IngestSettings, KnowledgeBaseSettings
from reranker.settings import RerankerSettings
from tools.calc.settings import CalcSettings
from tools.sql.settings import SqlSettings

FILE_NAME = "zaiko.toml"
PREFIX = "ZAIKO_"
Role = Literal["gate", "plan", "answer", "judge"]


class Section(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class GraphSettings(Section):
    """Limits of one question. The prompts state the same numbers."""

    steps_per_task: int = Field(default=5, ge=1, le=50)
    steps: int = Field(default=12, ge=1, le=200)
    seconds: float = Field(default=120.0, gt=0)
    tool_seconds: float = Field(default=10.0, gt=0)
    repairs: int = Field(default=3, ge=0, le=10)
    sub_tasks: int = Field(default=5, ge=1, le=10)
    reflect_every: int = Field(default=2, ge=1)
    history_turns: int = Field(default=12, ge=0)
    threshold: float = Field(default=0.5, ge=0.0, le=1.0)
    catalog_tokens: int = Field(default=1100, ge=200)
    question_characters: int = Field(default=4000, ge=100)

    @property
    def recursion_limit(self) -> int:
        """Plan, act and reflect for every step, and the fixed nodes around them."""
        return 3 * self.steps + 16


class RoleSettings(Section):
    """A model for one role; what is None comes from `[model]`."""

    model: str | None = None
    max_tokens: int = Field(default=512, ge=16)
    thinking: bool | None = None


class RolesSettings(Section):
    gate: RoleSettings = RoleSettings(max_tokens=160)
    plan: RoleSettings = RoleSettings(max_tokens=400)
    answer: RoleSettings = RoleSettings(max_tokens=400)
    judge: RoleSettings = RoleSettings(max_tokens=200)


class TelemetrySettings(Section):
    local: bool = True
    otlp_endpoint: str | None = None
    content: bool = Field(default=False, description="put prompts and results into the spans")


class Settings(Section):
    """Everything that can be set. `profile = "production"` changes the defaults of the parts."""

    profile: Literal["embedded", "production"] = "embedded"
    ingest: IngestSettings = IngestSettings()
    reranker: RerankerSettings = RerankerSettings()
    sql: SqlSettings = SqlSettings()
    calc: CalcSettings = CalcSettings()
    model: ModelSettings = ModelSettings()
    roles: RolesSettings = RolesSettings()
    graph: GraphSettings = GraphSettings()
    telemetry: TelemetrySettings = TelemetrySettings()
    kb: dict[str, KnowledgeBaseSettings] = Field(default_factory=dict)

    @property
    def ingest_with_kb(self) -> IngestSettings:
        return self.ingest.model_copy(update={"kb": {**self.ingest.kb, **self.kb}})


PROFILES: Mapping[str, dict[str, Any]] = {
    "embedded": {},
    "production": {
        "model": {"provider": "deepseek"},
        "ingest": {"embedder": "bge_m3", "index": "server"},
        "reranker": {"kind": "cross_encoder"},
    },
}

# Variables with a name of their own; every other ZAIKO_A__B sets the key a.b of the tree.
_NAMED = {
    "DEEPSEEK_API_KEY": ("model", "api_key"),
    "ZAIKO_MODEL_FILE": ("model", "weights_file"),
    "ZAIKO_CACHE_DIR": ("model", "cache_dir"),
    "ZAIKO_PROFILE": ("profile",),
    "OTEL_EXPORTER_OTLP_ENDPOINT": ("telemetry", "otlp_endpoint"),
}
_NOT_SETTINGS = {"ZAIKO_DATA_DIR"}


def data_dir_from(environ: Mapping[str, str] | None = None) -> Path:
    """`ZAIKO_DATA_DIR`, else ./zaiko-data."""
    return Path((os.environ if environ is None else environ).get("ZAIKO_DATA_DIR", "zaiko-data"))


def load_settings(data_dir: Path, environ: Mapping[str, str] | None = None) -> Settings:
    """The settings of a data directory. A missing file means the defaults.

    Raises SettingsError naming file and line (or variable), the wrong key and what is allowed.
    """
    environ = os.environ if environ is None else environ
    path = data_dir / FILE_NAME
    text = _read(path)
    tree = _parse(text, path)
    origins: dict[tuple[str, ...], str] = {}
    for name, keys, value in _variables(environ):
        _set(tree, keys, value)
        origins[keys] = name
    profile = tree.get("profile", "embedded")
    merged = _merge(PROFILES.get(profile, {}) if isinstance(profile, str) else {}, tree)
    try:
        return Settings.model_validate(merged)
    except ValidationError as error:
        raise _explain(error, path, text, origins) from None


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig") if path.is_file() else ""
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"{path} cannot be read: {error}", "save it as UTF-8 text") from None


def _parse(text: str, path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise SettingsError(f"{path} is not valid TOML: {error}", "mend that line") from None


def _variables(environ: Mapping[str, str]) -> list[tuple[str, tuple[str, ...], str]]:
    found = []
    for name, value in sorted(environ.items()):
        if not value:
            continue
        if name in _NAMED:
            found.append((name, _NAMED[name], value))
        elif name.startswith(PREFIX) and name not in _NOT_SETTINGS:
            found.append((name, tuple(name[len(PREFIX) :].lower().split("__")), value))
    return found


def _set(tree: dict[str, Any], keys: tuple[str, ...], value: str) -> None:
    for key in keys[:-1]:
        tree = tree.setdefault(key, {})
    tree[keys[-1]] = value


def _merge(under: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    merged = dict(under)
    for key, value in over.items():
        mine = merged.get(key)
        both = isinstance(mine, Mapping) and isinstance(value, Mapping)
        merged[key] = _merge(mine, value) if both else value  # type: ignore[arg-type]
    return merged


def _explain(
    error: ValidationError, path: Path, text: str, origins: Mapping[tuple[str, ...], str]
) -> SettingsError:
    first = error.errors(include_input=False, include_url=False)[0]
    keys = tuple(str(part) for part in first["loc"])
    where = origins.get(keys) or f"{path}{_line_of(keys, text)}"
    name = ".".join(keys)
    if first["type"] == "extra_forbidden":
        return SettingsError(
            f"{where}: unknown setting {name}", f"allowed here: {', '.join(_allowed(keys[:-1]))}"
        )
    return SettingsError(f"{where}: {name}: {first['msg']}", "correct the value or remove the line")


def _line_of(keys: tuple[str, ...], text: str) -> str:
    """The line of a key, found in the text: the last part, under its table when it has one."""
    section = ""
    for number, line in enumerate(text.splitlines(), start=1):
        head = re.match(r"\s*\[\s*([^\]]+?)\s*\]", line)
        if head:
            section = head.group(1).replace('"', "")
            if section == ".".join(keys):
                return f", line {number}"
            continue
        key = re.match(r"""\s*["']?([\w.-]+)["']?\s*=""", line)
        if key and ".".join(filter(None, [section, key.group(1)])) == ".".join(keys):
            return f", line {number}"
    return ""


def _allowed(keys: tuple[str, ...]) -> list[str]:
    model: type[BaseModel] = Settings
    for key in keys:
        if key in ("kb",) or model is KnowledgeBaseSettings:
            model = KnowledgeBaseSettings
            continue
        annotation = model.model_fields[key].annotation if key in model.model_fields else None
        if isinstance(annotation, type) and issubclass(annotation, BaseModel):
            model = annotation
    return sorted(model.model_fields)


def redacted(settings: Settings) -> dict[str, Any]:
    """The tree for printing: secrets are shown as ***."""
    dumped: dict[str, Any] = settings.model_dump(mode="json")
    return dumped


__all__ = [
    "FILE_NAME",
    "GraphSettings",
    "Role",
    "RoleSettings",
    "SecretStr",
    "Settings",
    "data_dir_from",
    "load_settings",
    "redacted",
]
