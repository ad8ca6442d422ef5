"""What every batch engine shares: the input lines, the output file, the summary."""

import fcntl
import json
import os
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from agent.errors import UsageError

if TYPE_CHECKING:
    from agent.api import Agent

_LINE_HEAD = b'{"id": '


@dataclass(frozen=True)
class Question:
    """One input line. Questions of one `thread` are a conversation, asked in order."""

    id: str
    question: str
    thread: str | None = None


@dataclass
class Summary:
    """Counts of a run; `failed` were not written and are tried again by the next run, while
    `statuses["failed"]` are lines with an error."""

    statuses: Counter[str] = field(default_factory=Counter)
    skipped: int = 0
    failed: list[tuple[str, str]] = field(default_factory=list)
    left: int = 0
    cost: Decimal | None = None

    @property
    def ok(self) -> bool:
        return not (self.failed or self.statuses["failed"])

    def to_json(self) -> dict[str, Any]:
        return {
            "finished": dict(self.statuses),
            "skipped": self.skipped,
            "failed": [{"id": i, "message": m} for i, m in self.failed],
            "left": self.left,
            "cost": None if self.cost is None else str(self.cost),
        }

    def line(self) -> str:
        counts = ", ".join(f"{n} {s}" for s, n in sorted(self.statuses.items())) or "none finished"
        more = [f"{self.skipped} done before" if self.skipped else ""]
        more.append(f"{len(self.failed)} failed" if self.failed else "")
        more.append(f"{self.left} left (cost limit)" if self.left else "")
        return ", ".join(filter(None, [counts, *more]))


class BatchEngine(Protocol):
    """Runs questions and appends each finished one to `out` at once."""

    def run(
        self,
        agent: "Agent",
        questions: Sequence[Question],
        out: Path,
        *,
        concurrency: int = 1,
        max_cost: Decimal | None = None,
        progress: Callable[[str], None] = lambda text: None,
    ) -> Summary: ...


def read_questions(path: Path) -> list[Question]:
    """The input lines. Raises UsageError naming the line that cannot be read."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(
            f"{path} cannot be read: {error}", "give a UTF-8 JSON-lines file"
        ) from None
    questions: dict[str, Question] = {}
    # Only a line feed ends a line: JSON texts may hold U+2028 and other breaks as they are.
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            question = _question(line, f"{path}, line {number}")
            if question.id in questions:
                raise UsageError(
                    f"{path}, line {number}: id {question.id!r} stands twice", "make ids unique"
                )
            questions[question.id] = question
    return list(questions.values())


def _question(line: str, where: str) -> Question:
    try:
        value = json.loads(line)
        asked, thread = value["question"], value.get("thread")
        if not isinstance(asked, str) or not isinstance(value["id"], str | int):
            raise TypeError
        return Question(str(value["id"]), asked, thread and str(thread))
    except (ValueError, KeyError, TypeError, AttributeError):
        raise UsageError(
            f"{where} is no question", 'each line is {"id": "…", "question": "…"}'
        ) from None


@contextmanager
def only_writer(out: Path) -> Iterator[None]:
    """Holds the output file for one batch; the kernel lets go of it when the process dies.

    Raises UsageError when another batch writes to it, or it cannot be written.
    """
    try:
        descriptor = os.open(out, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    except OSError as error:
        raise _unwritable(out, error) from None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        raise UsageError(
            f"another batch is writing to {out}",
            "wait until it has finished, or name another --out file",
        ) from None
    except OSError:
        pass  # a file system without locks
    try:
        yield
    finally:
        os.close(descriptor)


def _unwritable(out: Path, error: OSError) -> UsageError:
    return UsageError(f"{out} cannot be written: {error.strerror}", "name another --out file")


class Output:
    """The output file: appended a whole line at a time, and synced."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.finished = self._finished()

    def write(self, record: dict[str, Any]) -> None:
        line = json.dumps(record, ensure_ascii=False, default=str) + "\n"
        with self._path.open("ab") as file:
            # A lone surrogate is written as the JSON escape that it came from.
            file.write(line.encode("utf-8", "backslashreplace"))
            file.flush()
            os.fsync(file.fileno())

    def _finished(self) -> set[str]:
        """The ids already there. A torn last line (a killed run) is cut off."""
        if not self._path.exists():
            self._touch()
            return set()
        *lines, tail = self._read().split(b"\n")
        ids = set()
        for number, line in enumerate(lines, start=1):
            try:
                ids.add(str(json.loads(line)["id"]))
            except (ValueError, KeyError, TypeError):
                raise self._foreign(number) from None
        if not (tail.startswith(_LINE_HEAD) or _LINE_HEAD.startswith(tail)):
            raise self._foreign(len(lines) + 1)
        if tail:
            os.truncate(self._path, sum(len(line) + 1 for line in lines))
        return ids

    def _foreign(self, number: int) -> UsageError:
        return UsageError(
            f"{self._path}, line {number} is not a line of a batch",
            "name another --out file, or remove that line",
        )

    def _read(self) -> bytes:
        try:
            return self._path.read_bytes()
        except OSError as error:
            raise UsageError(
                f"{self._path} cannot be read: {error.strerror}", "name another --out file"
            ) from None

    def _touch(self) -> None:
        try:
            self._path.touch()
        except OSError as error:
            raise _unwritable(self._path, error) from None
