"""The settings tree: where each value comes from, and what a wrong one says."""

from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from agent.errors import SettingsError
from agent.settings import Settings, data_dir_from, load_settings, redacted

SECRET = "sk-very-secret-0815"


def load(directory: Path, text: str = "", **environ: str) -> Settings:
    if text:
        (directory / "zaiko.toml").write_text(text, encoding="utf-8")
    return load_settings(directory, environ)


def refused(directory: Path, text: str | bytes = "", **environ: str) -> SettingsError:
    if text:
        data = text.encode() if isinstance(text, str) else text
        (directory / "zaiko.toml").write_bytes(data)
    with pytest.raises(SettingsError) as caught:
        load_settings(directory, environ)
    return caught.value


def test_without_a_file_and_variables_all_are_defaults(tmp_path: Path) -> None:
    assert load(tmp_path) == Settings()
    assert load_settings(tmp_path / "missing", {}) == Settings()
    assert list(tmp_path.iterdir()) == []


def test_the_file_stands_over_the_defaults_and_a_variable_over_the_file(tmp_path: Path) -> None:
    text = "[graph]\nsteps = 7\nseconds = 30\n"
    settings = load(tmp_path, text, ZAIKO_GRAPH__STEPS="9")
    assert (settings.graph.steps, settings.graph.seconds) == (9, 30.0)
    assert settings.graph.steps_per_task == Settings().graph.steps_per_task


def test_a_profile_stands_between_the_defaults_and_the_file(tmp_path: Path) -> None:
    settings = load(tmp_path, 'profile = "production"\n[ingest]\nindex = "edge"\n')
    assert (settings.model.provider, settings.ingest.embedder) == ("deepseek", "bge_m3")
    assert settings.reranker.kind == "cross_encoder"
    assert settings.ingest.index == "edge"
    assert (settings.knowledge.sections, Settings().knowledge.sections) == (True, False)
    over = load(tmp_path, ZAIKO_INGEST__EMBEDDER="e5", ZAIKO_RERANKER__KIND="none")
    assert (over.ingest.embedder, over.reranker.kind, over.ingest.index) == ("e5", "none", "edge")


def test_a_variable_chooses_the_profile(tmp_path: Path) -> None:
    assert load(tmp_path, ZAIKO_PROFILE="production").ingest.index == "server"
    over = load(tmp_path, 'profile = "production"\n', ZAIKO_PROFILE="embedded")
    assert over.ingest.index == "edge"


@pytest.mark.parametrize(
    ("name", "value", "path", "expected"),
    [
        ("DEEPSEEK_API_KEY", SECRET, "model.api_key", SECRET),
        ("ZAIKO_MODEL_FILE", "/m.gguf", "model.weights_file", Path("/m.gguf")),
        ("ZAIKO_CACHE_DIR", "/cache", "model.cache_dir", Path("/cache")),
        ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://c:4318", "telemetry.otlp_endpoint", "http://c:4318"),
        ("ZAIKO_TELEMETRY__LOCAL", "false", "telemetry.local", False),
        ("ZAIKO_TELEMETRY__CONTENT", "1", "telemetry.content", True),
        ("ZAIKO_ROLES__PLAN__MAX_TOKENS", "333", "roles.plan.max_tokens", 333),
        ("ZAIKO_ROLES__JUDGE__THINKING", "yes", "roles.judge.thinking", True),
        ("ZAIKO_GRAPH__THRESHOLD", "0.75", "graph.threshold", 0.75),
    ],
)  # fmt: skip
def test_a_variable_sets_its_key(
    tmp_path: Path, name: str, value: str, path: str, expected: Any
) -> None:
    found: Any = load(tmp_path, **{name: value})
    for part in path.split("."):
        found = getattr(found, part)
    assert getattr(found, "get_secret_value", lambda: found)() == expected


def test_an_empty_variable_counts_as_none(tmp_path: Path) -> None:
    empty = {"DEEPSEEK_API_KEY": "", "ZAIKO_GRAPH__STEPS": "", "ZAIKO_PROFILE": ""}
    assert load(tmp_path, **empty) == Settings()
    assert data_dir_from({"ZAIKO_DATA_DIR": ""}) == data_dir_from({}) == Path("zaiko-data")
    assert data_dir_from({"ZAIKO_DATA_DIR": "/x"}) == Path("/x")


def test_variables_of_other_programs_are_left_alone(tmp_path: Path) -> None:
    others = {"PATH": "/bin", "ZAIKOX": "1", "zaiko_graph__steps": "x", "ZAIKO_DATA_DIR": "d"}
    assert load(tmp_path, **others) == Settings()


