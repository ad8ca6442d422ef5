"""The local engine: conversations side by side in this process."""

import asyncio
import sqlite3
from collections.abc import Callable, Sequence
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING

from agent.answer import Answer
from agent.batch.base import Output, Question, Summary, only_writer
from agent.errors import AgentError, UsageError
from ingest.store.errors import IngestError
from tools.errors import ToolError

if TYPE_CHECKING:
    from agent.api import Agent

ASK = "to try it again, remove this line and run the batch again"


class LocalEngine:
    """Up to `concurrency` questions at a time; those of one thread one after the other."""

    def run(
        self,
        agent: "Agent",
        questions: Sequence[Question],
        out: Path,
        *,
        concurrency: int = 1,
        max_cost: Decimal | None = None,
        progress: Callable[[str], None] = lambda text: None,
    ) -> Summary:
        with only_writer(out):
            run = _Run(agent, Output(out), max_cost, progress, len(questions))
            asyncio.run(run.all(_conversations(questions), concurrency))
        return run.summary


class _Run:
    def __init__(
        self,
        agent: "Agent",
        output: Output,
        max_cost: Decimal | None,
        progress: Callable[[str], None],
        total: int,
    ) -> None:
        self.summary = Summary()
        self._agent = agent
        self._output = output
        self._max_cost = max_cost
        self._progress = progress
        self._total = total

    async def all(self, conversations: Sequence[Sequence[Question]], concurrency: int) -> None:
        room = asyncio.Semaphore(concurrency)

        async def one(conversation: Sequence[Question]) -> None:
            async with room:
                for at, question in enumerate(conversation):
                    if not await self._one(question):
                        self._not_asked(question, conversation[at + 1 :])
                        return

        async with asyncio.TaskGroup() as group:
            for conversation in conversations:
                group.create_task(one(conversation))

    def _not_asked(self, failed: Question, rest: Sequence[Question]) -> None:
        """A follow-up without the question before it would be read wrongly."""
        for question in rest:
            if question.id not in self._output.finished:
                why = f"not asked: {failed.id}, before it in its thread, was not answered"
                self.summary.failed.append((question.id, why))

    async def _one(self, question: Question) -> bool:
        """False when what follows it in its thread cannot be asked."""
        if question.id in self._output.finished:
            self.summary.skipped += 1
            return True
        if self._too_dear():
            self.summary.left += 1
            return True
        try:
            answer = await self._agent.aask(question.question, thread_id=question.thread)
        except UsageError as error:
            # The question itself is wrong: it would fail again, so its line is final.
            self._write_error(question, error.kind, error.message, error.hint)
        except (AgentError, IngestError, ToolError, sqlite3.Error, OSError) as error:
            self.summary.failed.append((question.id, str(error)))
            self._progress(f"{question.id}: {error}")
            return False
        except Exception as error:  # noqa: BLE001  one question's defect is not the batch's end
            reason = f"{type(error).__name__}: {(str(error).splitlines() or [''])[0]}"
            self._write_error(question, "internal", reason, "this is a defect of zaiko; " + ASK)
            self._progress(f"{question.id}: {reason}")
            return False
        else:
            self._write(question, answer)
        return True

    def _write_error(self, question: Question, kind: str, message: str, hint: str) -> None:
        """A final line: the next run does not try the question again."""
        error = {"kind": kind, "message": message, "hint": hint}
        self._output.write({"id": question.id, "status": "failed", "error": error})
        self.summary.statuses["failed"] += 1

    def _write(self, question: Question, answer: Answer) -> None:
        self._output.write({"id": question.id, **answer.to_json()})
        self.summary.statuses[answer.status] += 1
        if answer.usage.cost is not None:
            self.summary.cost = (self.summary.cost or Decimal(0)) + answer.usage.cost
        done = self.summary.skipped + sum(self.summary.statuses.values())
        seconds = answer.timing.total_ms / 1000
        self._progress(f"{done}/{self._total} {question.id}: {answer.status}, {seconds:.1f} s")

    def _too_dear(self) -> bool:
        spent = self.summary.cost or Decimal(0)
        return self._max_cost is not None and spent >= self._max_cost


def _conversations(questions: Sequence[Question]) -> list[list[Question]]:
    """Questions without a thread stand alone; the others keep their order in it."""
    grouped: dict[str, list[Question]] = {}
    for question in questions:
        grouped.setdefault(question.thread or f"\0{question.id}", []).append(question)
    return list(grouped.values())
