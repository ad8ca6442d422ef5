"""The terms the sample company trades on, as its documents state them, and what it records."""

from dataclasses import dataclass, field
from datetime import date

from company_master import Product, Supplier

Row = tuple[str | int, ...]
Pair = tuple[str, str]

TIER_DISCOUNT = {"Gold": 12, "Silver": 7, "Standard": 0}
VOLUME_QUANTITY, VOLUME_DISCOUNT, MAXIMUM_DISCOUNT = 40, 3, 14
FEE_CHANGED = date(2026, 4, 1)
FEE_BEFORE, FEE_AFTER = 10, 15
SAFETY_DAYS = {"A": 12, "B": 8, "C": 5}
COVER_DAYS = 30
LIGHTING_HALT = date(2026, 10, 26)
"""Lighting orders due from this day on are late beyond the end of the data."""

SEASON = {
    "電動工具": (0.85, 0.9, 1.15, 1.1, 1.05, 0.95, 0.9, 0.85, 1.0, 1.05, 1.1, 1.2),
    "照明": (1.0, 0.9, 1.1, 1.0, 0.85, 0.85, 0.85, 0.9, 1.05, 1.15, 1.15, 1.3),
    "収納用品": (0.9, 1.1, 1.5, 1.35, 1.0, 0.9, 0.8, 0.8, 0.95, 0.9, 0.95, 1.1),
    "キッチン用品": (0.9, 0.85, 1.0, 1.0, 0.95, 0.95, 0.95, 0.9, 1.0, 1.05, 1.2, 1.45),
    "文具": (1.0, 1.0, 1.4, 1.35, 0.9, 0.9, 0.85, 0.75, 1.1, 1.0, 0.95, 0.95),
    "消耗品": (0.95, 0.95, 1.05, 1.0, 1.0, 1.0, 1.0, 0.95, 1.0, 1.0, 1.05, 1.15),
}
RETURN_DAYS = {"電動工具": 20, "照明": 14, "収納用品": 20, "キッチン用品": 10, "文具": 20}
GROWTH_PER_YEAR = 0.06
LINES_SCALE = 0.96


@dataclass
class Order:
    number: str
    ordered_on: date
    supplier: Supplier
    product: Product
    warehouse: str
    quantity: int
    due_on: date
    arrivals: list[tuple[date, int]]


@dataclass
class Ledger:
    """What happened, as rows of the tables to be written."""

    sales: list[Row] = field(default_factory=list)
    orders: list[Order] = field(default_factory=list)
    receipts: list[Row] = field(default_factory=list)
    returns: list[Row] = field(default_factory=list)
    adjustments: list[Row] = field(default_factory=list)
    snapshots: list[Row] = field(default_factory=list)


def unit_price(list_price: int, tier: str, quantity: int) -> int:
    """Price charged, whole yen rounded down: tier discount plus volume discount, with a cap."""
    volume = VOLUME_DISCOUNT if quantity >= VOLUME_QUANTITY else 0
    discount = min(TIER_DISCOUNT[tier] + volume, MAXIMUM_DISCOUNT)
    return list_price * (100 - discount) // 100
