"""The settings tree and its loader: `zaiko.toml`, then `ZAIKO_…` variables over it.

This is the only file that reads the environment. Every room has its own section; unknown keys
are refused with the line they stand on, and secrets are never printed.
"""

import json
import os
import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError

from agent.errors import SettingsError
from agent.models.settings import ModelSettings
from ingest.store import IngestSettings, KnowledgeBaseSettings
from reranker.settings import RerankerSettings
from tools.calc.settings import CalcSettings
from tools.knowledge.settings import KnowledgeSettings
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
    second_query: bool = Field(
        default=False,
        description="a query that joins or aggregates is written twice; two that differ are handed off",
    )
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
    judge: RoleSettings = RoleSettings(max_tokens=400)


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
    knowledge: KnowledgeSettings = KnowledgeSettings()
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
        "knowledge": {"result_tokens": 4000, "sections": True},
        "graph": {"second_query": True},
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
    """`ZAIKO_DATA_DIR`, else ./zaiko-data; an empty variable counts as none."""
    return Path((os.environ if environ is None else environ).get("ZAIKO_DATA_DIR") or "zaiko-data")


def load_settings(data_dir: Path, environ: Mapping[str, str] | None = None) -> Settings:
    """The settings of a data directory. A missing file means the defaults.

    Raises SettingsError naming file and line (or variable), the wrong key and what is allowed.
    """
    environ = os.environ if environ is None else environ
    path = data_dir / FILE_NAME
    text = _read(path)
    tree = _parse(text, path)
    try:
        # The file has types, so `true` is no number there; a variable is text that is read.
        Settings.model_validate_json(json.dumps(tree, default=str), strict=True)
    except ValidationError as error:
        raise _explain(error, path, text, {}) from None
    origins = _lay_over(tree, environ)
    profile = tree.get("profile", "embedded")
    merged = _merge(PROFILES.get(profile, {}) if isinstance(profile, str) else {}, tree)
    try:
        return Settings.model_validate(merged)
    except ValidationError as error:
        raise _explain(error, path, text, origins) from None


def _read(path: Path) -> str:
    try:
        data = path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return ""
    except OSError as error:
        raise SettingsError(
            f"{path} cannot be read: {error.strerror or error}", "check its permissions"
        ) from None
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise SettingsError(f"{path}, line {line} is not UTF-8", "save it as UTF-8 text") from None


def _parse(text: str, path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        place = re.search(r"\(at line (\d+), column \d+\)", str(error))
        number = place[1] if place else str(text.count("\n") + 1)
        said = str(error).split(" (at ", maxsplit=1)[0]
        raise SettingsError(
            f"{path}, line {number} is not valid TOML: {said}",
            'write it as key = value, text in quotes: profile = "embedded"',
        ) from None


def _lay_over(tree: dict[str, Any], environ: Mapping[str, str]) -> dict[tuple[str, ...], str]:
    """Sets the variables in the tree; returns the variable behind each key."""
    origins: dict[tuple[str, ...], str] = {}
    for name, keys, value in _variables(environ):
        if not _is_for_another(name, tree, environ):
            _set(tree, keys, value, name)
            origins[keys] = name
    return origins


def _is_for_another(name: str, tree: dict[str, Any], environ: Mapping[str, str]) -> bool:
    """DeepSeek's key is never sent to another provider."""
    model = tree.get("model", {})
    named = environ.get("ZAIKO_MODEL__PROVIDER") or model.get("provider")
    return name == "DEEPSEEK_API_KEY" and named == "openai_compatible"


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


def _set(tree: dict[str, Any], keys: tuple[str, ...], value: str, name: str) -> None:
    for depth, key in enumerate(keys[:-1], start=1):
        tree = tree.setdefault(key, {})
        if not isinstance(tree, dict):
            above = ".".join(keys[:depth])
            raise SettingsError(
                f"{name}: {above} is a value, so it has no {'.'.join(keys[depth:])}",
                f"unset one of the variables for {above}",
            )
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
    where = _variable_of(keys, origins) or f"{path}{_line_of(keys, text)}"
    name = ".".join(keys)
    if first["type"] == "extra_forbidden":
        hint = f"allowed here: {', '.join(_allowed(keys[:-1]))}"
        section = next((s for s in Settings.model_fields if name.startswith(f"{s}_")), "")
        if keys in origins and section:
            meant = f"{PREFIX}{section}__{name.removeprefix(f'{section}_')}".upper()
            hint = f"two underscores part a section from its key: {meant}"
        return SettingsError(f"{where}: unknown setting {name}", hint)
    if first["type"] in ("model_type", "dict_type"):
        table = f"{name}.NAME" if keys[-1] == "kb" else name
        allowed = f"[{table}] with any of: {', '.join(_allowed(keys))}"
        return SettingsError(f"{where}: {name} is a table, not a value", f"write {allowed}")
    said = first["msg"].removeprefix("Value error, ")
    return SettingsError(f"{where}: {name}: {said}", "correct the value or remove it")


def _variable_of(keys: tuple[str, ...], origins: Mapping[tuple[str, ...], str]) -> str | None:
    """The variable that set the key, or one that is above or below it."""
    exact = origins.get(keys)
    near = (name for own, name in origins.items() if own[: len(keys)] == keys[: len(own)])
    return exact or next(near, None)


def _line_of(keys: tuple[str, ...], text: str) -> str:
    """The line of a key, found in the text; of the table around it where it is not seen."""
    lines = dict(_keys_by_line(text))
    for length in range(len(keys), 0, -1):
        found = [number for number, own in lines.items() if own == keys[:length]]
        if found:
            return f", line {found[0]}"
    return ""


def _keys_by_line(text: str) -> Iterator[tuple[int, tuple[str, ...]]]:
    """(line, keys from the root) of every table head and every assignment."""
    section: tuple[str, ...] = ()
    for number, line in enumerate(text.split("\n"), start=1):
        head = re.match(r"\s*\[+\s*([^\]]+?)\s*\]", line)
        key = re.match(r"""\s*((?:"[^"]*"|'[^']*'|[\w.\s-])+?)\s*=""", line)
        if head:
            section = _parts(head.group(1))
            yield number, section
        elif key:
            yield number, section + _parts(key.group(1))


def _parts(dotted: str) -> tuple[str, ...]:
    found = re.findall(r"""\s*(?:"([^"]*)"|'([^']*)'|([^.\s]+))\s*\.?""", dotted)
    return tuple(double or single or bare for double, single, bare in found)


def _allowed(keys: tuple[str, ...]) -> list[str]:
    """The names that may stand under a key."""
    model: type[BaseModel] = Settings
    for key in keys:
        field = model.model_fields.get(key)
        # The name of a knowledge base or of a model is no field: what is in the mapping counts.
        annotation = field.annotation if field else model
        kinds = [a for a in (annotation, *get_args(annotation)) if isinstance(a, type)]
        model = next((k for k in reversed(kinds) if issubclass(k, BaseModel)), model)
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
