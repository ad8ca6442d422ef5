import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from agent.telemetry import names

CONFIG = Path(__file__).parents[3] / "otel-collector.yaml"


@pytest.fixture
def config() -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load(CONFIG.read_text(encoding="utf-8"))
    return loaded


def test_every_span_it_lists_exists_and_every_span_is_listed() -> None:
    listed = re.findall(r"^# - (\S.*?) {2,}\S", CONFIG.read_text(encoding="utf-8"), re.MULTILINE)
    assert len(listed) >= 15
    assert sorted(listed) == sorted(names.SPAN_NAMES)


def test_it_listens_where_exporters_send_by_default(config: dict[str, Any]) -> None:
    protocols = config["receivers"]["otlp"]["protocols"]
    assert protocols["grpc"]["endpoint"].endswith(":4317")
    assert protocols["http"]["endpoint"].endswith(":4318")


def test_the_pipeline_uses_what_is_defined_and_limits_memory_first(config: dict[str, Any]) -> None:
    pipeline = config["service"]["pipelines"]["traces"]
    for part in ("receivers", "processors", "exporters"):
        assert set(pipeline[part]) == set(config[part])
    assert pipeline["processors"] == ["memory_limiter", "batch"]
    assert pipeline["exporters"] == ["debug", "otlphttp"]
    assert re.fullmatch(r"\$\{env:\w+:-http://.+\}", config["exporters"]["otlphttp"]["endpoint"])
