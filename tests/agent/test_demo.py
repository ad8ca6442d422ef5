import json
from pathlib import Path

import pytest

from agent.demo import Example, embedded, main, read_examples, shows
from agent.errors import UsageError
from agent.settings import load_settings

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize(
    ("text", "value", "expected"),
    [
        ("It was 95 [1].", "95", True),
        ("It was 95.", "95", True),
        ("95.00 pieces", "95", True),
        ("195 pieces", "95", False),
        ("95.5 pieces", "95", False),
        ("1,204,150 yen [1]", "1204150", True),
        ("11,204,150 yen", "1204150", False),
        ("１４日です", "14日", True),
        ("14 日以内", "14日", True),
        ("114日です", "14日", False),
        ("14か月", "14日", False),
    ],
)
def test_a_value_is_shown_only_as_a_number_of_its_own(
    text: str, value: str, expected: bool
) -> None:
    assert shows(text, value) is expected


def test_the_shipped_examples_are_three() -> None:
    examples = read_examples(ROOT / "eval_data" / "demo.json")
    assert len(examples) == 3
    assert all(example.expected for example in examples)


def test_an_example_is_a_question_and_its_values(tmp_path: Path) -> None:
    path = tmp_path / "demo.json"
    path.write_text(json.dumps([{"question": "How many?", "expected": ["3"]}]), encoding="utf-8")
    assert read_examples(path) == [Example("How many?", ("3",))]


def test_a_missing_file_of_questions_says_where_to_run(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as caught:
        read_examples(tmp_path / "none.json")
    assert "repository" in caught.value.hint


def test_a_key_in_the_environment_does_not_change_the_model(tmp_path: Path) -> None:
    settings = load_settings(tmp_path, {"DEEPSEEK_API_KEY": "sk-test"})
    assert settings.model.resolved_provider() == "deepseek"
    assert embedded(settings).model.resolved_provider() == "embedded"


def test_a_missing_weights_file_is_one_line_and_the_next_step(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("ZAIKO_MODEL_FILE", str(tmp_path / "none.gguf"))
    assert main(["--fetch-only", "--data-dir", str(tmp_path)]) == 1
    said = capsys.readouterr().err.splitlines()
    assert said[0].startswith("error: the weights file")
    assert said[1].startswith("next: ")


def test_a_weights_file_of_ones_own_is_not_fetched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = tmp_path / "own.gguf"
    own.write_bytes(b"GGUF")
    monkeypatch.setenv("ZAIKO_MODEL_FILE", str(own))
    assert main(["--fetch-only", "--data-dir", str(tmp_path / "data")]) == 0
    assert not (tmp_path / "data").exists()
