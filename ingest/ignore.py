"""What `.gitignore` and `.zaikoignore` leave out, by git's rules.

Read are the files in the directory that is ingested and in those under it, `.zaikoignore` last: a
line in it can take back (`!stock.csv`) what `.gitignore` leaves out. Of several lines that match,
the last of the innermost file decides. A file that the user names is never left out.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from pathspec import GitIgnoreSpec

IGNORE_FILES = (".gitignore", ".zaikoignore")


@dataclass(frozen=True)
class IgnoreRules:
    """The rules that hold in one directory: (the directory of an ignore file, its lines), outer
    ones first."""

    specs: tuple[tuple[Path, GitIgnoreSpec], ...] = field(default=())

    def within(self, directory: Path) -> IgnoreRules:
        """With the ignore files of a directory. Raises OSError for one that cannot be read."""
        found = []
        for name in IGNORE_FILES:
            path = directory / name
            if path.is_file():
                text = path.read_text(encoding="utf-8-sig", errors="replace")
                found.append((directory, _spec(text.splitlines())))
        return IgnoreRules((*self.specs, *found)) if found else self

    def leave_out(self, path: Path, *, is_directory: bool) -> bool:
        for base, spec in reversed(self.specs):
            relative = path.relative_to(base).as_posix() + ("/" if is_directory else "")
            decided = spec.check_file(relative).include
            if decided is not None:
                return decided
        return False


def _spec(lines: Iterable[str]) -> GitIgnoreSpec:
    """A line that is no pattern matches nothing, as in git."""
    try:
        return GitIgnoreSpec.from_lines(lines)
    except ValueError:
        return GitIgnoreSpec.from_lines(line for line in lines if _is_pattern(line))


def _is_pattern(line: str) -> bool:
    try:
        GitIgnoreSpec.from_lines([line])
    except ValueError:
        return False
    return True
