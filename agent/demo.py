"""`make demo`: the sample company is ingested and three questions are answered by the real model.

Every answer is made anew, in a thread of its own; only unchanged files are not read again.
"""

import argparse
import json
import re
import shutil
import sys
import threading
import time
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from types import TracebackType

from agent.answer import Answer
from agent.errors import AgentError, UsageError
from agent.models.llama_server import wait_passively
from agent.models.weights import ensure_weights
from agent.settings import Settings, load_settings
from ingest.store.errors import IngestError
from reranker.errors import RerankerError
from tools.errors import ToolError

TODAY = date(2026, 11, 30)
"""The sample company's data end on this day."""
SILENCE_S = 10.0
KNOWN = (AgentError, IngestError, RerankerError, ToolError)
Ask = Callable[[str], Answer]


@dataclass(frozen=True)
class Example:
    """A question and the values that its answer must show."""

    question: str
    expected: tuple[str, ...]


class Clock:
    """Prints lines with the seconds since the start, and one when nothing was said for a while."""

    def __init__(self) -> None:
        self._start = time.monotonic()
        self._spoke = self._start
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._beat, daemon=True)

    def say(self, text: str) -> None:
        self._spoke = time.monotonic()
        print(f"  {self.seconds:6.1f} s  {text}", flush=True)

    @property
    def seconds(self) -> float:
        return time.monotonic() - self._start

    def _beat(self) -> None:
        while not self._done.wait(1.0):
            if time.monotonic() - self._spoke >= SILENCE_S:
                self.say("… still working")

    def __enter__(self) -> "Clock":
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        tb: TracebackType | None,
    ) -> None:
        self._done.set()
        self._thread.join()


def main(arguments: Sequence[str] | None = None) -> int:
    """0: three answers, delivered or honestly handed off; 1: one could not be made at all."""
    options = _options(arguments)
    wait_passively()
    try:
        with Clock() as clock:
            settings = embedded(load_settings(options.data_dir))
            ensure_weights(settings.model, clock.say)
            if options.fetch_only:
                return 0
            return _demo(options, settings, clock)
    except KNOWN as error:
        _report(error)
        return 1
    except KeyboardInterrupt:
        print("interrupted; what was finished is kept", file=sys.stderr)
        return 130


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m agent.demo", description=main.__doc__)
    parser.add_argument("--data-dir", type=Path, default=Path(".demo"))
    parser.add_argument("--company", type=Path, default=Path("eval_data/company"))
    parser.add_argument("--questions", type=Path, default=Path("eval_data/demo.json"))
    parser.add_argument("--fetch-only", action="store_true", help="only fetch the model's weights")
    return parser.parse_args(arguments)


def embedded(settings: Settings) -> Settings:
    """The demo needs no key and no network: a key in the environment changes nothing."""
    model = settings.model.model_copy(update={"provider": "embedded"})
    return settings.model_copy(update={"model": model})


def read_examples(path: Path) -> list[Example]:
    """Raises UsageError for a file that is not a list of {"question", "expected"}."""
    try:
        items = json.loads(path.read_text(encoding="utf-8"))
        return [Example(str(i["question"]), tuple(map(str, i["expected"]))) for i in items]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UsageError(
            f"{path} cannot be read: {error}", "run the demo in the repository's folder"
        ) from None


def _demo(options: argparse.Namespace, settings: Settings, clock: Clock) -> int:
    examples = read_examples(options.questions)
    print(f"\nReading the sample company: {options.company} into {options.data_dir}", flush=True)
    _ingest(options, settings, clock)
    answers = _answers(options.data_dir, settings, examples, clock)
    _close(options.data_dir, answers, clock.seconds)
    return 0 if all(answers) else 1


