"""Documents in, passages out: readers by format, chunking, the document's record."""

from ingest.documents.chunking import chunk_document, context_prefix
from ingest.documents.grids import DocumentTable, document_tables
from ingest.documents.metadata import document_record
from ingest.documents.model import Block, Document
from ingest.documents.ocr import NEEDS_OCR, installed_ocr
from ingest.documents.read import read_document, reading_problems
from ingest.documents.readers import DOCUMENT_SUFFIXES

__all__ = [
    "DOCUMENT_SUFFIXES",
    "NEEDS_OCR",
    "Block",
    "Document",
    "DocumentTable",
    "chunk_document",
    "context_prefix",
    "document_record",
    "document_tables",
    "installed_ocr",
    "read_document",
    "reading_problems",
]
