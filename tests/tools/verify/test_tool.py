from datetime import date

import pytest

from ingest.store import Catalog, Store
from tools.base import ToolContext
from tools.errors import ToolRetry
from tools.evidence import Evidence
from tools.verify import VerifyArguments, VerifyTool


class EmptyStore(Store):
    def __init__(self) -> None:
        self.catalog = Catalog()


@pytest.fixture
def context(stock: Evidence) -> ToolContext:
    return ToolContext(store=EmptyStore(), today=date(2026, 11, 30), evidence={"E1": stock})


def test_a_draft_is_checked_against_all_evidence(context: ToolContext) -> None:
    result = VerifyTool().run(VerifyArguments(text="東京倉庫は120個です。"), context)
    assert result.summary() == "0 supported, 0 unsupported, 1 contradicted"
    assert result.evidence() == ()
    assert "contradicted: 120個 (row 1 has quantity = 100)" in result.for_model([])


def test_only_the_named_evidence_is_used(context: ToolContext) -> None:
    arguments = VerifyArguments(text="東京倉庫は100個です。", evidence_ids=[])
    assert VerifyTool().run(arguments, context).summary().startswith("0 supported, 1 unsupported")


def test_an_unknown_id_is_named_with_the_known_ones(context: ToolContext) -> None:
    arguments = VerifyArguments(text="100", evidence_ids=["E9"])
    with pytest.raises(ToolRetry, match="No such evidence: E9") as caught:
        VerifyTool().run(arguments, context)
    assert caught.value.hint == "Known ids: E1."
