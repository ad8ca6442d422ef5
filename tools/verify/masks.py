"""What holds digits without being a quantity: citations, ordinals, versions, phones, links."""

import re

Span = tuple[int, int]

_PATTERNS = tuple(
    re.compile(pattern, flags)
    for pattern, flags in (
        (r"https?://\S+|\S+@\S+\.\w+", 0),
        (r"\b[\w./-]+\.(?:md|pdf|docx?|csv|tsv|xlsx?|txt|json|html?)\b", re.IGNORECASE),
        (r"\[(?:E?\d+(?:\s*[,、]\s*E?\d+)*)\]", 0),
        (r"(?<![A-Za-z0-9])E\d{1,3}(?![A-Za-z0-9-])", 0),
        (
            r"^[ \t]*(?:[-*+][ \t]+)?(?:\d{1,3}[.)、:](?=\s|[^\d\s])|\(\d{1,3}\)(?=\s*\S))(?!\d)",
            re.M,
        ),
        (r"^#{1,6}[ \t]*\d+(?:\.\d+)*[.)]?(?=\s)", re.M),
        (r"(?<![\w.])v?\d+\.\d+\.\d+(?:\.\d+)*(?![\d%])", re.IGNORECASE),
        (r"(?:\bversion|\bver\.?|\bv\.?|バージョン|版本)\s*\d+(?:\.\d+)*", re.IGNORECASE),
        (r"(?<![\d-])(?:\+\d{1,3}[- ]?)?\(?0\d{1,4}\)?[- ]\d{1,4}[- ]\d{3,4}(?![\d-])", 0),
        (
            r"(?:電話|电话|TEL|phone|FAX|内線)(?:番号)?[^\d\n]{0,4}\+?[\d][\d() -]{2,}\d",
            re.IGNORECASE,
        ),
        (r"〒\s*\d{3}-?\d{4}|(?<![\d-])\d{3}-\d{4}(?![\d-])", 0),
        (r"(?<!\d)\d{1,2}:\d{2}(?::\d{2})?(?!\d)", 0),
        (r"(?<![\d/])\d{1,3}/\d{1,3}(?![\d/])", 0),
        (
            r"第\s*(?:\d+|[一二三四五六七八九十百]+)(?:[位章条節項編版回号期巻番倉庫]|工場|営業所)?",
            0,
        ),
        (r"(?<![\d.])\d+\s*(?:位|番目|号店|号棟|丁目|番地|ページ|頁|章|条)", 0),
        (
            r"\b(?:No|p|pp|page|section|chapter|article|rank|step|figure|table)\b\.?\s*\d+(?:\.\d+)*",
            re.IGNORECASE,
        ),
        (r"[#№]\s?\d+|§\s*\d+(?:\.\d+)*", 0),
        (r"(?<![\d.,])\d+(?:st|nd|rd|th)\b", re.IGNORECASE),
        (r"^[ \t]*\|?[ \t:|-]*-{3,}[ \t:|-]*$", re.M),
    )
)


def masked_spans(folded: str) -> list[Span]:
    """Half-open places in the folded text, sorted; they may overlap."""
    return sorted((m.start(), m.end()) for p in _PATTERNS for m in p.finditer(folded))
