"""Which encoding a text file is in: strict decoding attempts, then plausibility of what comes out."""

from __future__ import annotations

import codecs
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from ingest.store.errors import FileRejected

_CHUNK = 1 << 20
_SAMPLE = 20_000
_MINIMUM_SCORE = 0.35
_SAID = 5
_LEGACY = ("cp932", "euc_jp", "gb18030", "cp1252")
_UNMARKED = ("utf-16-le", "utf-16-be")
_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)

# The characters most frequent in running text and in the headers of business tables.
_COMMON = frozenset(
    "日一国会人年大十二本中長出三同時政事自行社見月分議後前民生連五発間対上部東者党地合市業内相方四定今回新場金員九入選立開手米力学問高代明実円関"
    "決子動京全目表戦経通外最言氏現理調体化田当八六約主題下首意法不来作性的要用制治度務強気小七成期公野協取都和統以機平総加山思家話世受区領多県続進"
    "正安設保改数記院女初北午指権心界支第産結百派点教報済書府活原先共得解名交資予川向際査勝面委告軍文反元重近千考判認画海参売利組知案道信策集在件団"
    "別物側任引使求所次水半品昨論計死官増係感特情投示変打男基私各始島直両朝革価式確村提運終挙果西勢減台広容必応演電歳住争談能無再位置企真流格有疑口過"
    "局少放税検藤町常校料沢裁状工建語球営空職証土与急止送援供可役構木割聞身費付施切由説転食比難防補車優夫研収断井何南石足違消境神番規術護展態導鮮備"
    "宅害配副算視条幹独警宮究育席輸訪楽起万着乗店述残想線率病農州武声質念待試族象銀域助労例衛然早張映限親額監環験追審商葉義伝働形景落欧担好退準賞訴辺"
    "造英被株頭技低毎医復仕去姿味負閣韓渡失移差衆個門写評課末守若脳極種美岡影命含福蔵量望松非撃佐核観察整段横融型白深字答夜製票況音申様財港識注呼渉達"
    "惣菜御飯弁類庫納在仕入客様単番号郵便住所氏名電話株式会社"
    "的一是了我不在人有他这为之大来以个中上们到说国和地也子时道出而要于就下得可你年生自会那后能对着事其里所去行过家十用发天如然作方成者多日都三小军二无同"
    "么经法当起与好看学进种将还分此心前面又定见只主没公从产品数量单价销售客户日期库存名称编号订货仓额金总合计元件类别规格供应商地区城市省份联系电话备注预算实际"
    "费用支出项部门员工姓职入开始结束间状态质检采购退款税率利润成营业收苏沪京广东南北西海江湖山福建浙"
)
_RANGES = (
    (0x3041, 0x30FE, 1.0),  # kana
    (0x3000, 0x3020, 0.9),  # CJK punctuation
    (0xFF01, 0xFF5E, 0.9),  # full-width ASCII
    (0x2460, 0x2473, 0.9),  # circled numbers
    (0x00A1, 0x00BF, 0.5),  # Latin-1 signs
    (0x2010, 0x2026, 0.5),  # dashes and quotation marks
    (0x20AC, 0x20AC, 0.5),  # euro sign
)


class Encoding(NamedTuple):
    """`codec` is Python's name; `legacy` is True when it had to be judged by plausibility."""

    codec: str
    legacy: bool


def detect_encoding(path: Path) -> Encoding:
    """The file's encoding. Raises `FileRejected` when no candidate decodes to plausible text."""
    with path.open("rb") as file:
        head = file.read(_CHUNK)
    for bom, codec in _BOMS:
        if head.startswith(bom):
            return _checked(path, codec)
    if head.count(b"\0") * 4 > len(head):
        even_nuls = head[0::2].count(b"\0") > head[1::2].count(b"\0")
        return _checked(path, "utf-16-be" if even_nuls else "utf-16-le")
    if _sample(path, "utf-8") is not None:
        return Encoding("utf-8", False)
    return _most_plausible(path, (*_UNMARKED, *_LEGACY) if b"\0" in head else _LEGACY)


def nul_notes(path: Path, encoding: Encoding) -> tuple[str, ...]:
    """What to say of the NUL characters that `open_text` leaves out; () for a file without any."""
    if not encoding.codec.startswith(("utf-16", "utf-32")):
        with path.open("rb") as raw:
            if not any(b"\0" in chunk for chunk in iter(lambda: raw.read(_CHUNK), b"")):
                return ()
    with path.open(encoding=encoding.codec, errors="strict", newline="") as file:
        counts = [(number, line.count("\0")) for number, line in enumerate(file, 1) if "\0" in line]
    if not counts:
        return ()
    total = sum(count for _, count in counts)
    lines = ", ".join(str(number) for number, _ in counts[:_SAID])
    more = ", …" if len(counts) > _SAID else ""
    one = total == 1
    said = f"{total} NUL character{'' if one else 's'} {'was' if one else 'were'} left out"
    return (f"{said}, in line{'' if len(counts) == 1 else 's'} {lines}{more}.",)


