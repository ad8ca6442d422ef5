"""Passages put together again: the text that neighbouring chunks of a document stand in."""

from collections.abc import Sequence

from ingest.store.records import Chunk

_GAP = "\n\n"


def joined_text(chunks: Sequence[Chunk]) -> str:
    """The document's text over all of the `chunks`, each character once, in document order.

    A header that a passage repeats before its table rows is left out where the rows above it
    are there; where chunks between are missing, an ellipsis stands for them.
    """
    text, reach = "", -1
    for chunk in sorted(chunks, key=lambda chunk: chunk.ordinal):
        own = chunk.text[len(chunk.text) - (chunk.end - chunk.start) :]
        if reach < 0:
            text = chunk.text
        elif chunk.start > reach + len(_GAP):
            text += f"{_GAP}…{_GAP}{chunk.text}"
        elif chunk.end > reach:
            new = own[max(0, reach - chunk.start) :]
            text += _between(chunk, reach) + new
        reach = max(reach, chunk.end)
    return text


def _between(chunk: Chunk, reach: int) -> str:
    """The white space that no chunk's span holds: a blank line between blocks, else a break."""
    return {0: "", 1: "\n"}.get(chunk.start - reach, _GAP) if chunk.start > reach else ""