def test_a_knowledge_base_has_settings_of_its_own(tmp_path: Path) -> None:
    text = '[kb.sales]\nchunk_tokens = 200\n[kb."在庫 1"]\nthreshold = 0.2\n'
    settings = load(tmp_path, text, ZAIKO_KB__SALES__OVERLAP="0.05")
    known = settings.ingest_with_kb
    assert known.knowledge_base("sales").chunk_tokens == 200
    assert known.knowledge_base("sales").overlap == 0.05
    assert known.knowledge_base("在庫 1").threshold == 0.2
    assert known.knowledge_base("other").chunk_tokens == 400


def test_the_key_of_deepseek_is_not_sent_to_another_provider(tmp_path: Path) -> None:
    other = '[model]\nprovider = "openai_compatible"\napi_key = "own"\n'
    key = load(tmp_path, other, DEEPSEEK_API_KEY=SECRET).model.api_key
    assert key is not None
    assert key.get_secret_value() == "own"
    named = {"ZAIKO_MODEL__PROVIDER": "openai_compatible", "DEEPSEEK_API_KEY": SECRET}
    assert load_settings(tmp_path / "none", named).model.api_key is None


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("nope = 1\n", "line 1", "unknown setting nope"),
        ("\n\n[nope]\nx = 1\n", "line 3", "unknown setting nope"),
        ("[graph]\nsteps = 3\nstepz = 4\n", "line 3", "unknown setting graph.stepz"),
        ("[roles.plan]\n\n# a note\nmodell = 'x'\n", "line 4", "unknown setting roles.plan.modell"),
        ("[kb.sales]\nchunk_tokenz = 3\n", "line 2", "unknown setting kb.sales.chunk_tokenz"),
        ("graph.stepz = 4\n", "line 1", "unknown setting graph.stepz"),
        ("graph = {steps = 3, stepz = 4}\n", "line 1", "unknown setting graph.stepz"),
        ("[graph]\nsteps = 'many'\n", "line 2", "graph.steps: Input should be a valid integer"),
        ("[graph]\nsteps = '7'\n", "line 2", "graph.steps: Input should be a valid integer"),
        ("[graph]\nsteps = true\n", "line 2", "graph.steps: Input should be a valid integer"),
        ("[graph]\nsteps = 7.5\n", "line 2", "graph.steps: Input should be a valid integer"),
        ("[telemetry]\nlocal = 'no'\n", "line 2", "telemetry.local: Input should be a valid boolean"),
        ("[graph]\nsteps = 0\n", "line 2", "greater than or equal to 1"),
        ("[kb.x]\nchunk_tokens = 9000\n", "line 2", "less than or equal to 500"),
        ("profile = 'big'\n", "line 1", "'embedded' or 'production'"),
        ("graph = 5\n", "line 1", "graph is a table, not a value"),
        ("[[graph]]\nsteps = 5\n", "line 1", "graph is a table, not a value"),
        ("kb = 5\n", "line 1", "kb is a table, not a value"),
        ("[graph]\nsteps = \n", "line 2", "is not valid TOML: Invalid value"),
        ("profile = embedded\n", "line 1", "is not valid TOML"),
        ("[graph]\nsteps = 1\nsteps = 2\n", "line 3", "is not valid TOML: Cannot overwrite a value"),
        ("[graph\n", "line 1", "is not valid TOML"),
        (b"# caf\xe9\n", "line 1", "is not UTF-8"),
        (b"\n\n[graph]\n# \xff\n", "line 4", "is not UTF-8"),
    ],
)  # fmt: skip
def test_a_wrong_file_names_its_line_and_what_is_wrong(
    tmp_path: Path, text: str | bytes, place: str, message: str
) -> None:
    error = refused(tmp_path, text)
    assert f"{tmp_path / 'zaiko.toml'}, {place}" in error.message
    assert message in error.message
    assert error.hint
    assert "\n" not in error.message + error.hint


@pytest.mark.parametrize(
    ("text", "allowed"),
    [
        (
            "nope = 1\n",
            "calc, graph, ingest, kb, knowledge, model, profile, reranker, roles, sql, telemetry",
        ),
        (
            "[kb.sales]\nx = 1\n",
            "chunk_tokens, criteria, dense_candidates, dense_weight, description, fusion, overlap",
        ),
        ("[roles.plan]\nx = 1\n", "max_tokens, model, thinking"),
        ("[roles]\nx = 1\n", "answer, gate, judge, plan"),
        ("[model.prices.m]\nx = 1\n", "currency, input_hit, input_miss, output"),
        ("kb = 1\n", "[kb.NAME] with any of: chunk_tokens"),
    ],
)
def test_the_hint_says_what_is_allowed(tmp_path: Path, text: str, allowed: str) -> None:
    complete = "input_hit = 1\ninput_miss = 1\noutput = 1\n" if "prices" in text else ""
    assert allowed in refused(tmp_path, text + complete).hint


