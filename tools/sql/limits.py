"""LIMITs that a model wrote and nobody asked for: rows would be missing without a word."""

import re
import unicodedata

from sqlglot import exp

from ingest.store import Catalog
from tools.dates.numerals import WORDS
from tools.sql.references import used_tables

# Words that ask for the first few of an order, without saying how many.
_FIRST_FEW = re.compile(
    r"\b(?:top|first|last|most|least|best|worst|largest|smallest|highest|lowest|latest|newest|oldest"
    r"|recent(?:ly)?|examples?|some|few|sample)\b"
    r"|上位|下位|先頭|最初|最後|最も|最大|最小|最高|最低|最新|最近|直近|例"
    r"|前|后|最|头|首|几",
    re.IGNORECASE,
)
# Words that ask for one among several: superlatives, comparatives of two, ranks. The first or the
# last of the year, more than 5 and January are none, nor is a request.
_ONE = re.compile(
    r"\b(?:most|least|fewest|(?!(?:request|interest|invest|forest|suggest|harvest)\b)[a-z]{3,}est"
    r"|max(?:imum)?|min(?:imum)?|best|worst|top|bottom"
    r"|(?:first|last)(?! (?:\d+ |few )?(?:fiscal |half|quarter|days?\b|weeks?\b|months?\b|years?\b))"
    r"|(?:more|less|fewer)(?! than \W?\d)|better|worse|sooner|farther|further"
    r"|(?:high|low|larg|small|great|long|short|old|new|cheap|earli|lat|bigg|fast|slow|quick|heavi"
    r"|light|strong|weak|wid|thick|thinn|busi|rich|poor|clos|near|young|costli|pric[ei]|tall|saf)er"
    r"|one|single|only|any|once|when|current|now|recent|popular|leading|leader|leads|favou?rite"
    r"|main(?:ly)?|primar(?:y|ily)|principal|major(?:ity)?|dominant|dominates?|typical(?:ly)?"
    r"|usual(?:ly)?|bulk|peak(?:s|ed)?|examples?|sample|champion|winner|wins?|won|ahead)\b"
    r"|(?<!\d)(?<![Qq])1(?![\d月年日/\-])|(?<![年月期週周度])[初末]|[最第唯首頭头任更现現今]"
    r"|一番|いちばん|もっとも|トップ|一[つ个個]|ひとつ|ワースト|どれ(?!くらい|ぐらい|ほど|だけ|も)|直近|より|どちら|どっち|いつ"
    r"|\d番目|主[なた要力]|売れ筋|筆頭|看板|人気|哪[个個一款家位]|还是|還是|冠军|冠軍|热门|熱門"
    r"|[谁誰].*(?<!多)[多少高低贵贱大小快慢长短好坏早晚重轻]\W*$",
    re.IGNORECASE,
)
_HAN = "〇一二三四五六七八九十"


def drop_endless_limits(tree: exp.Expr) -> None:
    """`LIMIT 1000000000000000000000` limits nothing, and DuckDB cannot read it."""
    for limit in list(tree.find_all(exp.Limit)):
        count = _count(limit)
        if count is not None and count >= 2**63:
            limit.pop()


def drop_unasked_limit(tree: exp.Expr, question: str, catalog: Catalog) -> list[str]:
    """Takes the outermost LIMIT away when the question asks neither for so many nor for a few;
    a note says so. One row stays one row where the question may ask for one among several, and
    over stock, which is asked for as of its last day. Who leaves rows out at the head (OFFSET)
    asks for a place in the order."""
    limit = None if tree.args.get("offset") else tree.args.get("limit")
    count = _count(limit) if isinstance(limit, exp.Limit) else None
    if not count or (
        _asks_for_one(tree, question, catalog) if count == 1 else _asks_for(question, count)
    ):
        return []
    tree.set("limit", None)
    return [f"LIMIT {count} was left out: the question does not ask for it"]


def _count(limit: exp.Limit) -> int | None:
    number = limit.expression
    is_whole = isinstance(number, exp.Literal) and not number.is_string and number.name.isdigit()
    return int(number.name) if is_whole else None


def _asks_for_one(tree: exp.Expr, question: str, catalog: Catalog) -> bool:
    of_a_time = any(t.snapshot or t.period for t in used_tables(tree, catalog))
    return of_a_time or _ONE.search(unicodedata.normalize("NFKC", question)) is not None


def _asks_for(question: str, count: int) -> bool:
    text = unicodedata.normalize("NFKC", question).lower()
    if _FIRST_FEW.search(text) or str(count) in re.findall(r"\d+", text):
        return True
    said = WORDS[count] if count < len(WORDS) else ""
    return bool(said and re.search(rf"\b{said}\b", text)) or (count <= 10 and _HAN[count] in text)
