"""Hostile calculations: each is refused by name, within its limits, and the next call answers."""

import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tools.base import ToolContext
from tools.calc.settings import CalcSettings
from tools.calc.tool import CalculationArguments, CalculationTool
from tools.errors import ToolRetry

PLANTED = Path("/tmp/zaiko-planted")
WITHIN_S = 20.0
WITHIN_MB = 2048
CODE = {"calculation_error", "syntax_error"}
LIMIT = {"time_limit", "memory_limit"}
DEEP = "a = []\nfor _ in range(100000):\n    a = [a]\n"

FILES = (
    "open('/etc/passwd').read()",
    f"open('{PLANTED}', 'w').write('x')",
    "open(0).read()",
    "from pathlib import Path\nPath('/etc/passwd').read_text()",
    "from pathlib import Path\nlist(Path('/').iterdir())",
    f"from pathlib import Path\nPath('{PLANTED}').touch()",
    "import io\nio.open('/etc/passwd').read()",
    "import shutil\nshutil.rmtree('/')",
    "import os\nos.listdir('/')",
    "import os\nos.remove('/etc/passwd')",
    "import os\nos.environ['HOME']",
    "import tempfile\ntempfile.mkstemp()",
    "import glob\nglob.glob('/*')",
    f"import sqlite3\nsqlite3.connect('{PLANTED}')",
    "import pickle\npickle.loads(b'cos\\nsystem\\n.')",
)
NETWORK = (
    "import socket\nsocket.create_connection(('127.0.0.1', 80))",
    "import urllib.request\nurllib.request.urlopen('http://127.0.0.1')",
    "import http.client\nhttp.client.HTTPConnection('127.0.0.1')",
    "import requests\nrequests.get('http://127.0.0.1')",
    "import ssl\nssl.create_default_context()",
    "import asyncio\nasyncio.open_connection('127.0.0.1', 80)",
)
PROCESSES = (
    "import subprocess\nsubprocess.run(['id'])",
    "import os\nos.system('id')",
    "import os\nos.fork()",
    "import os\nos.execv('/bin/sh', ['sh'])",
    "import os\nos.kill(os.getppid(), 9)",
    "import multiprocessing\nmultiprocessing.Process()",
    "import threading\nthreading.Thread()",
    "import concurrent.futures\nconcurrent.futures.ThreadPoolExecutor()",
    "import signal\nsignal.alarm(1)",
    "import ctypes\nctypes.CDLL(None)",
    "import gc\ngc.get_objects()",
    "import sys\nsys.setrecursionlimit(10**9)",
    "input()",
    "breakpoint()",
)
IMPORTS = (
    "__import__('os').system('id')",
    "import importlib\nimportlib.import_module('os')",
    "import builtins\nbuiltins.open('/etc/passwd')",
    "import tools.calc.sandbox",
    "import sys\nsys.modules['os']",
    "eval(\"__import__('os').system('id')\")",
    "exec('import os\\nos.system(1)')",
    "compile('1', '', 'eval')",
    "__builtins__['open']",
    "__loader__.load_module('os')",
)
DUNDERS = (
    "().__class__.__bases__[0].__subclasses__()",
    "object.__subclasses__()",
    "type.mro(int)[1].__subclasses__()",
    "(lambda: 0).__globals__",
    "(lambda: 0).__code__.co_consts",
    "rows.__self__.evidence",
    "help.__closure__",
    "getattr(rows, '__globals__')",
    "setattr(math, 'pi', 3)",
    "'{0.__class__.__init__.__globals__}'.format(rows)",
    "(x for x in [1]).gi_frame.f_back",
    "try:\n    1 / 0\nexcept Exception as e:\n    r = e.__traceback__.tb_frame\nr",
    "globals()",
    "vars()",
)
ENDLESS = (
    "while True:\n    pass",
    "for i in range(10**12):\n    pass",
    "sum(1 for _ in iter(int, 1))",
    "def f(n):\n    return f(n - 1) + f(n - 2) if n > 1 else n\nf(80)",
    "while True:\n    print('x' * 1000)",
    "import asyncio\nasync def f():\n    while True:\n        pass\nasyncio.run(f())",
    "import itertools\nlen(list(itertools.permutations(range(20))))",
    "math.factorial(10**7)",
    "math.comb(10**7, 5 * 10**6)",
    "sorted(range(10**9))",
)
CALLS = (
    "while True:\n    rows('E1')",
    "while True:\n    try:\n        rows('E9')\n    except BaseException:\n        pass",
    "while True:\n    growth([1, 2])",
    "[help() for _ in iter(int, 1)]",
)
HUGE_NUMBERS = (
    "9**9**9",
    "10**10**8",
    "len(str(9**9**8))",
    "2**(10**10)",
    "1 << 10**11",
    "pow(7, 10**10)",
    "int(Decimal('1E+999999999'))",
)
MEMORY = (
    "[0] * 10**9",
    "'x' * 10**9",
    "bytes(10**10)",
    "list(range(10**9))",
    "set(range(10**8))",
    "[[0] * 10**4 for _ in range(10**6)]",
    "s = 'x'\nwhile True:\n    s += s",
    "d = {}\ni = 0\nwhile True:\n    d[i] = str(i) * 100\n    i += 1",
    "a = []\nwhile True:\n    a.append(a[:] + [1])",
    "x = (1,)\nfor _ in range(60):\n    x = (x, x)\nstr(x)",
    "'%1000000000d' % 1",
    "f'{1:>1000000000}'",
    "'a'.ljust(10**10)",
    "'1'.zfill(10**10)",
    "('ab' * 10**6).replace('a', 'x' * 1000)",
    "','.join(['x' * 10**6] * 10**4)",
    "'x'.encode('utf-16') * 10**9",
    "import json\njson.dumps([['x' * 1000] * 1000] * 1000)",
    "import collections\ncollections.deque(range(10**9))",
    "import random\nrandom.randbytes(10**10)",
)
DEPTH = (
    "def f(n):\n    return f(n + 1)\nf(0)",
    "f = lambda n: f(n + 1)\nf(0)",
    "class A:\n    def __repr__(self):\n        return repr(self)\nrepr(A())",
)
PARSERS = (
    "int('9' * 10**7)",
    "import json\njson.loads('[' * 10**6)",
    "import re\nre.compile('(' * 10000 + ')' * 10000)",
    "eval('[' * 5000 + ']' * 5000)",
    "Decimal(7) ** 10**9",
    "date(9999, 12, 31) + timedelta(days=1)",
)
RESULTS = (
    ("float('nan')", "not_finite"),
    ("a = []\na.append(a)\na", "cyclic_result"),
    (DEEP + "a", "result_too_deep"),
    ("list(range(100000))", "result_too_large"),
    ("'x' * 5000000", "result_too_large"),
    ("9**9**6", "result_too_large"),
    ("Decimal('1E+999999999')", "result_too_large"),
    ("Decimal('1E-999999999')", "result_too_large"),
    ("b'x'", "unsupported_result"),
)  # fmt: skip
FUNCTIONS = (
    "seasonal_forecast(list(range(100)), 4, 10**9)",
    "linear_trend([1, 2], 10**12)",
    "growth([Decimal('1E+999999999'), 1])",
    "average_cost([10**5000], [1])",
    "safety_stock(0.95, 10**400, 1)",
    "order_quantity(float('inf'), 1, 1)",
    "days_of_stock(1, Decimal('NaN'))",
    "a = []\na.append(a)\nmoving_average(a, 1)",
    "class A:\n    pass\nturnover(A(), 1)",
    "moving_average(rows, 2)",
    "reorder_proposal([], [{'sku': 'A', 'date': d, 'quantity': 1} for d in"
    " ('0001-01-01', '9999-12-31')], [])",
)
HEAVY_ARGUMENTS = (
    "seasonal_forecast([1, 2] * 10**4, 2)",
    "moving_average([0.5] * 200_000, 2)",
    "rows('x' * 10**8)",
    "column('E1', 'x' * 10**8)",
    "help('x' * 10**8)",
    "abc_classes(['x'] * 10**7, [1] * 10**7)",
    DEEP + "moving_average(a, 1)",
)

