"""LIMITs that a model wrote and nobody asked for: rows would be missing without a word."""

import re
import unicodedata

from sqlglot import exp

from tools.dates.numerals import WORDS

# Words that ask for the first few of an order, without saying how many.
_FIRST_FEW = re.compile(
    r"\b(?:top|first|last|most|least|best|worst|largest|smallest|highest|lowest|latest|newest|oldest"
    r"|recent(?:ly)?|examples?|some|few|sample)\b"
    r"|上位|下位|先頭|最初|最後|最も|最大|最小|最高|最低|最新|最近|直近|例"
    r"|前|后|最|头|首|几",
    re.IGNORECASE,
)
_HAN = "〇一二三四五六七八九十"


def drop_endless_limits(tree: exp.Expr) -> None:
    """`LIMIT 1000000000000000000000` limits nothing, and DuckDB cannot read it."""
    for limit in list(tree.find_all(exp.Limit)):
        count = _count(limit)
        if count is not None and count >= 2**63:
            limit.pop()


def drop_unasked_limit(tree: exp.Expr, question: str) -> list[str]:
    """Takes the outermost LIMIT away when the question asks neither for so many nor for a few;
    a note says so. One row stays one row: it answers "which"."""
    limit = tree.args.get("limit")
    count = _count(limit) if isinstance(limit, exp.Limit) else None
    if count is None or count < 2 or _asks_for(question, count):
        return []
    tree.set("limit", None)
    return [f"LIMIT {count} was left out: the question does not ask for it"]


def _count(limit: exp.Limit) -> int | None:
    number = limit.expression
    is_whole = isinstance(number, exp.Literal) and not number.is_string and number.name.isdigit()
    return int(number.name) if is_whole else None


def _asks_for(question: str, count: int) -> bool:
    text = unicodedata.normalize("NFKC", question).lower()
    if _FIRST_FEW.search(text) or str(count) in re.findall(r"\d+", text):
        return True
    said = WORDS[count] if count < len(WORDS) else ""
    return bool(said and re.search(rf"\b{said}\b", text)) or (count <= 10 and _HAN[count] in text)
