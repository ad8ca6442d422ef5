"""What a document declares about itself: front matter, sidecar files, and its record."""

import re
from collections.abc import Iterator, Mapping
from datetime import date, datetime
from pathlib import Path

import yaml

from ingest.documents.encoding import decode
from ingest.documents.model import Document
from ingest.store.errors import FileRejected
from ingest.store.records import DocumentRecord, DocumentStatus

_FRONT_MATTER = re.compile(r"\A\s*---[ \t]*\n(.*?)\n(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_MAX_FRONT_MATTER = 64_000
_STATUS_LINE = re.compile(r"^\s*status\s*:", re.MULTILINE)
_DATE = re.compile(r"(\d{4})\s*[-/.年]\s*(\d{1,2})\s*[-/.月]\s*(\d{1,2})\s*日?(?:[T ].*)?$")

FRONT_MATTER_ERROR = "front_matter_error"

_VALIDITY = ("valid_from", "valid_to")
_DATES = ("date", *_VALIDITY)

_STATUS_WORDS: dict[DocumentStatus, str] = {
    "current": "current active effective valid approved 有効 現行 有效 现行 生效",
    "superseded": "superseded replaced obsolete 置き換え済み 置換済み 旧版 已替代 已取代",
    "partly_superseded": "partly_superseded partially_superseded 一部置き換え 部分替代",
    "proposed": "proposed proposal draft 提案 提案中 未承認 草案 下書き 草稿",
    "rejected": "rejected declined 却下 否決 否决 已否决 驳回",
    "deprecated": "deprecated retired 非推奨 廃止 弃用 废弃 已废止",
}
_STATUS = {word: status for status, words in _STATUS_WORDS.items() for word in words.split()}


def split_front_matter(text: str) -> tuple[dict[str, object], str]:
    """(metadata, rest) of a Markdown text.

    Front matter that is not a YAML mapping stays in the text, and the metadata hold only
    `front_matter_error`.
    """
    text = text.lstrip("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    match = _FRONT_MATTER.match(text[:_MAX_FRONT_MATTER])
    if match is None:
        return {}, text
    try:
        loaded = _mapping(match.group(1))
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        if not re.search(r"^[\w-]+\s*:", match.group(1), re.MULTILINE):
            return {}, text  # two horizontal rules, not front matter
        declared = bool(_STATUS_LINE.search(match.group(1)))
        # Without its rules: a line above `---` would be a heading, and the document's title.
        rest = f"{match.group(1)}\n\n{text[match.end() :]}"
        return _broken(error, status=declared), rest
    return loaded, text[match.end() :]


def _broken(error: Exception, *, status: bool) -> dict[str, object]:
    problem = " ".join(str(error).split())
    return {FRONT_MATTER_ERROR: problem, **({"status": "unreadable"} if status else {})}


class _PlainLoader(yaml.BaseLoader):
    """Every scalar is the text that was written: `010` and `2026-02-30` survive. Aliases, with
    which a few lines can describe gigabytes, are refused."""

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            raise yaml.YAMLError("aliases (*name) are not supported")
        return super().compose_node(parent, index)


def _mapping(source: str) -> dict[str, object]:
    # A loader without constructors for objects, so this is as safe as safe_load.
    loaded = yaml.load(source, Loader=_PlainLoader)
    if loaded is None or loaded == "":
        return {}
    if not isinstance(loaded, dict):
        raise ValueError(f"expected `key: value` lines, found a {type(loaded).__name__}")
    return {str(key): value for key, value in loaded.items()}


def read_sidecar(path: Path) -> dict[str, object]:
    """The mapping in `<file name>.yaml` beside `path`; {} without one.

    FileRejected when the sidecar is not a YAML mapping: it was written to be obeyed.
    """
    sidecar = path.with_name(f"{path.name}.yaml")
    if not sidecar.is_file():
        return {}
    try:
        return _mapping(decode(sidecar.read_bytes(), sidecar))
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise FileRejected(
            f"{sidecar.name}: {' '.join(str(error).split())}",
            "mend the sidecar file: one `key: value` a line (status, supersedes, date, …)",
        ) from error


def parse_date(value: object) -> date | None:
    """A date from YAML, or from `2026-04-01`, `2026/4/1`, `2026年4月1日`; None when it is none."""
    if isinstance(value, datetime):
        return value.date()
    if isinstance(value, date):
        return value
    match = _DATE.match(str(value).strip()) if value is not None else None
    if match is None:
        return None
    try:
        return date(*(int(group) for group in match.groups()))
    except ValueError:
        return None


def declaration_problems(metadata: Mapping[str, object]) -> Iterator[str]:
    """What a document declares and cannot be understood, for its owner."""
    if error := metadata.get(FRONT_MATTER_ERROR):
        yield f"its front matter is not read: {error}"
    elif metadata.get("status") and parse_status(metadata) == "unknown":
        yield f"status: {metadata['status']} is none; one of {', '.join(_STATUS_WORDS)}"
    for key in _DATES:
        value = metadata.get(key)
        if value not in (None, "") and parse_date(value) is None:
            yield f"{key}: {value} is no date; write it as 2026-04-01"
    start, end = (parse_date(metadata.get(key)) for key in _VALIDITY)
    if start and end and end < start:
        yield f"valid_to: {end} is before valid_from: {start}, so it never applies"


def parse_status(metadata: Mapping[str, object]) -> DocumentStatus:
    """The declared status; `unknown` for a word that is none, `undeclared` without one."""
    value = metadata.get("status")
    if value is None or not str(value).strip():
        return "superseded" if metadata.get("superseded_by") else "undeclared"
    word = re.sub(r"[\s-]+", "_", str(value).strip().lower())
    return _STATUS.get(word, "unknown")


def _names(value: object) -> tuple[str, ...]:
    if value is None:
        return ()
    values = value if isinstance(value, list | tuple) else [value]
    return tuple(str(item).strip() for item in values if item is not None and str(item).strip())


def document_record(
    document: Document, *, doc_id: str, kb: str, source: str, sha256: str, chunks: int
) -> DocumentRecord:
    """The document's line in the status index. Values that cannot be read are left out,
    an unreadable status is `unknown`; none of them stops the document."""
    metadata = document.metadata
    return DocumentRecord(
        doc_id=doc_id,
        kb=kb,
        source=source,
        title=document.title,
        language=document.language,
        sha256=sha256,
        pages=document.pages,
        chunks=chunks,
        document_date=parse_date(metadata.get("date")),
        declared=parse_status(metadata),
        supersedes=_names(metadata.get("supersedes")),
        partly_supersedes=_names(metadata.get("partly_supersedes")),
        superseded_by=next(iter(_names(metadata.get("superseded_by"))), None),
        valid_from=parse_date(metadata.get("valid_from")),
        valid_to=parse_date(metadata.get("valid_to")),
    )
