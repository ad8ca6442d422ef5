"""Makes the tools; each brings its own libraries, so that one by hand starts quickly."""

from collections.abc import Mapping

from agent.settings import Settings
from reranker import Judge
from tools.base import Tool

TOOL_NAMES = ("sql", "knowledge_search", "calculate", "dates", "catalog", "verify")
"""In the order of declaration to the model."""


def make_tool(name: str, settings: Settings, judge: Judge | None = None) -> Tool:
    """The tool of that name; only its libraries are imported. `judge`: for the llm reranker.

    Raises KeyError, RerankerError.
    """
    match name:
        case "sql":
            from tools.sql.tool import SqlTool  # noqa: PLC0415

            return SqlTool(settings.sql)
        case "knowledge_search":
            return _knowledge_search(settings, judge)
        case "calculate":
            from tools.calc.tool import CalculationTool  # noqa: PLC0415

            return CalculationTool(settings.calc)
        case "dates":
            from tools.dates import DatesTool  # noqa: PLC0415

            return DatesTool()
        case "catalog":
            from tools.catalog import CatalogTool  # noqa: PLC0415

            return CatalogTool()
        case "verify":
            from tools.verify import VerifyTool  # noqa: PLC0415

            return VerifyTool()
    raise KeyError(name)


def all_tools(settings: Settings, judge: Judge | None = None) -> dict[str, Tool]:
    """Every tool by name, in the order of declaration."""
    return {name: make_tool(name, settings, judge) for name in TOOL_NAMES}


def close_tools(tools: Mapping[str, Tool]) -> None:
    for tool in tools.values():
        close = getattr(tool, "close", None)
        if close is not None:
            close()


def _knowledge_search(settings: Settings, judge: Judge | None) -> Tool:
    from reranker import make_reranker  # noqa: PLC0415
    from tools.knowledge.search import KnowledgeSearch  # noqa: PLC0415

    thresholds = {
        name: kb.threshold for name, kb in settings.kb.items() if kb.threshold is not None
    }
    criteria = {name: kb.criteria for name, kb in settings.kb.items() if kb.criteria}
    reranker = make_reranker(settings.reranker, judge)
    return KnowledgeSearch(reranker, thresholds, criteria, settings.knowledge)
