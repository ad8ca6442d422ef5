import time
from collections.abc import Callable

import pytest

from tools.calc.tool import CalculationResult
from tools.errors import ToolRetry
from tools.evidence import Column
from tools.tokens import estimate_tokens

Calculate = Callable[[str], CalculationResult]


def failure(calculate: Calculate, code: str) -> ToolRetry:
    with pytest.raises(ToolRetry) as error:
        calculate(code)
    return error.value


def test_the_last_expression_is_the_result(calculate: Calculate) -> None:
    assert calculate("x = 20\nx + 1").to_json() == {
        "result": 21,
        "log": "",
        "variables": {"x": 20},
    }


def test_the_variable_result_is_the_result_when_no_expression_ends_the_code(
    calculate: Calculate,
) -> None:
    assert calculate("result = [3, 1]\nresult.sort()").result == [1, 3]


def test_decimals_arrive_exact_and_leave_as_text(calculate: Calculate) -> None:
    result = calculate("sum(r['amount'] for r in rows('E1'))")
    evidence = result.evidence()[0]
    assert result.result == "250.30"
    assert evidence.columns == (Column(name="result", type="DECIMAL"),)
    assert evidence.rows == (("250.30",),)


def test_the_evidence_names_what_was_used_and_the_code(calculate: Calculate) -> None:
    code = "print('share')\nround(rows('E1')[0]['amount'] / value('E2'), 2)"
    evidence = calculate(code).evidence()[0]
    assert (evidence.kind, evidence.source, evidence.inputs) == (
        "calculation", "E1, E2", ("E1", "E2"),
    )  # fmt: skip
    assert evidence.query == code
    assert evidence.text == "result: 12.51\nlog: share"


def test_a_big_integer_cell_is_an_integer(calculate: Calculate) -> None:
    assert calculate("value('E2') + 1").result == 17


def test_dates_are_iso_texts_and_the_clock_is_the_callers(calculate: Calculate) -> None:
    code = "(date.today() - date.fromisoformat(rows('E1')[0]['sold_on'])).days"
    assert calculate(code).result == 85


@pytest.mark.parametrize(
    ("code", "columns", "rows"),
    [
        ("[{'a': 1, 'b': 'x'}, {'a': 2}]", ["a:BIGINT", "b:VARCHAR"], ((1, "x"), (2, None))),
        ("{'a': 1, 'b': Decimal('2.5')}", ["a:BIGINT", "b:DECIMAL"], ((1, "2.5"),)),
        ("[(1, 0.5), (2, 1)]", ["column1:BIGINT", "column2:DOUBLE"], ((1, 0.5), (2, 1))),
        ("[3, Decimal('1.5')]", ["result:DECIMAL"], (("3",), ("1.5",))),
        ("2**70", ["result:HUGEINT"], (("1180591620717411303424",),)),
        ("date(2026, 1, 31)", ["result:DATE"], (("2026-01-31",),)),
        ("True", ["result:BOOLEAN"], ((True,),)),
        ("[1, 'a']", ["result:VARCHAR"], (("1",), ("a",))),
        ("[[1, [2]]]", [], ()),
    ],
)
def test_a_result_becomes_a_table_when_it_has_that_shape(
    code: str, columns: list[str], rows: object, calculate: Calculate
) -> None:
    evidence = calculate(code).evidence()[0]
    assert [f"{c.name}:{c.type}" for c in evidence.columns] == columns
    assert evidence.rows == rows


@pytest.mark.parametrize(
    ("code", "kind", "word"),
    [
        ("rows('E9')", "unknown_evidence", "E1, E2, E3, E4"),
        ("rows(1)", "unknown_evidence", "E1, E2, E3, E4"),
        ("value('E1')", "not_one_cell", "E1"),
        ("rows('E3')", "no_rows", "E1"),
        ("rows('E4')", "truncated_evidence", "E1"),
        ("import pandas as pd", "forbidden_import", "no pandas"),
        ("import numpy", "forbidden_import", "rows('E1')"),
        ("import statistics", "forbidden_import", "sum(x) / len(x)"),
        ("open('/etc/passwd').read()", "file_access", "files"),
        ("import os\nos.system('ls')", "system_access", "plain Python"),
        ("rows('E1')[0]['amount'] * 1.1", "calculation_error", "Decimal('1.1')"),
        ("rows('E1')[1]['quantity'] + 1", "calculation_error", "None"),
        ("rows('E1')[0]['price']", "calculation_error", "columns: city, amount"),
        ("rows('E1')[0].city", "calculation_error", "row['column']"),
        ("rows('E1')[5]", "calculation_error", "len(rows('E1'))"),
        ("1 / 0", "calculation_error", "divisor"),
        ("total + 1", "unknown_name", "rows(id)"),
        ("x = (1", "syntax_error", "line"),
        ("", "code_length", "Python"),
        ("1\x00", "code_length", "Python"),
        ("x = 1", "no_result", "result"),
    ],
)
def test_an_error_has_a_kind_and_says_what_to_do(
    code: str, kind: str, word: str, calculate: Calculate
) -> None:
    error = failure(calculate, code)
    assert error.kind == kind
    assert word in error.hint


