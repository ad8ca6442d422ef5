"""What the model may ask of the catalog."""

from datetime import date
from typing import Literal

from pydantic import ConfigDict, Field

from ingest.store import DocumentStatus
from tools.base import Arguments


class CatalogArguments(Arguments):
    """`action` is asked of the model; left out, the tables are listed."""

    model_config = ConfigDict(json_schema_extra={"required": ["action"]})

    action: Literal["tables", "table", "documents", "count_documents", "values", "metrics"] = (
        "tables"
    )
    name: str | None = Field(
        default=None, description="a table, part of a document's title, or a value"
    )
    kb: str | None = Field(default=None, description="one knowledge base (documents only)")
    status: DocumentStatus | None = Field(default=None, description="only documents of this status")
    on: date | None = Field(
        default=None, description="only documents that applied on this day (2026-11-30)"
    )