def _ingest(options: argparse.Namespace, settings: Settings, clock: Clock) -> None:
    from ingest.pipeline import Changes, Progress, run_ingest  # noqa: PLC0415  after wait_passively

    last = 0.0

    def hear(progress: Progress) -> None:
        nonlocal last
        if progress.done >= progress.total or time.monotonic() - last >= 1.0:
            last = time.monotonic()
            clock.say(f"{progress.stage}: {progress.done}/{progress.total} {progress.path}")

    def count(name: str, changes: Changes) -> str:
        new = changes.added + changes.updated + changes.moved
        return f"{new} {name} read, {changes.unchanged} unchanged"

    report = run_ingest(
        options.data_dir, [options.company], settings=settings.ingest_with_kb, progress=hear
    )
    read = f"{count('tables', report.tables)}; {count('documents', report.documents)}"
    clock.say(f"{read}; {report.chunks} chunks, data revision {report.data_revision}")
    for failure in (*report.tables.failed, *report.documents.failed):
        clock.say(f"failed: {failure.path}: {failure.reason}")
    # What a user would write about the tables; the model reads it with the catalog.
    shutil.copyfile(options.company.parent / "catalog.yaml", options.data_dir / "catalog.yaml")


def _answers(
    data_dir: Path, settings: Settings, examples: Sequence[Example], clock: Clock
) -> list[Answer | None]:
    from agent.api import Agent  # noqa: PLC0415  after wait_passively

    answers: list[Answer | None] = []
    with Agent(
        settings, data_dir, today=TODAY, on_event=lambda kind, text: clock.say(f"{kind}: {text}")
    ) as agent:
        for number, example in enumerate(examples, start=1):
            print(f"\nQuestion {number} of {len(examples)}: {example.question}\n", flush=True)
            answers.append(_answer(agent.ask, example))
    return answers


def _answer(ask: Ask, example: Example) -> Answer | None:
    """The answer, printed; None when an error ended it."""
    from agent.cli.ask import render_answer  # noqa: PLC0415  after wait_passively

    try:
        answer = ask(example.question)
    except KNOWN as error:
        _report(error)
        return None
    print(f"\n{render_answer(answer)}\n")
    for value in example.expected:
        print(f"  {'✓' if shows(answer.text, value) else '✗'} expected in the answer: {value}")
    if answer.status == "handed_off":
        print("  handed to a person: the model's draft could not be proved, so it is not delivered")
    return answer


def shows(text: str, value: str) -> bool:
    """Whether `value` (digits and perhaps a unit) stands in `text` as a number of its own.

    Full-width digits, thousands separators and a fraction of zeros make no difference.
    """
    plain = re.sub(r"(?<=\d),(?=\d{3})", "", unicodedata.normalize("NFKC", text))
    unit = value.lstrip("0123456789")
    number = value[: len(value) - len(unit)]
    pattern = rf"(?<![\d.]){number}(?:\.0+)?(?![\d]|\.\d)" if number else ""
    return re.search(rf"{pattern}\s*{re.escape(unit)}", plain) is not None


def _report(error: Exception) -> None:
    print(f"error: {error}", file=sys.stderr)
    if hint := getattr(error, "hint", ""):
        print(f"next: {hint}", file=sys.stderr)


def _close(data_dir: Path, answers: Sequence[Answer | None], seconds: float) -> None:
    made = [answer for answer in answers if answer is not None]
    off = sum(a.status == "handed_off" for a in made)
    failed = len(answers) - len(made)
    print(
        f"\n{len(made) - off} of {len(answers)} questions answered"
        + (f", {off} handed to a person" if off else "")
        + (f", {failed} failed" if failed else "")
        + f", {seconds:.0f} s in all.\n\nTo go on:"
    )
    zaiko, here = ".venv/bin/zaiko", f"--data-dir {data_dir}"
    print(f'  {zaiko} ask "How many units of XR-4200 are in stock?" --today {TODAY} {here}')
    if made:
        print(f"  {zaiko} trace {made[-1].trace_id} {here}")
    print(f"  {zaiko} handoff list {here}")


if __name__ == "__main__":
    sys.exit(main())
