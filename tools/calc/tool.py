"""`CalculationTool`: Python over evidence, in a sandbox, with what it used written down."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import pydantic_monty as monty
from pydantic import Field

from reranker.language import language_of
from tools.base import Arguments, ToolContext
from tools.calc.forecast import Forecaster
from tools.calc.functions import FUNCTIONS, HostFunctions
from tools.calc.hints import time_limit, translated
from tools.calc.inputs import EvidenceInputs
from tools.calc.outputs import as_table, checked, to_json_value
from tools.calc.sandbox import KILL_AFTER_S, Sandbox
from tools.calc.settings import CalcSettings
from tools.errors import ToolRetry
from tools.evidence import Evidence, content_hash
from tools.sql.render import render_rows
from tools.tokens import estimate_tokens

VARIABLES_KEPT = 50
VARIABLE_VALUES = 1_000
TEXT_TOKENS = 150
FORECAST = Forecaster.seasonal_forecast.__name__


class CalculationArguments(Arguments):
    code: str = Field(
        description="Python; rows('E1') gives a list of dicts, value('E1') the one cell; "
        "end with an expression or assign `result`"
    )


@dataclass(frozen=True)
class CalculationResult:
    """`result` and `variables` are JSON values (DECIMAL as text); `inputs` the evidence used."""

    code: str
    result: object
    log: str
    variables: Mapping[str, object]
    inputs: tuple[str, ...]
    exact: object
    """The result with `Decimal` and dates kept."""
    notes: tuple[str, ...] = ()
    """What an answer that rests on it must say along."""

    @property
    def text(self) -> str:
        return f"result: {_shown(self.result)}" + (
            f"\nlog: {self.log.rstrip()}" if self.log.strip() else ""
        )

    def evidence(self) -> Sequence[Evidence]:
        columns, rows = as_table(self.exact)
        used = ", ".join(self.inputs)
        return [
            Evidence(
                kind="calculation",
                tool=CalculationTool.name,
                source=used,
                locator=f"calculation from {used}" if used else "calculation without evidence",
                query=self.code,
                columns=columns,
                rows=rows,
                row_count=len(rows),
                hash=content_hash(columns, rows, self.text),
                text=self.text,
                inputs=self.inputs,
                notes=self.notes,
            )
        ]

    def for_model(self, ids: Sequence[str]) -> str:
        columns, rows = as_table(self.exact)
        if len(rows) > 1 or len(columns) > 1:
            body = render_rows(columns, rows, row_count=len(rows), notes=self.notes)
        else:
            notes = [f"note: {_short(note)}" for note in self.notes]
            body = "\n".join([f"result: {_short(_shown(self.result))}", *notes])
        log = [f"log: {_short(self.log.strip())}"] if self.log.strip() else []
        return "\n".join([*(f"[{i}]" for i in ids[:1]), body, *log])

    def summary(self) -> str:
        return f"calculated {_shown(self.result)}"[:120]

    def to_json(self) -> dict[str, object]:
        """`notes` only where there are any."""
        notes = {"notes": list(self.notes)} if self.notes else {}
        found = {"result": self.result, "log": self.log, "variables": dict(self.variables)}
        return {**found, **notes}


@dataclass
class CalculationTool:
    """Runs Python in a pool of sandbox workers; `close` ends them."""

    name: ClassVar[str] = "calculate"
    description: ClassVar[str] = (
        "Calculate in Python from evidence: rows('E1') is a list of dicts, value('E1') the one "
        "cell of a one-cell result, column('E1', 'name') a column. Never retype figures. No pandas, "
        "no files. End with an expression or assign `result`. Functions (help('growth') explains): "
        f"{', '.join(FUNCTIONS)}"
    )
    arguments: ClassVar[type[Arguments]] = CalculationArguments

    settings: CalcSettings = field(default_factory=CalcSettings)
    _sandbox: Sandbox = field(init=False, repr=False)
    _forecaster: Forecaster = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._sandbox = Sandbox(self.settings)
        self._forecaster = Forecaster(self.settings.time_limit_s)

    def run(self, arguments: Arguments, context: ToolContext) -> CalculationResult:
        assert isinstance(arguments, CalculationArguments)
        code = arguments.code
        _require_code(code, self.settings.max_code_chars)
        inputs = EvidenceInputs(context.evidence)
        language = language_of(context.question or "", kanji="ja")
        limit = self.settings.time_limit_s
        functions = HostFunctions(inputs, self._forecaster, language, limit)
        self.prepare(arguments)
        try:
            outcome = self._sandbox.run(code, functions.table, context.today)
        except monty.MontyError as error:
            raise translated(error, functions, self.settings) from error
        # The worker's clock stands while the functions that it calls run.
        if outcome.seconds > limit + KILL_AFTER_S:
            raise time_limit(self.settings)
        exact = checked(outcome.result)
        if exact is None and not outcome.log.strip():
            hint = "end the code with an expression, or assign `result`"
            raise ToolRetry("no_result", "the code gave no value", hint)
        return CalculationResult(
            code=code,
            result=to_json_value(exact),
            log=outcome.log,
            variables=_variables(outcome.variables),
            inputs=tuple(inputs.used),
            exact=exact,
            notes=functions.notes,
        )

    def prepare(self, arguments: Arguments) -> None:
        """Loads the statistics library where the code names the function that needs it: the first
        load takes longer than a calculation may."""
        if isinstance(arguments, CalculationArguments) and FORECAST in arguments.code:
            self._forecaster.prepare()

    def close(self) -> None:
        self._sandbox.close()


def _require_code(code: str, most: int) -> None:
    """Raises `ToolRetry`: code_length, syntax_error."""
    hint = f"write 1 to {most} characters of Python"
    if not code.strip():
        raise ToolRetry("code_length", "there is no code", hint)
    if len(code) > most:
        raise ToolRetry("code_length", f"the code has {len(code)} characters", hint)
    try:
        code.encode()
    except UnicodeEncodeError as error:
        message = f"character {error.start + 1} of the code is half a character"
        raise ToolRetry("syntax_error", message, "send the code as UTF-8 text") from None
    if "\x00" in code:
        message = f"character {code.index(chr(0)) + 1} of the code is NUL"
        raise ToolRetry("code_length", message, f"leave it out; {hint}")


def _variables(found: Mapping[str, object]) -> dict[str, object]:
    """Those that are values; what can't be shown is named, not hidden."""
    kept: dict[str, object] = {}
    for name, value in list(found.items())[:VARIABLES_KEPT]:
        try:
            kept[name] = to_json_value(checked(value, VARIABLE_VALUES))
        except ToolRetry as error:
            kept[name] = f"({error.kind})"
    return kept


def _shown(result: object) -> str:
    return result if isinstance(result, str) else json.dumps(result, ensure_ascii=False)


def _short(text: str) -> str:
    while estimate_tokens(text) > TEXT_TOKENS:
        text = text[: len(text) * 3 // 4] + "…"
    return text
