"""The manifest of a generation: what it was built from and by what; JSON on disk."""

from __future__ import annotations

from datetime import datetime
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Literal

from pydantic import Field, ValidationError

from ingest.store.checksums import cut_off_files
from ingest.store.errors import EmbedderMismatch, StoreBroken
from ingest.store.records import DocumentRecord, QuarantinedCell, Record, TableRecord

FORMAT = 1
MANIFEST = "manifest.json"
CATALOG = "catalog.yaml"
WAREHOUSE = "warehouse.duckdb"
QUARANTINE = "quarantine.jsonl"
INDEX = "index"
ENGINE = "qdrant-edge-py"

FileKind = Literal["document", "table"]


class Root(Record):
    """A directory that was ingested. Files under it are known as `<its name>/<relative path>`."""

    path: str
    kb: str


class FileEntry(Record):
    """A file as it was taken in. `path` is absolute, `source` is what records and citations say.

    `recipe` names the settings that shaped the result; another recipe takes the file in again.
    `sidecar` is the hash of the file beside a document that says what it declares; "" without one.
    `terms` is the number of BM25 terms in all chunks of a document. `needs_ocr`: parts of it were
    left out for want of OCR; it is taken in again once that is installed.
    """

    path: str
    source: str
    sha256: str
    size: int
    kind: FileKind
    kb: str | None = None
    recipe: str = ""
    sidecar: str = ""
    doc_id: str | None = None
    terms: int = 0
    needs_ocr: bool = False
    tables: tuple[str, ...] = ()
    hidden_sheets: tuple[str, ...] = ()

    @property
    def key(self) -> tuple[str | None, str]:
        return (self.kb, self.path)


class EmbedderEntry(Record):
    name: str
    dimension: int
    model_hash: str

    def __str__(self) -> str:
        return f"{self.name} ({self.dimension} dimensions, model {self.model_hash[:12]})"


class Manifest(Record):
    """`parent` is the revision that this one was built from. `bm25_average_length` is in terms a
    chunk, for each knowledge base, as its sparse vectors were weighted."""

    format: int = FORMAT
    revision: int
    parent: int | None = None
    created_at: datetime
    versions: dict[str, str] = Field(default_factory=dict)
    index: str = "edge"
    roots: tuple[Root, ...] = ()
    files: tuple[FileEntry, ...] = ()
    embedder: EmbedderEntry | None = None
    bm25_average_length: dict[str, float] = Field(default_factory=dict)
    documents: tuple[DocumentRecord, ...] = ()
    tables: tuple[TableRecord, ...] = ()
    warehouse_bytes: int = 0
    """Size of the DuckDB file: a cut-off copy is seen without opening it."""

    def knowledge_bases(self) -> tuple[str, ...]:
        return tuple(sorted({d.kb for d in self.documents}))

    def chunks(self, kb: str | None = None) -> int:
        return sum(d.chunks for d in self.documents if kb in (None, d.kb))


def read_manifest(generation: Path) -> Manifest:
    """Raises `StoreBroken` when the manifest is missing, damaged or of another format."""
    path = generation / MANIFEST
    try:
        manifest = Manifest.model_validate_json(path.read_bytes())
    except OSError as error:
        if not generation.is_dir():
            raise StoreBroken(f"there is no generation {generation}") from error
        raise StoreBroken(f"cannot read {path}: {error.strerror}") from error
    except ValidationError as error:
        raise StoreBroken(f"{path} is damaged: {_first_problem(error)}") from error
    if manifest.format != FORMAT:
        raise StoreBroken(f"{path} has format {manifest.format}; this version reads {FORMAT}")
    return manifest


def require_parts(generation: Path, manifest: Manifest) -> None:
    """Raises `StoreBroken` when a part that the manifest names is missing or cut off."""
    parts = [generation / INDEX / kb for kb in manifest.knowledge_bases()]
    warehouse = generation / WAREHOUSE
    if manifest.tables:
        parts += [warehouse, generation / CATALOG]
    lost = [str(part) for part in parts if not part.exists()]
    if lost:
        raise StoreBroken(f"generation {manifest.revision} lacks {', '.join(lost)}")
    cut_off = cut_off_files(generation, but=rewritten(manifest))
    if cut_off:
        raise StoreBroken(f"generation {manifest.revision} is damaged: {cut_off[0]}")
    if manifest.tables and warehouse.stat().st_size != manifest.warehouse_bytes:
        size = warehouse.stat().st_size
        raise StoreBroken(
            f"{warehouse} is damaged: {size:,} bytes, {manifest.warehouse_bytes:,} expected"
        )


def rewritten(manifest: Manifest) -> str:
    """The folder whose files may have changed without damage ("": none): another version of the
    vector engine may rewrite its files as it opens them."""
    installed = installed_version(ENGINE)
    same = installed is not None and manifest.versions.get(ENGINE) == installed
    return "" if same else f"{INDEX}/"


@cache
def installed_version(name: str) -> str | None:
    """Of a package, None where it is not installed. Looking it up takes 3 ms each time."""
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def write_manifest(manifest: Manifest, generation: Path) -> None:
    text = manifest.model_dump_json(indent=1, exclude_defaults=False)
    (generation / MANIFEST).write_text(text + "\n", encoding="utf-8")


def require_embedder(built_by: EmbedderEntry | None, name: str, given: str = "") -> None:
    """Raises `EmbedderMismatch` unless the index was built by the embedder `name`; `given` says
    more about it. Vectors of two embedders cannot be compared."""
    if built_by is None or (built_by.name == name and not given):
        return
    raise EmbedderMismatch(
        f"the index was built by the embedder {built_by}, not by {given or name}",
        f'set embedder = "{built_by.name}", or ingest into another directory: '
        "zaiko ingest PATH… --data-dir NEW",
    )


def read_quarantine(generation: Path) -> list[QuarantinedCell]:
    path = generation / QUARANTINE
    if not path.exists():
        return []
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
        return [QuarantinedCell.model_validate_json(line) for line in lines if line]
    except (OSError, UnicodeDecodeError, ValidationError) as error:
        raise StoreBroken(f"{path} is damaged") from error


def write_quarantine(cells: list[QuarantinedCell], generation: Path) -> None:
    text = "".join(cell.model_dump_json() + "\n" for cell in cells)
    (generation / QUARANTINE).write_text(text, encoding="utf-8")


def _first_problem(error: ValidationError) -> str:
    problem = error.errors(include_url=False, include_input=False)[0]
    where = ".".join(str(part) for part in problem["loc"])
    return f"{where}: {problem['msg']}" if where else str(problem["msg"])
