"""Where a person can open what an answer cites."""

from pathlib import PurePath
from urllib.parse import quote

from ingest.store import Store
from tools.evidence import Evidence


def link_of(evidence: Evidence, store: Store) -> str | None:
    """A `file:` URI of the ingested file, at the path where it lay then.

    A page of a PDF is `#page=3` (RFC 8118), a sheet of a workbook `#'Sheet 1'!A1`
    percent-encoded, as Excel and LibreOffice write it in hyperlinks. None for what is in no
    file (a calculation, a date, a person's word) and for rows out of several files.
    """
    match evidence.kind:
        case "chunk":
            return _document(evidence, store)
        case "rows":
            return _tables(evidence, store)
    return None


def _document(evidence: Evidence, store: Store) -> str | None:
    files = store.manifest.files
    paths = {f.path for f in files if f.kind == "document" and f.source == evidence.source}
    return _uri(paths, _page(paths, evidence))


def _tables(evidence: Evidence, store: Store) -> str | None:
    tables = [store.catalog.table(name) for name in evidence.source.split(", ")]
    paths = {f.path for f in store.manifest.files for t in tables if t and t.name in f.tables}
    sheets = {t.sheet for t in tables if t}
    sheet = sheets.pop() if len(sheets) == 1 else None
    if not all(tables):
        return None
    if sheet:
        return _uri(paths, quote("'{}'!A1".format(sheet.replace("'", "''"))))
    return _uri(paths, _page(paths, evidence))


def _page(paths: set[str], evidence: Evidence) -> str:
    """Also of rows: their table may stand in a document."""
    is_pdf = all(path.lower().endswith(".pdf") for path in paths)
    return f"page={evidence.page}" if is_pdf and evidence.page else ""


def _uri(paths: set[str], fragment: str) -> str | None:
    if len(paths) != 1:
        return None
    uri = PurePath(paths.pop()).as_uri()
    return f"{uri}#{fragment}" if fragment else uri
