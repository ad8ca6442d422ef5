"""The questions, the results kept between runs, and the baseline beside them."""

import hashlib
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

ROOMS = ("agent", "tools", "ingest", "reranker")
SETS = {False: ("questions_48.jsonl", "answers_48.jsonl"),
        True: ("questions_open.jsonl", "answers_all.jsonl")}  # fmt: skip
BASELINE_ROWS = {False: "questions_48", True: "questions_open (all)"}


@dataclass(frozen=True)
class Question:
    id: str
    db: str
    text: str
    gold_rows: list[list[Any]]
    gold_sql: str


@dataclass(frozen=True)
class Record:
    """One line of a results file; `key` says which state of the code answered."""

    id: str
    db: str
    status: str
    key: str
    correct: bool = False
    rows_ok: bool = False
    stands_in_text: bool = False
    confidence: float = 0.0
    llm_calls: int = 0
    input_tokens: int = 0
    cached_input_tokens: int = 0
    output_tokens: int = 0
    seconds: float = 0.0
    sql: list[str] = field(default_factory=list)
    text: str = ""
    error: str = ""
    model: str = ""
    trace_id: str = ""


@dataclass(frozen=True)
class Baseline:
    n: int
    one_shot: float
    with_repair: float


def read_questions(data: Path, everything: bool) -> list[Question]:
    """Raises SystemExit naming the file when it is not there."""
    path = data / SETS[everything][0]
    if not path.is_file():
        raise SystemExit(f"{path} does not exist: name the data with --data DIR")
    found = [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]
    return [Question(q["id"], q["db"], q["question"], q["gold_rows"], q["gold_sql"]) for q in found]


def code_key(root: Path, version: str) -> str:
    """Version and a hash over the rooms' .py and .md files: what decides an answer in the code."""
    digest = hashlib.sha256(version.encode())
    for path in sorted(_sources(root)):
        digest.update(f"\0{path.relative_to(root).as_posix()}\0".encode() + path.read_bytes())
    return f"{version}-{digest.hexdigest()[:12]}"


def _sources(root: Path) -> Iterator[Path]:
    for room in ROOMS:
        yield from (p for p in (root / room).rglob("*") if p.suffix in (".py", ".md"))


class Results:
    """A JSON Lines file that grows by one line a question; the last line of an id counts."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def read(self) -> dict[str, Record]:
        """By id. A line cut short by a killed run is passed over."""
        found: dict[str, Record] = {}
        if not self.path.is_file():
            return found
        known = {f.name for f in fields(Record)}
        for line in self.path.read_text("utf-8").splitlines():
            try:
                values = json.loads(line)
            except json.JSONDecodeError:
                continue
            found[values["id"]] = Record(**{k: v for k, v in values.items() if k in known})
        return found

    def append(self, record: Record) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        lead = "\n" if self._cut_short() else ""
        with self.path.open("a", encoding="utf-8") as file:
            file.write(lead + json.dumps(asdict(record), ensure_ascii=False) + "\n")

    def set_aside(self, key: str) -> Path | None:
        """Moves results of another key to a file of that key; None when there are none."""
        others = [r.key for r in self.read().values() if r.key != key]
        if not others:
            return None
        target = self.path.with_name(f"{self.path.stem}.{others[-1]}.jsonl")
        with target.open("ab") as file:
            file.write(self.path.read_bytes())
        self.path.unlink()
        return target

    def _cut_short(self) -> bool:
        written = self.path.read_bytes() if self.path.is_file() else b""
        return bool(written) and not written.endswith(b"\n")


def read_baseline(data: Path) -> dict[str, Baseline]:
    """The rows of BASELINE.md's table by set or database; {} without the file."""
    path = data / "BASELINE.md"
    if not path.is_file():
        return {}
    return dict(_baseline_rows(path.read_text("utf-8").splitlines()))


def _baseline_rows(lines: Iterable[str]) -> Iterator[tuple[str, Baseline]]:
    for line in lines:
        cells = [part.strip() for part in line.strip().strip("|").split("|")]
        if len(cells) >= 4 and re.fullmatch(r"\d+", cells[1]):
            yield cells[0], Baseline(int(cells[1]), float(cells[2]), float(cells[3]))
