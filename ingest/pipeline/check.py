"""The last look at a draft before it is published: does it hold what its manifest says?"""

from __future__ import annotations

from ingest.pipeline.draft import Draft
from ingest.store.checksums import write_checksums
from ingest.store.damage import open_parts
from ingest.store.errors import StoreBroken
from ingest.store.manifest import read_manifest
from ingest.store.settings import ServerSettings


def seal_draft(draft: Draft, server: ServerSettings) -> None:
    """Opens every part, then writes the checksums that tell later damage.

    Raises `StoreBroken` when a part does not open or its counts differ.
    """
    manifest = read_manifest(draft.directory)
    for damage in open_parts(draft.directory, manifest, server):
        raise StoreBroken(damage.reason)
    write_checksums(draft.directory)
