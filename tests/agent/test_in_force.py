"""Figures of documents that are not in force."""

import pytest

from agent.in_force import only_outdated
from tools.evidence import Evidence
from tools.verify import Claim, Verification, verify

NOTE = "⚠️置き換え済み → 返品規定（2026年版）"


def _passage(identifier: str, source: str, text: str, note: str | None = None) -> Evidence:
    return Evidence(
        id=identifier, kind="chunk", tool="k", source=source, text=text, status_note=note
    )


OLD = _passage("E1", "返品規定_2024.md", "照明の返品の受付期間は30日とする。", NOTE)
NEW = _passage("E2", "返品規定_2026.md", "照明の返品の受付期間は14日とする。")
QUESTION = "照明の返品の受付期間は何日ですか"


def _checked(text: str, question: str = QUESTION) -> Verification:
    claims = [Claim(text=text)]
    return only_outdated(verify(text, [OLD, NEW], claims=claims), [OLD, NEW], question)


def test_a_figure_that_only_the_replaced_document_has_is_contradicted() -> None:
    found = _checked("受付期間は30日です。")
    (item,) = found.contradicted
    assert item.message == f"stands only in 返品規定_2024.md ({NOTE})"
    assert [c.state for c in found.claims] == ["contradicted"]
    assert found.support_share() == 0.0


def test_a_figure_of_the_document_in_force_is_proved() -> None:
    found = _checked("受付期間は14日です。")
    assert not found.contradicted and found.support_share() == 1.0


@pytest.mark.parametrize(
    "question", ["2024年版では何日でしたか", "旧規定の受付期間は？", "What was the old period?"]
)
def test_who_asks_for_the_old_state_gets_it(question: str) -> None:
    assert not _checked("受付期間は30日です。", question).contradicted


def test_partly_replaced_documents_may_be_quoted() -> None:
    partly = OLD.model_copy(update={"status_note": "△一部置き換え → 返品規定（2026年版）"})
    text = "受付期間は30日です。"
    found = verify(text, [partly, NEW], claims=[Claim(text=text)])
    assert only_outdated(found, [partly, NEW], QUESTION) == found
