"""A text that says there is nothing, over rows that hold something."""

import pytest

from tools.evidence import Column, Evidence, Value
from tools.verify import Claim, verify


def rows(*values: Value, kind: str = "VARCHAR") -> Evidence:
    return Evidence(
        id="E1",
        kind="rows",
        tool="sql",
        source="customers",
        columns=(Column(name="customer_id", type=kind),),
        rows=tuple((v,) for v in values),
        row_count=len(values),
    )


PASSAGE = Evidence(id="E2", kind="chunk", tool="knowledge_search", source="p.md", text="No fee.")


@pytest.mark.parametrize(
    "text",
    [
        "There are no customers who have never placed an order.",
        "No such customers were found.",
        "注文のない顧客は存在しません。",
        "没有找到符合条件的客户。",
    ],
)
def test_a_denial_over_rows_is_contradicted(text: str) -> None:
    found = verify(text, [rows("PARIS", "FISSA")], claims=[Claim(text=text)])
    assert [i.message for i in found.contradicted] == ["E1 has 2 rows"]
    assert found.support_share() == 0.0


@pytest.mark.parametrize(
    ("text", "evidence"),
    [
        ("There are no customers without an order.", [rows()]),
        ("There is no stock of XR-4200.", [rows(0, kind="BIGINT")]),
        ("There is no fee.", [rows("PARIS"), PASSAGE]),
        ("These customers have never placed an order.", [rows("PARIS", "FISSA")]),
    ],
)
def test_what_the_evidence_allows_is_no_denial(text: str, evidence: list[Evidence]) -> None:
    assert verify(text, evidence).contradicted == ()


def test_a_date_that_a_text_cell_holds_in_words_is_supported() -> None:
    found = verify("The most common publication date is August 2008.", [rows("August 2008")])
    assert [(i.text, i.locator) for i in found.supported] == [("August 2008", "row 1, customer_id")]
    assert verify("It was in August 2009.", [rows("August 2008")]).unsupported
