from pathlib import Path

import pytest

from ingest.scan import Scan, scan_paths


def made(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    return root


def names(scan: Scan, root: Path) -> list[str]:
    return [path.relative_to(root).as_posix() for path in scan.files]


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    return made(
        tmp_path / "tree",
        {
            ".gitignore": "*.csv\nbuild/\n/top.md\n",
            "stock.csv": "a\n1\n",
            "top.md": "x",
            "rules/top.md": "x",
            "rules/build/notes.md": "x",
            "rules/returns.md": "x",
        },
    )


def test_what_gitignore_names_is_left_out(tree: Path, tmp_path: Path) -> None:
    scan = scan_paths([tree], tmp_path / "data")
    assert names(scan, tree) == ["rules/returns.md", "rules/top.md"]
    assert scan.left_out == 3


def test_ignore_files_can_be_switched_off(tree: Path, tmp_path: Path) -> None:
    scan = scan_paths([tree], tmp_path / "data", ignore_files=False)
    assert len(scan.files) == 5 and scan.left_out == 0


def test_zaikoignore_takes_back_what_gitignore_leaves_out(tree: Path, tmp_path: Path) -> None:
    made(tree, {".zaikoignore": "!stock.csv\nreturns.*\n"})
    assert names(scan_paths([tree], tmp_path / "data"), tree) == ["rules/top.md", "stock.csv"]


def test_the_innermost_ignore_file_decides(tree: Path, tmp_path: Path) -> None:
    made(tree, {"rules/.gitignore": "!*.csv\ntop.md\n", "rules/prices.csv": "a\n1\n"})
    found = names(scan_paths([tree], tmp_path / "data"), tree)
    assert found == ["rules/prices.csv", "rules/returns.md"]


def test_nothing_in_an_ignored_directory_can_be_taken_back(tree: Path, tmp_path: Path) -> None:
    made(tree, {".zaikoignore": "!rules/build/notes.md\n"})
    assert "rules/build/notes.md" not in names(scan_paths([tree], tmp_path / "data"), tree)


def test_a_file_that_is_named_is_never_left_out(tree: Path, tmp_path: Path) -> None:
    scan = scan_paths([tree / "stock.csv"], tmp_path / "data")
    assert names(scan, tree) == ["stock.csv"]


def test_a_line_that_is_no_pattern_matches_nothing_and_the_others_hold(
    tree: Path, tmp_path: Path
) -> None:
    made(tree, {".gitignore": "!\n*.csv\n"})
    assert "stock.csv" not in names(scan_paths([tree], tmp_path / "data"), tree)
    assert "top.md" in names(scan_paths([tree], tmp_path / "data"), tree)


def test_an_ignore_file_may_be_written_with_a_byte_order_mark_in_japanese(tmp_path: Path) -> None:
    root = made(
        tmp_path / "会社", {".zaikoignore": "\ufeff下書き*\n", "下書き1.md": "x", "規程.md": "x"}
    )
    assert names(scan_paths([root], tmp_path / "data"), root) == ["規程.md"]
