import json
import socket
import warnings
from pathlib import Path
from typing import Any

import pytest
from qdrant_client import QdrantClient

from ingest.index import copy_index, create_index, open_index
from ingest.index.server import ServerIndex
from ingest.sparse import Bm25
from ingest.store.errors import StoreBroken, StoreError, StoreMissing
from ingest.store.settings import ServerSettings

TEXTS = ["返品は30日以内", "returns within 30 days", "XR-4200 の発注点", "安全在庫"]


@pytest.fixture
def closed_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def test_the_directory_points_to_the_collection(empty_server: ServerIndex, path: Path) -> None:
    pointer = json.loads((path / "collection.json").read_text())
    assert pointer["collection"] == empty_server.collection
    assert (pointer["url"], pointer["dimension"]) == ("http://localhost:6333", 3)


def test_a_reopened_index_has_what_was_written(
    empty_server: ServerIndex, path: Path, client: QdrantClient, fill: Any, bm25: Bm25
) -> None:
    fill(empty_server, TEXTS)
    reader = ServerIndex.open(path, client, read_only=True)
    assert reader.count() == 4
    assert reader.search(None, bm25.query("XR-4200"), dense_limit=5, sparse_limit=5)
    with pytest.raises(StoreError, match="reading only"):
        reader.delete_documents(["d0"])


def test_a_copy_is_a_collection_of_its_own(
    empty_server: ServerIndex,
    tmp_path: Path,
    client: QdrantClient,
    fill: Any,
    bm25: Bm25,
    dense: Any,
) -> None:
    fill(empty_server, TEXTS)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        empty_server.copy_to(tmp_path / "next", ServerSettings())
    copy = ServerIndex.open(tmp_path / "next", client, read_only=False)
    ours, theirs = (
        i.search(dense[0], bm25.query("30"), dense_limit=4, sparse_limit=4)
        for i in (empty_server, copy)
    )
    assert len(ours) == 4
    assert theirs == ours
    copy.delete_documents(["d0"])
    assert (copy.count(), empty_server.count()) == (2, 4)


def test_a_dropped_collection_is_reported_when_opened(
    empty_server: ServerIndex, path: Path, client: QdrantClient
) -> None:
    empty_server.drop()
    with pytest.raises(StoreBroken, match="is not on the server"):
        ServerIndex.open(path, client, read_only=True)


def test_a_server_that_does_not_answer_is_named(tmp_path: Path, closed_port: int) -> None:
    url = f"http://127.0.0.1:{closed_port}"
    with pytest.raises(StoreError, match=url) as caught:
        create_index("server", tmp_path / "index", 3, server=ServerSettings(url=url))
    assert "URL" in caught.value.hint
    assert not (tmp_path / "index").exists()


def test_without_a_url_the_server_index_says_what_to_set(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="no URL"):
        create_index("server", tmp_path / "index", 3)


def test_a_missing_pointer_is_a_missing_index(tmp_path: Path) -> None:
    with pytest.raises(StoreMissing):
        open_index("server", tmp_path / "index")


def test_an_unreadable_pointer_is_a_broken_index(tmp_path: Path) -> None:
    (tmp_path / "collection.json").write_text("{")
    with pytest.raises(StoreBroken):
        open_index("server", tmp_path)
    with pytest.raises(StoreBroken):
        copy_index(tmp_path, tmp_path / "copy")


def test_an_unknown_kind_lists_the_choices(tmp_path: Path) -> None:
    with pytest.raises(StoreError) as caught:
        open_index("faiss", tmp_path)
    assert "edge or server" in caught.value.hint
