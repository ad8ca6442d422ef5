"""Embedders: `e5` (default), `bge_m3` (production), `seeded` (the fake)."""

from ingest.embedders.base import Embedder, Vectors
from ingest.store.errors import StoreError

__all__ = ["Embedder", "Vectors", "make_embedder"]


def make_embedder(name: str) -> Embedder:
    """The embedder of that name; its library is imported here and not before.

    Raises `MissingExtra` (with the install command) or `StoreError` for an unknown name.
    """
    if name == "e5":
        from ingest.embedders.e5 import E5Embedder  # noqa: PLC0415

        return E5Embedder()
    if name == "bge_m3":
        from ingest.embedders.bge_m3 import BgeM3Embedder  # noqa: PLC0415

        return BgeM3Embedder()
    if name == "seeded":
        from ingest.embedders.seeded import SeededEmbedder  # noqa: PLC0415

        return SeededEmbedder()
    raise StoreError(
        f"There is no embedder called {name!r}.", "Set `embedder` to e5, bge_m3 or seeded."
    )
