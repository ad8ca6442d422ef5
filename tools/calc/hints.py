"""The sandbox's errors as the model should see them: the line, the fault, the next step."""

import re
from collections.abc import Sequence

import pydantic_monty as monty

from tools.calc.functions import HostFunctions, named
from tools.calc.kinds import CALCULATION_ERROR, FORBIDDEN_IMPORT, NOT_HERE, kind_of
from tools.calc.sandbox import HOST_CALLS
from tools.calc.settings import CalcSettings
from tools.errors import ToolRetry

MESSAGE_CHARS = 400
PLAIN_PYTHON = "use rows('E1') and plain Python"
ENDS = re.compile(
    r"SystemExit|KeyboardInterrupt|'(exit|quit)'|attribute '(_?exit|abort|kill|getpid)'"
)
AT_ITS_END = "leave that out: the code ends by itself; end it with an expression or assign `result`"
STEPS: tuple[tuple[str, str], ...] = (
    (r"No module named '(pandas|numpy|polars)'", f"no pandas or numpy here; {PLAIN_PYTHON}"),
    (r"No module named 'statistics'", "write sum(x) / len(x); for a median sort and take the middle"),
    (r"Decimal.*float|float.*Decimal", "amounts are Decimal: write Decimal('1.1') for 1.1, or float(x)"),
    (r"NoneType", "a cell is None (no value): leave it out with `if r['column'] is not None`"),
    (r"ZeroDivisionError|DivisionByZero|InvalidOperation", "check the divisor before dividing"),
    (r"'dict' object has no attribute", "rows are dicts: write row['column']"),
    (r"str.*\b(int|float|Decimal)\b|\b(int|float|Decimal)\b.*str", "convert texts: int(x), Decimal(x)"),
    (r"IndexError", "the list is shorter: check len(rows('E1')) first"),
    (r"cannot suspend", "call it in a for loop, not inside sorted, map or a key function"),
    (r"exceptions can only be called", "raise an exception with one text, or with none"),
    (r"NotImplementedError", "the sandbox lacks this form: write it with simpler statements"),
)  # fmt: skip


def translated(
    error: monty.MontyError, functions: HostFunctions, settings: CalcSettings
) -> ToolRetry:
    """One `ToolRetry` of a named kind for any error of the sandbox."""
    if isinstance(error, monty.MontyCrashedError):
        return _crash(error, settings)
    inner = error.exception()
    if isinstance(error, monty.MontySyntaxError):
        line = _line(error.traceback())
        return ToolRetry("syntax_error", f"Python syntax error{line}: {error}", "mend that line")
    if isinstance(error, monty.MontyRuntimeError):
        limit = _limit(inner, settings)
        if limit is not None:
            return limit
        where = f"{type(inner).__name__}{_line(error.traceback())}"
        message = f"{where}: {inner}"[:MESSAGE_CHARS] if str(inner) else where
        refused = functions.failed
        # The code may have caught that refusal and failed later, of something else.
        if refused is not None and str(refused) == str(inner):
            return ToolRetry(refused.kind, message, refused.hint)
        kind = kind_of(error, inner)
        return ToolRetry(kind, message, _hint(inner, functions, kind))
    return ToolRetry(CALCULATION_ERROR, str(error), PLAIN_PYTHON)


def _crash(error: monty.MontyCrashedError, settings: CalcSettings) -> ToolRetry:
    if error.timed_out:
        return _time_limit(settings)
    hint = "its variables are gone; use numbers, lists and dicts, no classes"
    return ToolRetry("sandbox_crashed", "the sandbox ended while running this code", hint)


def _time_limit(settings: CalcSettings) -> ToolRetry:
    message = f"the calculation was stopped after {settings.time_limit_s:g} s"
    return ToolRetry("time_limit", message, "do less: aggregate in SQL first")


def _limit(inner: BaseException, settings: CalcSettings) -> ToolRetry | None:
    if isinstance(inner, TimeoutError):
        return _time_limit(settings)
    if isinstance(inner, MemoryError):
        message = f"the calculation needs more than {settings.memory_mb} MB"
        return ToolRetry("memory_limit", message, "work on fewer values")
    if isinstance(inner, RecursionError):
        return ToolRetry("recursion_limit", "the recursion is too deep", "use a loop")
    if isinstance(inner, RuntimeError) and "suspension limit" in str(inner):
        message = f"the code calls functions more than {HOST_CALLS} times"
        return ToolRetry("call_limit", message, "read rows('E1') once, before the loop")
    return None


def _line(frames: Sequence[monty.Frame]) -> str:
    """ " in line 2: `y = x / 0`" """
    if not frames:
        return ""
    frame = frames[0]
    source = (frame.source_line or "").strip()
    return f" in line {frame.line}" + (f" `{source[:80]}`" if source else "")


def _hint(inner: BaseException, functions: HostFunctions, kind: str) -> str:
    text = f"{type(inner).__name__}: {inner}"
    columns = functions.inputs.column_names()
    if ENDS.search(text):
        return AT_ITS_END
    if isinstance(inner, KeyError) and columns:
        return f"columns: {', '.join(columns[:30])}"
    if isinstance(inner, NameError) and kind not in NOT_HERE:
        known = ", ".join(list(functions.inputs.evidence)[-30:]) or "none yet"
        return f"define it first; rows(id) and value(id) give evidence ({known}); {named()}"
    steps = STEPS if kind not in NOT_HERE or kind == FORBIDDEN_IMPORT else ()
    fallback = NOT_HERE.get(kind, PLAIN_PYTHON)
    return next((step for pattern, step in steps if re.search(pattern, text)), fallback)
