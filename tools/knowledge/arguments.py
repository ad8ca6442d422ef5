"""What the model may say to the knowledge search."""

from typing import Literal

from pydantic import ConfigDict, Field

from tools.base import Arguments


class KnowledgeArguments(Arguments):
    """`query_text` is asked of the model, and may be left out where nothing is searched (list)."""

    model_config = ConfigDict(json_schema_extra={"required": ["query_text"]})

    action: Literal["list", "query"] = Field(
        default="query", description="list: which knowledge bases there are; query: search them"
    )
    kb_id: str | None = Field(default=None, description="one knowledge base; all when left out")
    kb_ids: list[str] | None = Field(default=None, description="several knowledge bases")
    query_text: str = Field(
        default="", description="what to look for, in the words the documents would use"
    )
    top_k: int = Field(default=5, ge=1, le=10, description="passages to return")

    def named(self) -> list[str]:
        """The knowledge bases asked for, once each, in order; empty: all in scope."""
        single = [self.kb_id] if self.kb_id else []
        return list(dict.fromkeys(single + list(self.kb_ids or [])))
