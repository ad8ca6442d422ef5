"""Bytes of a text file to characters: byte order marks, UTF-8, then the East Asian encodings.
ISO-2022-JP (e-mail) is seven bits wide, so its escape sequences are looked for before UTF-8.

Each legacy candidate must decode strictly; among those that do, the most plausible text wins.
A text of ASCII letters with single bytes of another kind among them is Western (cp1252): to a
double-byte encoding such a byte and the letter behind it are a rare character.
"""

import codecs
import re
from pathlib import Path

from ingest.store.errors import FileRejected

_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
    (b"\x84\x31\x95\x33", "gb18030"),
)
_ISO_2022_JP = re.compile(rb"\x1b\$[@B]|\x1b\(I|\x1b\$\(D")
"""Escapes to JIS C 6226, JIS X 0208, half-width katakana and JIS X 0212 (RFC 1468, RFC 2237)."""
_LEGACY = ("cp932", "euc_jp", "gb18030", "utf-16-le", "utf-16-be")
_PLAIN = re.compile(rb"[A-Za-z0-9\s.,;:'\"()-]")
_HIGH_RUN = re.compile(rb"[\x80-\xff]+")
_WESTERN = re.compile("[À-ÖØ-öø-ÿŒœŠšŽž’‘“”–—…•€£¥§©®™°±²³·¼½¾«»¿¡ºª\xa0]")
_MIN_PLAIN, _MIN_WESTERN, _MIN_ALONE = 0.8, 0.9, 0.7
_MIN_PLAUSIBILITY = 0.5
_SAMPLE_CHARS = 20_000
_HINT = "save the file as UTF-8 and ingest it again"


def decode(data: bytes, path: Path) -> str:
    """The text of `data`; FileRejected when no encoding gives a plausible text."""
    for bom, encoding in _BOMS:
        if data.startswith(bom):
            return _strict(data, encoding, path)
    if data.isascii() and _ISO_2022_JP.search(data):
        return _strict(data, "iso2022_jp_ext", path)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        text = _decode_legacy(data, f"{path.name}: line {line} is not UTF-8, and the file is")
    if _is_binary(text):
        text = _decode_bare_utf16(data, f"{path.name}:")
    return text


def _strict(data: bytes, encoding: str, path: Path) -> str:
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        raise FileRejected(
            f"{path.name}: marked as {encoding} but byte {error.start} does not decode", _HINT
        ) from error


def _decode_legacy(data: bytes, problem: str) -> str:
    plain = _is_plain(data)
    if plain and (western := _western(data)):
        return western
    best, best_score = "", 0.0
    for encoding in _LEGACY:
        if plain and encoding.startswith("utf-16"):
            continue
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError:
            continue
        score = _score(text[:_SAMPLE_CHARS], encoding)
        if score > best_score:
            best, best_score = text, score
    if best_score < _MIN_PLAUSIBILITY:
        best = _decode_bare_utf16(data, problem)
    return best


def _is_plain(data: bytes) -> bool:
    """Is nearly every byte an ASCII letter? In UTF-16 they are half of the bytes at most."""
    return len(_PLAIN.findall(data)) >= _MIN_PLAIN * len(data)


def _western(data: bytes) -> str:
    """`data` as cp1252; "" when its other bytes come in pairs, or are no letters and marks."""
    runs = _HIGH_RUN.findall(data)
    try:
        text = data.decode("cp1252")
    except UnicodeDecodeError:
        return ""
    known = len(_WESTERN.findall(text)) >= _MIN_WESTERN * sum(map(len, runs))
    alone = sum(1 for run in runs if len(run) == 1) >= _MIN_ALONE * len(runs)
    return text if known and alone else ""


def _score(text: str, encoding: str) -> float:
    if encoding.startswith("utf-16"):
        return max(_plausibility(text, "euc_jp"), _plausibility(text, "gb18030"))
    return _plausibility(text, encoding)


def _plausibility(text: str, encoding: str) -> float:
    """Share of the non-ASCII characters that everyday text in this encoding consists of."""
    rare = [char for char in text if ord(char) > 0x7F]
    if not rare:
        return 0.0
    scores = [_weight(char, encoding) for char in rare]
    kana = sum(1 for char in rare if "\u3041" <= char <= "\u30fe") / len(rare)
    # GB 2312 and EUC-JP share the codes of kana: kana decide for Japanese, their absence
    # in a longer text against it.
    if encoding == "gb18030" and kana > 0.05:
        return 0.1
    if encoding == "euc_jp" and len(rare) > 30 and kana < 0.02:
        return 0.1
    return sum(scores) / len(scores)


def _weight(char: str, encoding: str) -> float:
    if "\u3000" <= char <= "\u30fe" or "\uff01" <= char <= "\uff5e" or char in "“”‘’—…·":
        return 1.0
    if "\uff61" <= char <= "\uff9f":
        return 0.1
    if not "\u4e00" <= char <= "\u9fff":
        return 0.3
    table, last_common = ("gb2312", 0xD7) if encoding == "gb18030" else ("euc_jp", 0xCF)
    try:
        lead = char.encode(table)[0]
    except UnicodeEncodeError:
        return 0.0
    # The first level of both standards (rows 16 on) holds the characters in common use.
    return 1.0 if 0xB0 <= lead <= last_common else 0.4


def _is_binary(text: str) -> bool:
    sample = text[:_SAMPLE_CHARS]
    controls = sum(1 for char in sample if ord(char) < 32 and char not in "\t\n\r\f\x1b")
    return controls > len(sample) * 0.1


def _decode_bare_utf16(data: bytes, problem: str) -> str:
    for encoding, zero in () if _is_plain(data) else (("utf-16-le", 1), ("utf-16-be", 0)):
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError:
            continue
        sample = data[zero:4000:2]
        latin = sample.count(0) >= len(sample) * 0.2
        if not _is_binary(text) and (latin or _score(text[:2000], encoding) > 0.8):
            return text
    raise FileRejected(f"{problem} not a text file, or in an unknown encoding", _HINT)
