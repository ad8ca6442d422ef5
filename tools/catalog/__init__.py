"""The catalog tool: which tables, columns and documents there are."""

from tools.catalog.arguments import CatalogArguments
from tools.catalog.results import CatalogResult, Listing
from tools.catalog.tool import CatalogTool

__all__ = ["CatalogArguments", "CatalogResult", "CatalogTool", "Listing"]
