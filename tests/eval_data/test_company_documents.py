"""The script makes the committed files again, and documents agree with the tables."""

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pymupdf
import pytest
import yaml

pytestmark = pytest.mark.slow

Query = Callable[[str], list[tuple[Any, ...]]]
DocumentText = Callable[[str], str]


@pytest.fixture(scope="module")
def remade(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("company")
    command = [sys.executable, str(root / "make_company.py"), "--out", str(out)]
    subprocess.run(command, check=True, capture_output=True)
    return out


def relative_files(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def front_matter(root: Path, name: str) -> dict[str, Any]:
    text = (root / "company" / "documents" / name).read_text(encoding="utf-8")
    head: dict[str, Any] = yaml.safe_load(text.split("---\n")[1])
    return head


@pytest.mark.slow
def test_the_script_makes_the_same_files(root: Path, remade: Path) -> None:
    assert relative_files(remade) == relative_files(root / "company")
    assert len(list((remade / "tables").glob("*.csv"))) == 11


@pytest.mark.parametrize("kind", ["csv", "md"])
def test_the_script_makes_the_same_bytes(root: Path, remade: Path, kind: str) -> None:
    made = sorted(remade.rglob(f"*.{kind}"))
    assert made
    for path in made:
        committed = root / "company" / path.relative_to(remade)
        assert path.read_bytes() == committed.read_bytes(), path.name


@pytest.mark.parametrize("kind", ["pdf", "docx"])
def test_the_script_makes_documents_of_the_same_text(
    remade: Path, document_text: DocumentText, kind: str
) -> None:
    made = sorted(remade.rglob(f"*.{kind}"))
    assert len(made) == 2
    for path in made:
        assert len(document_text(path.name)) > 500
        assert document_text(str(path)) == document_text(path.name)


def test_no_file_is_larger_than_a_megabyte(root: Path) -> None:
    built = (".mypy_cache", "__pycache__")
    files = [p for p in root.rglob("*") if p.is_file() and not set(built) & set(p.parts)]
    assert len(files) > 30
    assert max(path.stat().st_size for path in files) < 1_000_000


def test_the_two_return_policies_name_each_other(root: Path) -> None:
    new = front_matter(root, "返品規定_2026.md")
    old = front_matter(root, "返品規定_2024.md")
    assert (new["status"], new["supersedes"]) == ("current", "返品規定_2024.md")
    assert (old["status"], old["superseded_by"]) == ("superseded", "返品規定_2026.md")
    assert front_matter(root, "発注方針_改定案_2027.md")["status"] == "proposed"


@pytest.mark.parametrize(
    ("document", "supplier", "phrases"),
    [
        (
            "supplier_agreement_northgate.docx",
            "S01",
            ("{} calendar days", "{} units", "{} days after the invoice"),
        ),
        ("供应商协议_明辉照明.md", "S02", ("{}天（自然日）", "{}件", "发票日起{}天")),
    ],
)
def test_an_agreement_states_the_terms_of_the_supplier_table(
    query: Query,
    document_text: DocumentText,
    document: str,
    supplier: str,
    phrases: tuple[str, ...],
) -> None:
    terms = query(
        "SELECT lead_time_days, minimum_order_quantity, payment_terms_days FROM suppliers"
        f" WHERE supplier_code = '{supplier}'"
    )[0]
    text = document_text(document)
    for phrase, value in zip(phrases, terms, strict=True):
        assert phrase.format(value) in text


def test_the_data_dictionary_names_every_table_and_column(
    root: Path, document_text: DocumentText
) -> None:
    rows = re.findall(
        r"^\| (\w+) \| [^|]+ \| (\w+(?:, \w+)+) \|$", document_text("data_dictionary.md"), re.M
    )
    told = {table: columns.split(", ") for table, columns in rows}
    real = {
        path.stem: path.read_text(encoding="utf-8").split("\n", 1)[0].split(",")
        for path in (root / "company" / "tables").glob("*.csv")
    }
    assert told == real


def test_the_replenishment_policy_is_a_pdf_of_two_pages_with_its_tables(root: Path) -> None:
    path = root / "company" / "documents" / "発注方針_2026.pdf"
    with pymupdf.open(path) as document:  # type: ignore[no-untyped-call]
        tables = [t.extract() for page in document for t in page.find_tables().tables]
        assert len(document) == 2
    assert tables[0][1] == ["A", "売上上位の重点品", "12日", "60日", "毎月"]
    assert tables[1][3] == ["1,500,000円以上", "商品本部長"]
    assert len(tables) == 3


def test_the_proposal_states_the_real_share_of_empty_shelves(
    query: Query, document_text: DocumentText
) -> None:
    share = query(
        "SELECT ROUND(100.0 * COUNT(*) FILTER (WHERE on_hand = 0) / COUNT(*), 1)"
        " FROM stock_snapshots WHERE snapshot_date = '2026-10-31'"
    )[0][0]
    assert f"2026年10月末の{share}%" in document_text("発注方針_改定案_2027.md")


def test_the_readme_counts_what_is_there(query: Query, root: Path) -> None:
    readme = (root / "README.md").read_text(encoding="utf-8")
    counts = {
        table: query(f"SELECT COUNT(*) FROM {table}")[0][0]
        for table in ("sales", "products", "customers", "suppliers")
    }
    assert f"{counts['sales']:,} lines" in readme
    assert f"{counts['products']} SKUs" in readme
    assert f"{counts['customers']} customers and {counts['suppliers']} suppliers" in readme


def test_customer_tiers_meet_the_purchases_that_the_policy_asks_for(query: Query) -> None:
    rows = query("""
        SELECT tier, MIN(total) FROM (
            SELECT customer_code, SUM(amount) AS total FROM sales
            WHERE sale_date BETWEEN '2025-10-01' AND '2026-09-30' GROUP BY customer_code)
        JOIN customers USING (customer_code) GROUP BY tier
    """)
    least: dict[str, int] = {tier: total for tier, total in rows}
    assert least["Gold"] >= 6_000_000
    assert least["Silver"] >= 2_500_000
