"""The name of what a calculation was refused for, from the error that the sandbox raised."""

import re

import pydantic_monty as monty

FORBIDDEN_IMPORT = "forbidden_import"
FILE_ACCESS = "file_access"
NETWORK_ACCESS = "network_access"
SYSTEM_ACCESS = "system_access"
FORBIDDEN_ATTRIBUTE = "forbidden_attribute"
UNKNOWN_FUNCTION = "unknown_function"
UNKNOWN_NAME = "unknown_name"
CALCULATION_ERROR = "calculation_error"

NOT_HERE = {
    FORBIDDEN_IMPORT: "only math, datetime, decimal, json, re and collections can be imported",
    FILE_ACCESS: "files can't be reached; use rows('E1') and plain Python",
    NETWORK_ACCESS: "no network can be reached; use rows('E1') and plain Python",
    SYSTEM_ACCESS: "the system can't be reached; use rows('E1') and plain Python",
    FORBIDDEN_ATTRIBUTE: "Python's inner attributes can't be reached; use values and functions",
}
"""What to do instead; a more exact hint may stand in its place."""

_NETWORK = {"socket", "ssl", "urllib", "http", "requests", "httpx", "aiohttp", "ftplib", "smtplib",
            "asyncio", "urllib3", "websockets", "socketserver", "telnetlib", "imaplib", "poplib"}  # fmt: skip
_FILES = {"io", "shutil", "tempfile", "glob", "pathlib", "sqlite3", "pickle", "shelve", "dbm", "csv",
          "fileinput", "mmap", "zipfile", "tarfile", "duckdb"}  # fmt: skip
_SYSTEM = {"os", "sys", "subprocess", "multiprocessing", "threading", "concurrent", "signal", "ctypes",
           "gc", "pty", "platform", "resource", "posix", "inspect"}  # fmt: skip
_MODULE = re.compile(r"No module named '([^'.]+)")
_NO_ATTRIBUTE = re.compile(r"module '(\w+)' has no attribute")
_NAME = re.compile(r"name '(\w+)' is not defined")
_INNER = re.compile(
    r"attribute '(__\w+__|gi_\w+|tb_\w+|f_\w+|co_\w+|cr_\w+)'|no __dict__ for setting|"
    r"'builtin_function_or_method' object has no attribute"
)
_PATHS = re.compile(r"os\.PathLike|'\w*Path' object has no attribute")
_IMPORTS = {"__import__", "__loader__", "__spec__"}
_SYSTEM_NAMES = {"input", "breakpoint", "exit", "quit"}
_INNER_NAMES = {"globals", "vars", "compile", "memoryview"}


def kind_of(error: monty.MontyRuntimeError, inner: BaseException) -> str:
    """One of the kinds above; `CALCULATION_ERROR` for a fault of the code that tries nothing."""
    text = str(inner)
    if isinstance(inner, ImportError):
        found = _MODULE.search(text)
        return _of_module(found[1] if found else "")
    if isinstance(inner, PermissionError) or _PATHS.search(text):
        return FILE_ACCESS
    if isinstance(inner, NameError) and (named := _NAME.search(text)):
        return _of_name(named[1], error)
    if module := _NO_ATTRIBUTE.search(text):
        kind = _of_module(module[1])
        return CALCULATION_ERROR if kind == FORBIDDEN_IMPORT else kind
    if "os.environ" in text:
        return SYSTEM_ACCESS
    if isinstance(inner, AttributeError) and _INNER.search(text):
        return FORBIDDEN_ATTRIBUTE
    return CALCULATION_ERROR


def _of_module(name: str) -> str:
    if name in _NETWORK:
        return NETWORK_ACCESS
    if name in _FILES:
        return FILE_ACCESS
    return SYSTEM_ACCESS if name in _SYSTEM else FORBIDDEN_IMPORT


def _of_name(name: str, error: monty.MontyRuntimeError) -> str:
    if name in _IMPORTS:
        return FORBIDDEN_IMPORT
    if name in _SYSTEM_NAMES:
        return SYSTEM_ACCESS
    if name in _INNER_NAMES or name.startswith("__"):
        return FORBIDDEN_ATTRIBUTE
    frames = error.traceback()
    line = (frames[0].source_line or "") if frames else ""
    return UNKNOWN_FUNCTION if re.search(rf"\b{name}\s*\(", line) else UNKNOWN_NAME
