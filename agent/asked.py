"""Whether a draft answers what is asked: each word of it may be proved and the question stand open.

A small model answers "what percentage …?" with the heading under which the percentage stands, says
that the answer "is not specified", or makes up a rule where the question names a document.
"""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from datetime import date

from tools.dates import CalendarSettings, mentions
from tools.evidence import Evidence
from tools.verify import Item, Verification
from tools.verify.facts import quantities_of

_PERCENT = re.compile(
    r"(?:what|which|how (?:large|high|big)|how many)\b[^?.;]{0,24}?\b(?:percent|percentage|rate|share)\b"
    r"|何[%割]|何パーセント|百分之几|多少%",
    re.IGNORECASE,
)
_FIGURE = re.compile(
    r"\bhow (?:many|much|long|old|far|often|soon|large|high|big)\b"
    r"|何(?:[個日件円点回年月枚本箱台人社組時週割営%]|[かヶケカ][月所国年])|いくつ|いくら"
    r"|多少|几[个天日年月件台家次小周]|多长|多久",
    re.IGNORECASE,
)
_TIME = re.compile(r"\d{1,2}[:時时点]\d{0,2}|\b\d{1,2}\s?[ap]\.?m\b", re.IGNORECASE)
_DENIES = re.compile(
    r"\b(?:no|not|none|never|nothing|unlimited|zero)\b|n't\b|ない|ません|なし|無し|いません|零|ゼロ"
    r"|没有|沒有|无|不[是能会可]",
    re.IGNORECASE,
)


_GIVES_UP = re.compile(
    r"\b(?:not|n't)\s+(?:explicitly |directly |clearly )?"
    r"(?:specified|provided|given|stated|mentioned|available|included|known|found|clear|possible to)\b"
    r"|\bunknown\b|\bunclear\b|\bcannot be (?:determined|calculated|answered|found)\b"
    r"|\bno information\b"
    r"|不明(?!瞭)|(?:記載|明記|言及|提供|情報)(?:は|が|も)?(?:され)?(?:てい)?(?:ない|ません|ありません|なし)"
    r"|[わ分]か(?:らない|りません)|特定でき(?:ない|ません)"
    r"|未(?:提供|说明|提及|注明|指定|明确)|没有(?:说明|提供|提及|给出|明确|相关信息)"
    r"|无法(?:确定|得知|回答|计算)",
    re.IGNORECASE,
)
_BY_A_DOCUMENT = re.compile(
    r"\b(?:according to|under|per|by|at|of|in)\s+(?:the|our|its|their)?\s*(?:\w+\s+){0,3}?"
    r"(?:polic(?:y|ies)|agreement|contract|rules?|guidelines?|manual|terms)\b"
    r"|(?:規定|規程|規則|方針|契約|条件|条項|手順書?|マニュアル)"
    r"(?:に(?:従|基づ|よ[るれ])|の(?:目標|上限|基準|料率|定め)|上の|では|で、)"
    r"|(?:現行|契約|現在の)の?(?:規定|規程|規則|方針|契約)"
    r"|(?:按照?|根据|依照|依据)[^，。]{0,12}(?:规定|政策|方针|协议|合同|制度|条款)",
    re.IGNORECASE,
)


def names_no_figure(question: str, text: str, today: date) -> str:
    """Why the text leaves the question open; "" where it does not, or that cannot be told.

    Figures that the question itself has are no answer to it.
    """
    asked, said = (unicodedata.normalize("NFKC", t) for t in (question, text))
    wants_percent = bool(_PERCENT.search(asked))
    if not (wants_percent or _FIGURE.search(asked)) or _DENIES.search(said) or not said.strip():
        return ""
    known = {q.text for q in quantities_of(asked)}
    stated = [q for q in quantities_of(said, lenient=True) if q.text not in known]
    if wants_percent:
        percents = [q for q in stated if q.is_percent]
        return "" if percents else "the question asks for a percentage, and this states none"
    own = {m.text for m in mentions(asked, today, CalendarSettings())}
    dates = [m for m in mentions(said, today, CalendarSettings()) if m.text not in own]
    times = set(_TIME.findall(said)) - set(_TIME.findall(asked))
    return (
        "" if stated or dates or times else "the question asks for a figure, and this states none"
    )


def rests_on_no_document(question: str, evidence: Iterable[Evidence]) -> str:
    """Why an answer by a rule that the question names is not proved: no passage was read for it;
    "" where the question names none, or a passage or a person says it."""
    if not _BY_A_DOCUMENT.search(unicodedata.normalize("NFKC", question)):
        return ""
    read = any(
        e.kind in ("chunk", "human", "memory") or e.tool == "catalog" or e.page is not None
        for e in evidence
    )
    return "" if read else "the question goes by a document, and none was read"


def gives_up(text: str) -> str:
    """Why a text is no answer: it says that the answer is not there; else ""."""
    found = _GIVES_UP.search(unicodedata.normalize("NFKC", text))
    return f"it gives no answer ({found.group().strip()})" if found else ""


def with_open_question(
    found: Verification,
    question: str,
    text: str,
    evidence: Sequence[Evidence],
    today: date,
    otherwise: str = "",
) -> Verification:
    """The verification with the whole text unsupported where it leaves the question open, so that
    it is written again, and not delivered if that fails. `otherwise`: what else speaks against it."""
    has_table = any(e.kind == "rows" and e.rows for e in evidence)
    why = (
        rests_on_no_document(question, evidence)
        or gives_up(text)
        or ("" if has_table else names_no_figure(question, text, today))
        or otherwise
    )
    if not why or not text.strip():
        return found
    item = Item(text=text, kind="claim", start=0, end=len(text), message=why)
    claims = tuple(
        c.model_copy(update={"state": "unsupported", "message": why}) for c in found.claims
    )
    return found.model_copy(update={"unsupported": (*found.unsupported, item), "claims": claims})
