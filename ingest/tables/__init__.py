"""Tables in: CSV, Excel, OpenDocument, SQLite, Parquet and JSON lines become typed tables."""

from ingest.tables.importer import TABLE_SUFFIXES, TableImport, drop_tables, import_tables

__all__ = ["TABLE_SUFFIXES", "TableImport", "drop_tables", "import_tables"]