GROUPS: tuple[tuple[tuple[str, ...], set[str]], ...] = (
    (FILES, {"file_access", "system_access"}),
    (NETWORK, {"network_access"}),
    (PROCESSES, {"system_access"}),
    (IMPORTS, {"forbidden_import", "forbidden_attribute", "system_access"}),
    (DUNDERS, {"forbidden_attribute"}),
    (ENDLESS, LIMIT),
    (CALLS, {"time_limit", "call_limit"}),
    (HUGE_NUMBERS, LIMIT),
    (MEMORY, LIMIT),
    (DEPTH, {"recursion_limit"}),
    (PARSERS, {*CODE, "time_limit"}),
    (FUNCTIONS, {"bad_value"}),
    (HEAVY_ARGUMENTS, {*LIMIT, "bad_value"}),
    # A busy machine may need its whole second to make such a result.
    *(((code,), {kind, "time_limit"}) for code, kind in RESULTS),
)
CASES = [(code, kinds) for codes, kinds in GROUPS for code in codes]


@pytest.fixture(scope="module")
def strict() -> Iterator[CalculationTool]:
    """Limits that a busy machine reaches soon."""
    tool = CalculationTool(CalcSettings(time_limit_s=1.0, memory_mb=64))
    yield tool
    tool.close()


