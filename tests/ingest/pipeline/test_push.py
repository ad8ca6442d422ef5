"""The move to a server, against qdrant-client's own engine behind the URL."""

import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from qdrant_client import QdrantClient

from ingest.embedders import make_embedder
from ingest.index import server
from ingest.pipeline import push_index, run_ingest
from ingest.report import Progress
from ingest.store import IngestSettings, Store
from ingest.store.errors import StoreError, StoreMissing
from ingest.store.settings import ServerSettings

URL = "http://qdrant:6333"
SETTINGS = IngestSettings(server=ServerSettings(url=URL, shard_number=2, replication_factor=1))


class Shared:
    """One engine for every connection, as a server is; closing a connection does not end it."""

    def __init__(self, client: QdrantClient) -> None:
        self._client = client

    def __getattr__(self, name: str) -> Any:
        return getattr(self._client, name)

    def close(self) -> None:
        return


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch) -> Iterator[Shared]:
    client = QdrantClient(":memory:")
    shared = Shared(client)
    monkeypatch.setattr(server, "connect", lambda settings: shared)
    with warnings.catch_warnings():
        # The client's own engine has no payload indexes, and says so.
        warnings.simplefilter("ignore", UserWarning)
        yield shared
    client.close()


@pytest.fixture
def ingested(tmp_path: Path) -> Path:
    source = tmp_path / "files"
    source.mkdir()
    (source / "returns.md").write_text("# 返品\n\n返品は30日以内です。", encoding="utf-8")
    (source / "stock.md").write_text("# Stock\n\nSafety stock is 12 days.", encoding="utf-8")
    data = tmp_path / "data"
    run_ingest(data, [source], settings=IngestSettings(), embedder=make_embedder("seeded"))
    return data


def quiet(_: Progress) -> None:
    return


def found(data: Path, query: str) -> list[Any]:
    embedder = make_embedder("seeded")
    with Store.open(data, SETTINGS, embedder=embedder) as store:
        return store.search("default", query)


def test_a_pushed_index_gives_the_same_hits_without_embedding(
    ingested: Path, engine: Shared
) -> None:
    before = found(ingested, "返品の期限")
    pushed = push_index(ingested, SETTINGS, quiet)
    assert (pushed.data_revision, pushed.url, pushed.chunks) == (2, URL, {"default": 2})
    after = found(ingested, "返品の期限")
    assert [h.chunk for h in after] == [h.chunk for h in before]
    assert [h.bm25 for h in after] == pytest.approx([h.bm25 for h in before], rel=1e-5)
    assert [h.cosine for h in after] == pytest.approx([h.cosine for h in before], abs=1e-5)


def test_ingest_goes_on_where_the_index_is_now(ingested: Path, engine: Shared) -> None:
    push_index(ingested, SETTINGS, quiet)
    source = ingested.parent / "files"
    (source / "returns.md").unlink()
    report = run_ingest(ingested, [source], settings=SETTINGS, embedder=make_embedder("seeded"))
    assert (report.documents.deleted, report.chunks) == (1, 1)
    assert [h.chunk.source for h in found(ingested, "返品 stock")] == ["files/stock.md"]


def test_a_failure_leaves_the_live_generation_and_no_collection(
    ingested: Path, engine: Shared, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise StoreError("no room on the server")

    monkeypatch.setattr(server.ServerIndex, "_put", refuse)
    with pytest.raises(StoreError, match="no room"):
        push_index(ingested, SETTINGS, quiet)
    assert engine.get_collections().collections == []
    with Store.open(ingested, SETTINGS, embedder=make_embedder("seeded")) as store:
        assert (store.revision, store.manifest.index) == (1, "edge")


def test_there_must_be_something_to_push(tmp_path: Path) -> None:
    with pytest.raises(StoreMissing):
        push_index(tmp_path, SETTINGS, quiet)


def test_shards_and_replicas_reach_the_server(
    ingested: Path, engine: Shared, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[dict[str, Any]] = []
    create: Callable[..., Any] = engine.create_collection

    def noted(name: str, **options: Any) -> Any:
        asked.append(options)
        return create(name, **options)

    engine.__dict__["create_collection"] = noted
    push_index(ingested, SETTINGS, quiet)
    assert (asked[0]["shard_number"], asked[0]["replication_factor"]) == (2, 1)
