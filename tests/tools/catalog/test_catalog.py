from dataclasses import dataclass, replace
from datetime import date
from typing import cast

import pytest

from ingest.store import Catalog, ColumnRecord, DocumentRecord, JoinRecord, Store, TableRecord
from ingest.store.errors import UnknownKnowledgeBase
from ingest.store.records import MetricRecord
from ingest.store.status import EffectiveStatus, StatusIndex
from ingest.store.values import ValueIndex, ValueMatch
from tools.base import ToolContext
from tools.catalog import CatalogArguments, CatalogResult, CatalogTool, Listing
from tools.catalog.results import columns_of
from tools.errors import ToolRefused, ToolRetry
from tools.sql.render import TOKEN_BUDGET
from tools.tokens import estimate_tokens

SALES = TableRecord(
    name="sales",
    source="sales.csv",
    rows=20_000,
    description="Sales lines",
    date_column="sold_on",
    data_from=date(2024, 1, 1),
    data_to=date(2025, 12, 31),
    columns=(
        ColumnRecord(name="sold_on", type="DATE", original="販売日"),
        ColumnRecord(
            name="sku", type="VARCHAR", original="SKU", examples=("0013", "XR-4200"), distinct=2
        ),
        ColumnRecord(
            name="amount", type="DECIMAL(18,2)", original="金額", unit="JPY", quarantined=3
        ),
    ),
)
STOCK = TableRecord(
    name="stock",
    source="stock.csv",
    rows=10,
    snapshot=True,
    columns=(ColumnRecord(name="sku", type="VARCHAR", original="SKU"),),
)
CATALOG = Catalog(
    tables=(SALES, STOCK),
    joins=(
        JoinRecord(left_table="sales", left_column="sku", right_table="stock", right_column="sku"),
    ),
)


def document(doc_id: str, kb: str = "policies", **fields: object) -> DocumentRecord:
    known = {"title": f"Policy {doc_id}", "source": f"{doc_id}.md", "sha256": doc_id}
    return DocumentRecord.model_validate(
        {"doc_id": doc_id, "kb": kb, "language": "en", **known, **fields}
    )


DOCUMENTS = [
    document("new", declared="current", supersedes=("old.md",), valid_from=date(2026, 1, 1)),
    document("old", declared="current", document_date=date(2024, 4, 1)),
    document("returns", declared="current", title="返品ポリシー"),
    document("plain", kb="manuals"),
]


@dataclass(frozen=True)
class FakeStore:
    """The part of a store that the tool reads; statuses by the real rule."""

    catalog: Catalog = CATALOG

    def documents(self, kb: str | None = None) -> list[DocumentRecord]:
        if kb not in (None, "policies", "manuals"):
            raise UnknownKnowledgeBase(f"there is no knowledge base {kb!r}", "name another")
        return [d for d in DOCUMENTS if kb in (None, d.kb)]

    def status_index(self, today: date | None = None) -> StatusIndex:
        return StatusIndex(DOCUMENTS, today)

    def document_statuses(self, today: date | None = None) -> dict[str, EffectiveStatus]:
        return self.status_index(today).statuses()

    def find_values(self, word: str, limit: int) -> list[ValueMatch]:
        return ValueIndex([("sales", "city", ["東京倉庫", "大阪倉庫"])]).find(word, limit=limit)

    def status_note(self, doc_id: str, language: str = "ja", today: date | None = None) -> str:
        return self.status_index(today).note(doc_id, language)


CONTEXT = ToolContext(store=cast(Store, FakeStore()), today=date(2026, 3, 31))


def call(context: ToolContext = CONTEXT, **arguments: str) -> CatalogResult:
    return CatalogTool().run(CatalogArguments.model_validate(arguments), context)


def test_tables_are_listed_with_their_sizes_and_dates() -> None:
    evidence = call().evidence()[0]
    assert (evidence.kind, evidence.tool, evidence.row_count) == ("rows", "catalog", 2)
    assert evidence.rows[0] == (
        "sales", 20_000, "sold_on", "2024-01-01", "2025-12-31", "Sales lines",
    )  # fmt: skip


