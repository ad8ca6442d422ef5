"""Settings and the factory."""

import subprocess
import sys

import pytest
from pydantic import SecretStr, ValidationError

from agent.errors import ModelConfigError
from agent.models import ModelSettings, make_chat_model


@pytest.mark.parametrize(
    ("settings", "provider"),
    [
        (ModelSettings(), "embedded"),
        (ModelSettings(api_key=SecretStr("")), "embedded"),
        (ModelSettings(api_key=SecretStr("sk-1")), "deepseek"),
        (ModelSettings(provider="embedded", api_key=SecretStr("sk-1")), "embedded"),
    ],
)
def test_auto_takes_deepseek_only_when_a_key_is_set(settings: ModelSettings, provider: str) -> None:
    assert settings.resolved_provider() == provider
    assert make_chat_model(settings).provider == provider


def test_an_openai_compatible_model_is_made() -> None:
    settings = ModelSettings(
        provider="openai_compatible", base_url="http://127.0.0.1:9/v1", model="m"
    )
    model = make_chat_model(settings)
    assert (model.provider, model.name) == ("openai_compatible", "m")


def test_deepseek_without_a_key_is_a_config_error() -> None:
    with pytest.raises(ModelConfigError):
        make_chat_model(ModelSettings(provider="deepseek"))


def test_unknown_settings_are_refused() -> None:
    with pytest.raises(ValidationError, match="temprature"):
        ModelSettings.model_validate({"temprature": 0.5})


def test_settings_cannot_be_changed() -> None:
    with pytest.raises(ValidationError, match="frozen"):
        setattr(ModelSettings(), "model", "other")  # noqa: B010


def test_importing_the_factory_imports_no_client_library() -> None:
    code = (
        "import sys, agent.models; "
        "print([m for m in ('openai', 'langchain_openai', 'xllamacpp') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
