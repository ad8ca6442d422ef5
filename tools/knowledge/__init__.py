"""The knowledge-search tool: passages of the company's documents, with proof of where."""

from tools.knowledge.arguments import KnowledgeArguments
from tools.knowledge.results import KnowledgeBaseList, Passage, SearchResult
from tools.knowledge.search import KnowledgeSearch

__all__ = [
    "KnowledgeArguments",
    "KnowledgeBaseList",
    "KnowledgeSearch",
    "Passage",
    "SearchResult",
]
