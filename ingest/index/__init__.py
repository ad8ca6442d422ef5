"""Vector indexes: `edge` (in process, a directory), `server` (a Qdrant server or cluster)."""

import shutil
from pathlib import Path

from ingest.index.base import POINTER, Scope, VectorIndex
from ingest.store.errors import StoreError
from ingest.store.holes import copy_with_holes
from ingest.store.settings import ServerSettings

NO_SERVER = ServerSettings()
__all__ = ["Scope", "VectorIndex", "copy_index", "create_index", "open_index", "remove_index"]


def create_index(
    kind: str,
    path: Path,
    dimension: int,
    *,
    learned: bool = False,
    server: ServerSettings = NO_SERVER,
) -> VectorIndex:
    """A new, empty, writable index in a directory that does not exist yet or is empty.

    `server` needs the URL of a Qdrant server; the directory then only points to it. `learned`:
    the embedder gives a sparse vector of its own.
    """
    if kind == "edge":
        from ingest.index.edge import EdgeIndex  # noqa: PLC0415

        return EdgeIndex.create(path, dimension, learned=learned)
    _check_server(kind)
    if server.url is None:
        raise StoreError(
            "The server index has no URL.",
            "Set ingest.server.url to that of the Qdrant server, or ingest.index to edge.",
        )
    from ingest.index.server import ServerIndex, connect  # noqa: PLC0415

    return ServerIndex.create(path, dimension, connect(server), server, learned=learned)


def open_index(
    kind: str, path: Path, *, read_only: bool = True, server: ServerSettings = NO_SERVER
) -> VectorIndex:
    """Raises `StoreMissing` when there is none, `StoreBroken` when it is damaged."""
    if kind == "edge":
        from ingest.index.edge import EdgeIndex  # noqa: PLC0415

        return EdgeIndex.open(path, read_only=read_only)
    _check_server(kind)
    from ingest.index.server import open_server  # noqa: PLC0415

    return open_server(path, read_only=read_only, server=server)


def copy_index(source: Path, target: Path, *, server: ServerSettings = NO_SERVER) -> None:
    """Copies an index that its writer has closed, also while readers have it open.

    Opening an edge index rewrites small files with the same content through `.atomicwrite…`
    directories, which come and go under a copy's feet. Its files are mostly holes (108 MB of
    zeros for a small index), and stay so. A server index is copied on the server.
    """
    if (source / POINTER).exists():
        from ingest.index.server import open_server  # noqa: PLC0415

        index = open_server(source, read_only=True, server=server)
        index.copy_to(target, server)
        index.close()
        return
    passing = shutil.ignore_patterns(".atomicwrite*")
    shutil.copytree(source, target, ignore=passing, copy_function=copy_with_holes)


def remove_index(path: Path, *, server: ServerSettings = NO_SERVER) -> None:
    """Removes the directory, and the collection it points to."""
    if (path / POINTER).exists():
        from ingest.index.server import open_server  # noqa: PLC0415

        index = open_server(path, read_only=False, server=server)
        index.drop()
        index.close()
    shutil.rmtree(path)


def _check_server(kind: str) -> None:
    if kind != "server":
        raise StoreError(f"There is no vector index {kind!r}.", "Set index to edge or server.")
