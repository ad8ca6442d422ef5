"""Plain text: paragraphs between blank lines."""

import re
from pathlib import Path

from ingest.documents.encoding import decode
from ingest.documents.model import Part, RawDocument
from ingest.documents.readers.base import Reader

_BLANK = re.compile(r"\n[ \t\u3000]*\n\s*")


class TextReader(Reader):
    def _read(self, path: Path) -> RawDocument:
        text = decode(path.read_bytes(), path).replace("\r\n", "\n").replace("\r", "\n")
        return RawDocument([Part("paragraph", piece) for piece in _BLANK.split(text)])
