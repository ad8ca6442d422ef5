"""A font with Japanese and Chinese letters for pictures: Droid Sans Fallback, out of PyMuPDF.

It comes with PyMuPDF, so a picture does not depend on the fonts of a machine. PyMuPDF may be left
out; then such letters are drawn only where the machine itself has a font for them.
PyMuPDF's copy lacks the PostScript name (name ID 6), and font databases skip a font without one:
the copy is given a name table that has it.
"""

import struct
from typing import Any

FAMILY = "Droid Sans Fallback"
_POSTSCRIPT_NAME = "DroidSansFallback"
FIRST_CJK = 0x2E80
LETTERS_NAMED = 20
_WINDOWS, _UNICODE_BMP, _ENGLISH = 3, 1, 0x409


def cjk_font() -> bytes | None:
    """A TrueType file of the family `FAMILY`; None without PyMuPDF, or in one built without it."""
    font = _font()
    return _named(bytes(font.buffer)) if font is not None and font.buffer else None


def note_on_letters(text: str) -> str:
    """What a picture of this text may show as empty boxes; "" when the font has every letter."""
    font = _font()
    if font is None:
        if all(ord(c) < FIRST_CJK for c in text):
            return ""
        return (
            "Japanese and Chinese letters may be empty boxes: without PyMuPDF they are drawn only "
            "where this machine has a font for them (pip install pymupdf)"
        )
    found = (c for c in text if not c.isspace() and not font.has_glyph(ord(c)))
    missing = list(dict.fromkeys(found))
    shown = " ".join(missing[:LETTERS_NAMED]) + (" …" if len(missing) > LETTERS_NAMED else "")
    return f"the picture's font has no {shown}" if missing else ""


def _font() -> Any:
    try:
        import pymupdf  # noqa: PLC0415  only for a picture

        library: Any = pymupdf
        return library.Font("cjk")
    except (ImportError, RuntimeError):
        return None


def _named(font: bytes) -> bytes:
    """The font with a new name table at its end (OpenType 1.9, "name", version 0)."""
    texts = {1: FAMILY, 2: "Regular", 4: FAMILY, 6: _POSTSCRIPT_NAME}
    records, storage = b"", b""
    for identifier, text in texts.items():
        raw = text.encode("utf-16-be")
        head = (_WINDOWS, _UNICODE_BMP, _ENGLISH, identifier, len(raw), len(storage))
        records, storage = records + struct.pack(">6H", *head), storage + raw
    table = struct.pack(">3H", 0, len(texts), 6 + len(records)) + records + storage
    padded = font + b"\0" * (-len(font) % 4)
    entry = font.index(b"name", 12, 12 + 16 * struct.unpack_from(">H", font, 4)[0])
    place = struct.pack(">2I", len(padded), len(table))
    return padded[: entry + 8] + place + padded[entry + 16 :] + table