def open_text(path: Path, encoding: Encoding) -> Iterator[str]:
    """Lines with their ends kept as written; every leading BOM and every NUL is dropped (see
    `nul_notes`)."""
    with path.open(encoding=encoding.codec, errors="strict", newline="") as file:
        first = True
        for line in file:
            text = line.lstrip("\ufeff") if first else line
            first = False
            yield text.replace("\0", "")


def _checked(path: Path, codec: str) -> Encoding:
    if _sample(path, codec) is None:
        raise FileRejected(
            f"{path.name} begins like {codec} but holds bytes that are not {codec}.",
            "Save it again as UTF-8.",
        )
    return Encoding(codec, False)


def _most_plausible(path: Path, candidates: tuple[str, ...]) -> Encoding:
    best, best_score = "", 0.0
    for codec in candidates:
        sample = _sample(path, codec)
        if sample is None:
            continue
        score = _plausibility(sample)
        if score > best_score:
            best, best_score = codec, score
    if best_score < _MINIMUM_SCORE:
        _reject_broken_utf8(path)
        raise FileRejected(
            f"The text encoding of {path.name} cannot be told: it is not UTF-8, UTF-16, "
            "Shift_JIS (cp932), EUC-JP, GB18030 or Western (cp1252).",
            "Save it again as UTF-8.",
        )
    return Encoding(best, best in _LEGACY)


def _reject_broken_utf8(path: Path) -> None:
    """Says where a file that else is UTF-8 has bytes that are not; lets others pass."""
    before = 0
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            try:
                line.decode()
            except UnicodeDecodeError as error:
                if before or (number == 1 and error.start and not line[: error.start].isascii()):
                    raise FileRejected(
                        f"{path.name} is UTF-8 but for a byte in line {number} "
                        f"(0x{line[error.start]:02X}, byte {error.start + 1} of the line).",
                        "Correct that line and save it again as UTF-8; the file may be cut off there.",
                    ) from error
                return
            before += not line.isascii()


def _sample(path: Path, codec: str) -> str | None:
    """Decodes the whole file strictly; the lines of its text that are not ASCII, or None."""
    decoder = codecs.getincrementaldecoder(codec)("strict")
    kept: list[str] = []
    size = 0
    try:
        with path.open("rb") as file:
            while True:
                chunk = file.read(_CHUNK)
                text = decoder.decode(chunk, final=not chunk)
                if size < _SAMPLE and not text.isascii():
                    part = "\n".join(line for line in text.splitlines() if not line.isascii())
                    kept.append(part[: _SAMPLE - size])
                    size += len(kept[-1])
                if not chunk:
                    return "\n".join(kept)
    except UnicodeError:
        return None


def _plausibility(text: str) -> float:
    """Mean score of the characters that are not ASCII, from -1 (garbage) to 1 (everyday text)."""
    scores = [
        _score(char, text[index - 1] if index else "\n", text[index + 1 : index + 2])
        for index, char in enumerate(text)
        if not char.isascii()
    ]
    return sum(scores) / len(scores) if scores else 0.0


def _score(char: str, before: str, after: str) -> float:
    point = ord(char)
    for first, last, score in _RANGES:
        if first <= point <= last:
            return 1.0 if char in _COMMON else score
    if 0xFF61 <= point <= 0xFF9F:
        return 0.5 if _is_half_width(before) or _is_half_width(after) else 0.2
    if 0x4E00 <= point <= 0x9FFF:
        return _score_ideograph(char, before, after)
    if 0xC0 <= point <= 0xFF or point in (0x152, 0x153, 0x160, 0x161, 0x17D, 0x17E):
        return _score_latin(before, after)
    return -1.0 if unicodedata.category(char) in ("Cc", "Co", "Cn") else -0.2


def _score_ideograph(char: str, before: str, after: str) -> float:
    if char in _COMMON:
        return 1.0
    lonely = before.isascii() and before.isalpha() and after.isascii() and after.isalpha()
    return 0.0 if lonely else 0.3


def _is_half_width(char: str) -> bool:
    return "\uff61" <= char <= "\uff9f"


def _score_latin(before: str, after: str) -> float:
    """Accented letters stand alone among plain ones in European words."""
    neighbours = [char for char in (before, after) if char and not char.isspace()]
    plain = sum(char.isascii() for char in neighbours)
    return 0.9 if neighbours and plain == len(neighbours) else 0.1
