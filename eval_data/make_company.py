"""Makes the sample company: `python eval_data/make_company.py [--out DIR]`.

The same bytes on every run. Tables are UTF-8 CSV; documents are rendered from `texts/`.
"""

import argparse
import csv
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from company_documents import write_documents
from company_ledger import Simulation
from company_master import CATEGORIES, SUPPLIERS, WAREHOUSES, customers, jan_code, products
from company_terms import Ledger, Order

HERE = Path(__file__).resolve().parent
SEED = 20261130


def write_csv(path: Path, header: str, rows: Iterable[Sequence[object]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header.split(","))
        writer.writerows(rows)


def write_master(folder: Path) -> None:
    write_csv(
        folder / "products.csv",
        "sku,product_name,product_name_en,category,supplier_code,abc_rank,"
        "unit_cost,list_price,pack_size,jan_code,launched_on,status",
        (
            (
                p.sku,
                p.name,
                p.name_en,
                p.category,
                p.supplier_code,
                p.abc_rank,
                p.unit_cost,
                p.list_price,
                p.pack_size,
                jan_code(4200 + i * 37),
                p.launched_on,
                "discontinued" if p.discontinued_on else "active",
            )
            for i, p in enumerate(products())
        ),
    )
    write_csv(folder / "categories.csv", "category,category_en,sales_section", CATEGORIES)
    write_csv(
        folder / "warehouses.csv",
        "warehouse_code,warehouse_name,prefecture,opened_on,capacity_pallets",
        WAREHOUSES,
    )
    write_csv(
        folder / "suppliers.csv",
        "supplier_code,supplier_name,country,lead_time_days,minimum_order_quantity,"
        "payment_terms_days",
        (
            (
                s.code,
                s.name,
                s.country,
                s.lead_time_days,
                s.minimum_order_quantity,
                s.payment_terms_days,
            )
            for s in SUPPLIERS
        ),
    )
    write_csv(
        folder / "customers.csv",
        "customer_code,customer_name,prefecture,warehouse_code,tier,customer_since",
        ((c.code, c.name, c.prefecture, c.warehouse_code, c.tier, c.since) for c in customers()),
    )


def order_row(order: Order) -> tuple[object, ...]:
    received = sum(quantity for _, quantity in order.arrivals)
    if received == order.quantity:
        status, received_on = "received", max(day for day, _ in order.arrivals).isoformat()
    else:
        status, received_on = ("partly_received" if received else "open"), ""
    return (
        order.number,
        order.ordered_on,
        order.supplier.code,
        order.product.sku,
        order.warehouse,
        order.quantity,
        order.product.unit_cost,
        order.due_on,
        received,
        received_on,
        status,
    )


def write_ledger(folder: Path, ledger: Ledger) -> None:
    write_csv(
        folder / "sales.csv",
        "sale_id,sale_date,sku,warehouse_code,customer_code,quantity,unit_price,amount",
        ledger.sales,
    )
    write_csv(
        folder / "purchase_orders.csv",
        "po_number,order_date,supplier_code,sku,warehouse_code,order_quantity,unit_cost,"
        "due_date,received_quantity,received_date,status",
        (order_row(order) for order in ledger.orders),
    )
    write_csv(
        folder / "receipts.csv",
        "receipt_number,receipt_date,po_number,sku,warehouse_code,quantity",
        ledger.receipts,
    )
    write_csv(
        folder / "returns.csv",
        "return_number,return_date,sale_id,sku,warehouse_code,customer_code,quantity,"
        "restocked_quantity,reason,refund_amount",
        ledger.returns,
    )
    write_csv(
        folder / "stock_adjustments.csv",
        "adjustment_number,adjustment_date,warehouse_code,sku,quantity,reason",
        ledger.adjustments,
    )
    write_csv(
        folder / "stock_snapshots.csv",
        "snapshot_date,warehouse_code,sku,on_hand",
        ledger.snapshots,
    )


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Make the sample company's tables and documents.")
    parser.add_argument("--out", type=Path, default=HERE / "company")
    out: Path = parser.parse_args(arguments).out
    tables, documents = out / "tables", out / "documents"
    tables.mkdir(parents=True, exist_ok=True)
    documents.mkdir(parents=True, exist_ok=True)
    write_master(tables)
    ledger = Simulation(SEED).run()
    write_ledger(tables, ledger)
    names = write_documents(HERE / "texts", documents)
    sys.stdout.write(f"{out}: {len(ledger.sales)} sales lines, {len(names)} documents\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
