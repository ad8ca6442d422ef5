"""How much of what was found the model is shown."""

from pydantic import Field

from ingest.store.settings import Section


class KnowledgeSettings(Section):
    result_tokens: int = Field(
        default=380, ge=200, le=32_000, description="what the model is shown of a search, at most"
    )
    sections: bool = Field(
        default=False, description="show the passages around a hit in its section too"
    )