def test_a_table_shows_columns_examples_units_and_joins() -> None:
    result = call(action="table", name="Sales")
    columns, size = result.evidence()
    assert [row[:4] for row in columns.rows] == [
        ("sold_on", "DATE", None, ""),
        ("sku", "VARCHAR", None, "0013, XR-4200"),
        ("amount", "DECIMAL(18,2)", "JPY", ""),
    ]
    assert size.rows == (("sales", 20_000, 3, "2024-01-01", "2025-12-31"),)
    assert "join sales.sku = stock.sku" in result.notes


def test_a_stock_table_says_that_it_is_not_summed_over_dates() -> None:
    assert any("do not sum" in n for n in call(action="table", name="stock").notes)


def test_a_name_alone_means_that_table() -> None:
    assert call(name="stock").source == "stock"


def test_an_unknown_table_is_answered_with_the_nearest() -> None:
    with pytest.raises(ToolRetry) as error:
        call(action="table", name="sale")
    assert error.value.kind == "unknown_table"
    assert error.value.hint.startswith("nearest: sales")


def test_a_table_without_a_name_asks_for_one() -> None:
    with pytest.raises(ToolRetry) as error:
        call(action="table")
    assert error.value.kind == "missing_name"


def test_documents_show_their_effective_status() -> None:
    documents, _ = call(action="documents", kb="policies").evidence()
    assert [(row[0], row[1], row[2]) for row in documents.rows] == [
        ("Policy new", "current", None),
        ("Policy old", "superseded", "⚠️superseded → Policy new"),
        ("返品ポリシー", "current", None),
    ]


def test_documents_are_counted_per_status() -> None:
    _, counts = call(action="documents", kb="policies").evidence()
    assert counts.rows == (("current", 2), ("superseded", 1), ("all", 3))


def test_documents_can_be_found_by_a_part_of_the_title() -> None:
    documents, counts = call(action="documents", name="返品").evidence()
    assert [row[0] for row in documents.rows] == ["返品ポリシー"]
    assert counts.rows == (("current", 1), ("all", 1))


def test_a_listing_says_what_replaced_what_and_from_when_to_when_each_is_valid() -> None:
    documents, _ = call(action="documents", status="superseded").evidence()
    said = dict(zip((c.name for c in documents.columns), documents.rows[0], strict=True))
    assert (said["title"], said["replaced_by"]) == ("Policy old", "new.md")
    assert (said["valid_from"], said["valid_to"]) == ("2024-04-01", "2025-12-31")
    assert documents.row_count == 1


@pytest.mark.parametrize(
    ("on", "found"),
    [
        ("2024-03-31", ["plain ?", "returns ?"]),
        ("2025-03-01", ["old", "plain ?", "returns ?"]),
        ("2025-12-31", ["old", "plain ?", "returns ?"]),
        ("2026-01-01", ["new", "plain ?", "returns ?"]),
    ],
)
def test_what_applied_on_a_day_is_told_from_the_validity_dates(on: str, found: list[str]) -> None:
    documents, counts = call(action="documents", on=on).evidence()
    names = [c.name for c in documents.columns]
    source, applied = names.index("source"), names.index("applied")
    mark = {"yes": "", "unknown": " ?"}
    assert found == sorted(
        f"{r[source]}".removesuffix(".md") + mark[f"{r[applied]}"] for r in documents.rows
    )
    assert counts.rows[-1] == ("all", len(found))
    assert documents.locator == f"documents that applied on {on}"


def test_counting_gives_the_counts_alone() -> None:
    (counts,) = call(action="count_documents").evidence()
    assert counts.rows == (("current", 2), ("superseded", 1), ("undeclared", 1), ("all", 4))


