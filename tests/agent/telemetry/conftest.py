from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from agent.telemetry import Telemetry, setup


@pytest.fixture
def make_telemetry() -> Iterator[Callable[..., Telemetry]]:
    made: list[Telemetry] = []

    def make(data_dir: Path, **options: object) -> Telemetry:
        data_dir.mkdir(exist_ok=True)
        made.append(setup(data_dir, service_version="1.2.3", **options))  # type: ignore[arg-type]
        return made[-1]

    yield make
    for telemetry in made:
        telemetry.shutdown()


@pytest.fixture
def telemetry(make_telemetry: Callable[..., Telemetry], tmp_path: Path) -> Telemetry:
    return make_telemetry(tmp_path)