def count_peak_from_here() -> bool:
    """False where the system has no such count; see proc(5)."""
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        return False
    return True


def memory_mb(field: str) -> int:
    """Of this process: VmRSS is what it has now, VmHWM the most it had; 0 where it is not told."""
    status = Path("/proc/self/status")
    lines = status.read_text().splitlines() if status.exists() else []
    return next((int(line.split()[1]) for line in lines if line.startswith(field)), 0) >> 10


@pytest.mark.slow
@pytest.mark.parametrize(("code", "kinds"), CASES)
def test_a_hostile_calculation_is_refused_by_name_and_the_next_one_answers(
    code: str, kinds: set[str], strict: CalculationTool, context: ToolContext
) -> None:
    started = time.monotonic()
    counted, before = count_peak_from_here(), memory_mb("VmRSS")
    with pytest.raises(ToolRetry) as error:
        strict.run(CalculationArguments(code=code), context)
    assert not counted or memory_mb("VmHWM") - before < WITHIN_MB
    assert error.value.kind in kinds
    assert error.value.hint
    assert len(error.value.message) < 1_000
    assert time.monotonic() - started < WITHIN_S
    assert not PLANTED.exists()
    assert strict.run(CalculationArguments(code="1 + 1"), context).result == 2


def test_there_are_sixty_different_ones() -> None:
    assert len({code for code, _ in CASES}) == len(CASES) >= 60


@pytest.mark.slow
@pytest.mark.parametrize(
    "code",
    [
        "import re\nre.match(r'(a+)+$', 'a' * 40 + 'b') is None",
        "import re\nre.match(r'(a|a)*b', 'a' * 40) is None",
        "import re\nre.findall('(?:a?){50}a{50}', 'a' * 49) == []",
    ],
)
def test_a_pattern_that_backtracks_without_end_answers_at_once(
    code: str, strict: CalculationTool, context: ToolContext
) -> None:
    assert strict.run(CalculationArguments(code=code), context).result is True


def test_the_sandbox_sees_no_environment(calculate: object, context: ToolContext) -> None:
    tool = CalculationTool()
    os.environ["ZAIKO_TEST_SECRET"] = "planted-secret"
    try:
        with pytest.raises(ToolRetry) as error:
            tool.run(
                CalculationArguments(code="import os\nos.getenv('ZAIKO_TEST_SECRET')"), context
            )
        assert "planted-secret" not in error.value.message
    finally:
        del os.environ["ZAIKO_TEST_SECRET"]
        tool.close()
