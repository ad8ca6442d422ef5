"""A store that only has a catalog: the dates tool reads nothing else."""

from collections.abc import Callable
from datetime import date

import pytest

from ingest.store import Catalog, Store, TableRecord
from tools.base import ToolContext


class CatalogOnlyStore(Store):
    def __init__(self, catalog: Catalog) -> None:
        self.catalog = catalog


@pytest.fixture
def context() -> Callable[..., ToolContext]:
    """Builds a context of today 2026-11-30 over one table that holds data between two days."""

    def build(first: str | None = None, last: str | None = None, **catalog: int) -> ToolContext:
        table = TableRecord(
            name="sales",
            source="sales.csv",
            rows=1,
            columns=(),
            data_from=date.fromisoformat(first) if first else None,
            data_to=date.fromisoformat(last) if last else None,
        )
        store = CatalogOnlyStore(Catalog.model_validate({"tables": (table,), **catalog}))
        return ToolContext(store=store, today=date(2026, 11, 30))

    return build
