"""An engine that reads what it was given, for tests and demonstrations without Tesseract."""

from collections.abc import Sequence

from ingest.documents.ocr.base import OcrLine, OcrPage, Render


class ScriptedOcr:
    """Returns the given pages one after the other; `images` are those it was shown."""

    def __init__(self, *pages: OcrPage | Sequence[str]) -> None:
        self._pages = list(pages)
        self.images: list[bytes] = []

    def read(self, render: Render) -> OcrPage:
        page = self._pages.pop(0)
        page = page if isinstance(page, OcrPage) else OcrPage(_stacked(page))
        self.images.append(render(page.turn))
        return page


def _stacked(texts: Sequence[str]) -> list[OcrLine]:
    """Lines of 40 pixels with as much space between them, each a paragraph."""
    return [
        OcrLine(text, (100, 100 + 80 * i, 100 + 20 * len(text), 140 + 80 * i), i)
        for i, text in enumerate(texts)
    ]