def test_a_note_is_never_cut_in_the_text_for_the_model() -> None:
    title = "規程" * 40
    rows = tuple((f"{n}", "superseded", f"⚠️置き換え済み → {title}{n}") for n in range(9))
    listing = Listing(
        "documents", columns_of("title", "status", "note"), rows, uncut=frozenset({"note"})
    )
    text = CatalogResult("policies", (listing,)).for_model(["E1"])
    shown = [line for line in text.splitlines() if "⚠️" in line]
    assert 0 < len(shown) < 9
    assert all(line.endswith(f"{title}{line[0]}") for line in shown)
    assert estimate_tokens(text) <= TOKEN_BUDGET + 20


def test_only_documents_in_scope_are_seen() -> None:
    documents, _ = call(replace(CONTEXT, kbs=("manuals",)), action="documents").evidence()
    assert [row[0] for row in documents.rows] == ["Policy plain"]


def test_a_knowledge_base_out_of_scope_is_refused() -> None:
    with pytest.raises(ToolRefused) as error:
        call(replace(CONTEXT, kbs=("manuals",)), action="documents", kb="policies")
    assert error.value.kind == "kb_not_in_scope"


def test_an_unknown_knowledge_base_is_named() -> None:
    with pytest.raises(ToolRetry) as error:
        call(action="documents", kb="nope")
    assert error.value.kind == "unknown_knowledge_base"


def test_an_undeclared_status_is_explained() -> None:
    result = call(action="documents", kb="manuals")
    assert result.evidence()[1].rows == (("undeclared", 1), ("all", 1))
    assert result.notes == ("undeclared: the document says nothing of its status",)


def test_the_text_for_the_model_names_each_listing_by_its_id() -> None:
    text = call(action="documents", kb="policies").for_model(["E1", "E2"])
    assert text.startswith("[E1] documents\ntitle | status")
    assert "\n[E2] documents per status\nstatus | documents\ncurrent | 2\n" in text
    assert estimate_tokens(text) < 250


def test_stored_values_like_a_word_are_listed_with_how_alike_they_are() -> None:
    (found,) = call(action="values", name="tokyo wh").evidence()
    assert found.rows[0] == ("sales", "city", "東京倉庫", "same words")
    assert [row[3] for row in found.rows[1:]] == ["similar"]
    assert call(action="values", name="大阪倉庫").evidence()[0].rows[0][3] == "same"


def test_a_word_like_no_value_says_so() -> None:
    assert call(action="values", name="zzz").notes == ("no stored value is like it",)


def test_values_need_a_word() -> None:
    with pytest.raises(ToolRetry) as error:
        call(action="values")
    assert error.value.kind == "missing_name"


def test_metrics_are_listed_with_their_formula() -> None:
    turnover = MetricRecord(
        name="turnover", formula="sold ÷ held", sql="SELECT 1", synonyms=("回転率",)
    )
    catalog = CATALOG.model_copy(update={"metrics": (turnover,)})
    context = ToolContext(store=cast(Store, FakeStore(catalog)), today=date(2026, 3, 31))
    (listed,) = call(context, action="metrics").evidence()
    assert listed.rows == (("turnover", "sold ÷ held", None, "回転率", ""),)
    assert call(action="metrics").notes == ("the catalog defines no metric",)


def test_a_table_says_how_its_columns_add_up_and_in_which_money() -> None:
    amount = ColumnRecord(
        name="amount",
        type="BIGINT",
        original="amount",
        measure="flow",
        currency="USD",
        tax="excluded",
    )
    table = SALES.model_copy(update={"columns": (amount,), "grain": "one row a line"})
    context = ToolContext(
        store=cast(Store, FakeStore(Catalog(tables=(table,)))), today=date(2026, 3, 31)
    )
    result = call(context, action="table", name="sales")
    said = dict(
        zip((c.name for c in result.listings[0].columns), result.listings[0].rows[0], strict=True)
    )
    assert (said["measure"], said["currency"], said["tax"]) == ("flow", "USD", "excluded")
    assert "one row a line" in result.notes