@pytest.mark.parametrize(
    ("environ", "name", "message"),
    [
        ({"ZAIKO_NOPE": "1"}, "ZAIKO_NOPE", "unknown setting nope"),
        ({"ZAIKO_FOO__BAR": "1"}, "ZAIKO_FOO__BAR", "unknown setting foo"),
        ({"ZAIKO_GRAPH__STEPS": "abc"}, "ZAIKO_GRAPH__STEPS", "should be a valid integer"),
        ({"ZAIKO_GRAPH__STEPS": "0"}, "ZAIKO_GRAPH__STEPS", "greater than or equal to 1"),
        ({"ZAIKO_GRAPH__STEPS__X": "1"}, "ZAIKO_GRAPH__STEPS__X", "graph.steps"),
        ({"ZAIKO_GRAPH": "1"}, "ZAIKO_GRAPH", "graph is a table, not a value"),
        ({"ZAIKO_GRAPH": "1", "ZAIKO_GRAPH__STEPS": "2"}, "ZAIKO_GRAPH__STEPS", "is a value"),
        ({"ZAIKO_MODEL__BASE_URL": "not a url"}, "ZAIKO_MODEL__BASE_URL", "not an address"),
        ({"ZAIKO_MODEL__BASE_URL": "ftp://x"}, "ZAIKO_MODEL__BASE_URL", "not an address"),
        ({"ZAIKO_MODEL__BASE_URL": "http://a:99999/v1"}, "ZAIKO_MODEL__BASE_URL", "not an address"),
        ({"ZAIKO_INGEST__SERVER__URL": "qdrant"}, "ZAIKO_INGEST__SERVER__URL", "not an address"),
        ({"DEEPSEEK_API_KEY": "sk-キー"}, "DEEPSEEK_API_KEY", "characters that no key has"),
        ({"DEEPSEEK_API_KEY": "sk-a\nb"}, "DEEPSEEK_API_KEY", "characters that no key has"),
        ({"ZAIKO_PROFILE": "x"}, "ZAIKO_PROFILE", "'embedded' or 'production'"),
        ({"ZAIKO_TELEMETRY__LOCAL": "perhaps"}, "ZAIKO_TELEMETRY__LOCAL", "valid boolean"),
    ],
)
def test_a_wrong_variable_is_named(
    tmp_path: Path, environ: dict[str, str], name: str, message: str
) -> None:
    error = refused(tmp_path, "[graph]\nseconds = 9\n", **environ)
    assert error.message.startswith(f"{name}: ")
    assert message in error.message
    assert "zaiko.toml" not in error.message
    assert "sk-" not in f"{error.message}{error.hint}"


def test_a_missing_underscore_is_named(tmp_path: Path) -> None:
    error = refused(tmp_path, "", ZAIKO_MODEL_API_KEY=SECRET)
    assert error.hint == "two underscores part a section from its key: ZAIKO_MODEL__API_KEY"


def test_a_line_end_around_a_key_is_none_of_it(tmp_path: Path) -> None:
    key = load(tmp_path, "", DEEPSEEK_API_KEY=f" {SECRET}\n").model.api_key
    assert key is not None and key.get_secret_value() == SECRET


def test_a_directory_in_place_of_the_file_is_said(tmp_path: Path) -> None:
    (tmp_path / "zaiko.toml").mkdir()
    assert "cannot be read: Is a directory" in refused(tmp_path).message


def test_a_byte_order_mark_is_no_setting(tmp_path: Path) -> None:
    (tmp_path / "zaiko.toml").write_bytes(b"\xef\xbb\xbf[graph]\nsteps = 5\n")
    assert load(tmp_path).graph.steps == 5


def test_the_tree_is_frozen(tmp_path: Path) -> None:
    settings = load(tmp_path)
    with pytest.raises(ValidationError, match="frozen"):
        settings.profile = "production"
    with pytest.raises(ValidationError, match="frozen"):
        settings.graph.steps = 3


def test_a_secret_is_never_shown(tmp_path: Path) -> None:
    settings = load(tmp_path, DEEPSEEK_API_KEY=SECRET)
    assert settings.model.has_key()
    for shown in (
        repr(settings),
        str(settings),
        str(redacted(settings)),
        settings.model_dump_json(),
    ):
        assert SECRET not in shown
    wrong = refused(tmp_path, DEEPSEEK_API_KEY=SECRET, ZAIKO_MODEL__THREADS="no")
    in_file = refused(tmp_path, f'[model]\napi_key = ["{SECRET}"]\n')
    cut = refused(tmp_path, f'[model]\napi_key = "{SECRET}\n')
    for error in (wrong, in_file, cut):
        assert SECRET not in repr(error) + error.message + error.hint
