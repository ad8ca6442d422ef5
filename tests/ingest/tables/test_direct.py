"""The fast way into the stage comes to the same rows as our own reader, or refuses the file."""

from pathlib import Path

import duckdb
import pytest

from ingest.tables.body import Body
from ingest.tables.delimited import read_delimited
from ingest.tables.direct import MIN_BYTES, drop_directly, stage_directly
from ingest.tables.grid import Grid
from ingest.tables.layout import find_layout
from ingest.tables.staging import STAGE

LINES = "店舗,数量,備考\n東京,5,a\n大阪,-,\n名古屋,  7 ,N/A\n"


def both_ways(
    connection: duckdb.DuckDBPyConnection, path: Path, content: bytes
) -> tuple[list[tuple[object, ...]] | None, list[tuple[object, ...]], list[str], list[str]]:
    """Rows of the fast way (None: refused) and of ours, and what each says was left out."""
    path.write_bytes(content)
    grid: Grid = read_delimited(path)[0]
    layout = find_layout(grid)
    slow = Body(grid, layout)
    expected: list[tuple[object, ...]] = [
        (n, *(cell or None for cell in cells)) for n, cells in slow
    ]
    staged = stage_directly(connection, grid, layout, smallest=0)
    if staged is None:
        return None, expected, [], slow.notes
    found = connection.execute(f"SELECT * FROM {STAGE} ORDER BY n").fetchall()
    drop_directly(connection)
    assert staged[0] == len(found)
    return found, expected, staged[1].notes, slow.notes


@pytest.mark.parametrize(
    "content",
    [
        LINES.encode(),
        LINES.replace("\n", "\r\n").encode(),
        LINES.encode("cp932"),
        LINES.encode("euc_jp"),
        b"\xef\xbb\xbf" + LINES.encode(),
        LINES.encode("utf-16"),
        LINES.replace(",", "\t").encode(),
        LINES.rstrip().encode(),
        (LINES + "\n\n").encode(),
        ("4月度 売上表,,\n" + LINES).encode(),
        (LINES + ",,\n札幌,1,b\n").encode(),
        (LINES + "合計,12,\n").encode(),
        LINES.replace("大阪", "東京 小計").encode(),
        LINES.replace("大阪", "2026小計").replace("-", "12").encode(),
        (LINES + '"a,""b""\nc",1,"x"\n').encode(),
        (LINES + '"a\nb",1,"x"\n').replace("\n", "\r\n").encode(),
        (LINES + "\u3000福岡\u3000,3,\u00a0\n").encode(),
        (LINES + '" 神戸 ",3,"\t"\n').encode(),
    ],
)
def test_a_regular_file_comes_to_the_same_rows_and_notes(
    connection: duckdb.DuckDBPyConnection, tmp_path: Path, content: bytes
) -> None:
    found, expected, said, wanted = both_ways(connection, tmp_path / "a[1].csv", content)
    assert found == expected
    assert sorted(said) == sorted(wanted)


@pytest.mark.parametrize(
    "content",
    [
        LINES.replace("大阪", "\n大阪"),
        LINES + "札幌,1\n",
        LINES + "札幌,1,b,c\n",
        LINES + '札幌, "1",b\n',
        LINES + '札幌,1,"b"c\n',
        LINES.replace("\n", "\r"),
        LINES.replace("東京,5,a\n", "東京,5,a\r\n"),
        "店舗\n東京\n大阪\n",
    ],
)
def test_what_is_not_regular_in_every_line_is_left_to_our_reader(
    connection: duckdb.DuckDBPyConnection, tmp_path: Path, content: str
) -> None:
    found, _, _, _ = both_ways(connection, tmp_path / "a.csv", content.encode())
    assert found is None
    assert connection.execute("SHOW ALL TABLES").fetchall() == []


def test_a_small_file_is_left_to_our_reader(
    connection: duckdb.DuckDBPyConnection, tmp_path: Path
) -> None:
    path = tmp_path / "a.csv"
    path.write_text(LINES)
    grid = read_delimited(path)[0]
    assert path.stat().st_size < MIN_BYTES
    assert stage_directly(connection, grid, find_layout(grid)) is None
