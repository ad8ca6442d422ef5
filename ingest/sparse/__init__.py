"""Sparse vectors: what a text's terms are, and BM25 over them."""

from ingest.sparse.analyzer import terms
from ingest.sparse.bm25 import Bm25, SparseVector, average_length, term_index

__all__ = ["Bm25", "SparseVector", "average_length", "term_index", "terms"]
