"""Lines that run along the pages of a document: of those, page numbers say nothing."""

import re

_PAGE_NUMBER = re.compile(
    r"(?:page|seite|p|of|第|頁|页|ページ|共|全|#|[ivxlc]|[-–—―‐/・.,|()（）])+", re.IGNORECASE
)


def running_key(text: str) -> str:
    """The same for a running line of every page: without blanks, `#` for its figures."""
    return re.sub(r"\d+", "#", "".join(text.split()))


def is_page_number(text: str) -> bool:
    """`3`, `- 3 -`, `Page 3 of 9`, `第3页`."""
    return bool(_PAGE_NUMBER.fullmatch(running_key(text)))
