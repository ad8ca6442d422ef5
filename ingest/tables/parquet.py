"""Parquet through DuckDB's own reader: its types are kept."""

from __future__ import annotations

import tempfile
from pathlib import Path

import duckdb

from ingest.store.errors import FileRejected
from ingest.store.quoting import quoted
from ingest.tables.names import column_names


def load_parquet(
    connection: duckdb.DuckDBPyConnection, path: Path, table: str
) -> list[tuple[str, str]]:
    """Writes the file as `table`; (name, original) of its columns.

    The file is read under a plain name: DuckDB takes `*` and `[` in a path for patterns.
    """
    with tempfile.TemporaryDirectory(prefix="zaiko-") as folder:
        link = Path(folder) / "table.parquet"
        link.symlink_to(path.resolve())
        try:
            described = connection.execute(
                "DESCRIBE SELECT * FROM read_parquet(?, hive_partitioning = false)", [str(link)]
            ).fetchall()
            originals = [row[0] for row in described]
            names = column_names(originals)
            columns = ", ".join(
                f"{quoted(o)} AS {quoted(n)}" for o, n in zip(originals, names, strict=True)
            )
            connection.execute(
                f"CREATE TABLE {quoted(table)} AS "
                f"SELECT {columns} FROM read_parquet(?, hive_partitioning = false)",
                [str(link)],
            )
        except duckdb.Error as error:
            reason = str(error).replace(str(link), path.name).splitlines()[0]
            raise FileRejected(
                f"{path.name} cannot be read as Parquet ({reason}).", "Write the file again."
            ) from error
    return list(zip(names, originals, strict=True))
