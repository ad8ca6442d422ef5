"""`zaiko index push`, up to the server: what a person is told when it is not there."""

import json
import socket
from pathlib import Path

import pytest

from agent.cli.boundary import run
from ingest.embedders.seeded import SeededEmbedder
from ingest.pipeline import run_ingest
from ingest.store import IngestSettings


def test_a_server_that_does_not_answer_is_named_and_nothing_changes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "rules.md").write_text("# Rules\n\nReturns take 30 days.\n", encoding="utf-8")
    data = tmp_path / "data"
    run_ingest(data, [tmp_path / "rules.md"], settings=IngestSettings(), embedder=SeededEmbedder())
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{listener.getsockname()[1]}"
    assert run(["index", "push", url, "--data-dir", str(data), "--json"]) == 1
    error = json.loads(capsys.readouterr().out)["error"]
    assert url in error["message"]
    assert (data / "CURRENT").read_text() == "1\n"
    assert [p.name for p in (data / "generations").iterdir()] == ["1"]
