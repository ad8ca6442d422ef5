"""Files of JSON lines that several processes append to."""

import os
from collections.abc import Iterator
from pathlib import Path


def append_line(path: Path, line: str) -> None:
    """Appends a line with one write, so that lines of several processes do not mix.

    After a torn line (a full disk, a kill) it starts anew, so that only the torn one is lost.
    Raises OSError, also when the disk took only a part.
    """
    # backslashreplace turns a lone surrogate into its JSON escape.
    data = line.encode("utf-8", "backslashreplace") + b"\n"
    descriptor = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o644)
    try:
        size = os.fstat(descriptor).st_size
        if size and os.pread(descriptor, 1, size - 1) != b"\n":
            data = b"\n" + data
        if os.write(descriptor, data) < len(data):
            raise OSError("the disk took only a part of the line")
    finally:
        os.close(descriptor)


def read_lines(path: Path) -> Iterator[bytes]:
    """The lines that are not blank, broken at newlines alone: a text may hold U+2028."""
    return (line for line in path.read_bytes().split(b"\n") if line.strip())