@pytest.mark.parametrize(
    "code",
    ["raise SystemExit", "exit()", "quit()", "import sys\nsys.exit(0)", "import os\nos._exit(1)",
     "import os\nos.kill(os.getpid(), 9)", "import os\nos.abort()", "raise KeyboardInterrupt"],
)  # fmt: skip
def test_ending_the_program_is_an_error_and_ends_no_worker(code: str, calculate: Calculate) -> None:
    error = failure(calculate, code)
    assert error.kind == ("calculation_error" if "raise" in code else "system_access")
    assert error.hint.startswith("leave that out: the code ends by itself")
    assert not error.message.rstrip().endswith(":")
    assert calculate("1 + 1").result == 2


def test_an_exit_with_a_status_is_an_error_too(calculate: Calculate) -> None:
    error = failure(calculate, "raise SystemExit(3)")
    assert (error.kind, error.hint) == (
        "calculation_error", "raise an exception with one text, or with none",
    )  # fmt: skip
    assert calculate("1 + 1").result == 2


def test_an_error_names_the_line(calculate: Calculate) -> None:
    error = failure(calculate, "x = 0\ny = 1 / x\nz = 3")
    assert error.message == "ZeroDivisionError in line 2 `y = 1 / x`: division by zero"


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        ("float('nan')", "not_finite"),
        ("[1.0, float('inf')]", "not_finite"),
        ("Decimal('NaN')", "not_finite"),
        ("a = []\na.append(a)\na", "cyclic_result"),
        ("a = []\nfor _ in range(100000):\n    a = [a]\na", "result_too_deep"),
        ("list(range(100000))", "result_too_large"),
        ("'x' * 5000000", "result_too_large"),
        ("9**9**6", "result_too_large"),
        ("b'x'", "unsupported_result"),
        ("class A:\n    pass\nA()", "unsupported_result"),
        ("[0] * 10**9", "memory_limit"),
        ("'x' * 10**9", "memory_limit"),
        ("def f(n):\n    return f(n + 1)\nf(0)", "recursion_limit"),
    ],
)
def test_what_must_not_come_out_is_refused_by_name(
    code: str, kind: str, calculate: Calculate
) -> None:
    assert failure(calculate, code).kind == kind
    assert calculate("1 + 1").result == 2


@pytest.mark.slow
@pytest.mark.parametrize("code", ["len(str(9**9**8))", "while True:\n    pass"])
def test_a_hang_is_ended_and_the_next_call_works(code: str, calculate: Calculate) -> None:
    started = time.monotonic()
    assert failure(calculate, code).kind == "time_limit"
    assert time.monotonic() - started < 10
    assert calculate("1 + 1").result == 2


def test_sleeping_costs_no_time(calculate: Calculate) -> None:
    started = time.monotonic()
    assert calculate("import time\ntime.sleep(60)\n5").result == 5
    assert time.monotonic() - started < 2


def test_nothing_is_kept_from_one_calculation_to_the_next(calculate: Calculate) -> None:
    calculate("secret = 1\nsecret")
    assert failure(calculate, "secret").kind == "unknown_name"


def test_the_log_is_bounded(calculate: Calculate) -> None:
    result = calculate("for i in range(10000):\n    print('line', i)\n1")
    assert result.log.startswith("line 0\nline 1\n")
    assert len(result.log) <= 4_001


def test_variables_that_cannot_be_shown_are_named(calculate: Calculate) -> None:
    result = calculate("x = float('inf')\ny = Decimal('1.5')\ndef f():\n    return 1\n2")
    assert result.variables == {"x": "(not_finite)", "y": "1.5"}


def test_a_class_instance_among_the_variables_does_not_spoil_the_result(
    calculate: Calculate,
) -> None:
    assert calculate("class A:\n    pass\na = [A()]\n4").result == 4


def test_the_text_for_the_model_is_short(calculate: Calculate) -> None:
    assert calculate("value('E2') * 2").for_model(["E5"]) == "[E5]\nresult: 32"
    long = calculate("print('log ' * 900)\n[{'n': i, 's': '在庫' * 20} for i in range(500)]")
    text = long.for_model(["E5"])
    assert text.startswith("[E5]\nn | s\n0 | 在庫")
    assert "(500 rows, first " in text
    assert estimate_tokens(text) <= 250 + 150 + 10
