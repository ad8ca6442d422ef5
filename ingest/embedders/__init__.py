"""Embedders: `e5` (default), `bge_m3` (production), `seeded` (the fake)."""

from ingest.embedders.base import Embedder, Encoded, EncodedPassages, Vectors
from ingest.store.errors import StoreError
from ingest.store.settings import BgeM3Settings

__all__ = ["Embedder", "Encoded", "EncodedPassages", "Vectors", "make_embedder"]


def make_embedder(name: str, bge_m3: BgeM3Settings | None = None) -> Embedder:
    """The embedder of that name; its library is imported here and not before.

    Raises `MissingExtra` (with the install command) or `StoreError` for an unknown name.
    """
    if name == "e5":
        from ingest.embedders.e5 import E5Embedder  # noqa: PLC0415

        return E5Embedder()
    if name == "bge_m3":
        from ingest.embedders.bge_m3 import BgeM3Embedder  # noqa: PLC0415

        chosen = bge_m3 or BgeM3Settings()
        return BgeM3Embedder(
            chosen.model, devices=chosen.devices, use_fp16=chosen.fp16, batch=chosen.batch
        )
    if name == "seeded":
        from ingest.embedders.seeded import SeededEmbedder  # noqa: PLC0415

        return SeededEmbedder()
    raise StoreError(
        f"There is no embedder called {name!r}.", "Set `embedder` to e5, bge_m3 or seeded."
    )
