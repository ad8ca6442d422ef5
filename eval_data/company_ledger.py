"""Two years of trading, day by day: receipts, returns, sales, adjustments, in that order.

Only `random.Random.random` is drawn from, whose sequence Python keeps stable, so the same seed
gives the same bytes everywhere.
"""

import math
from collections import defaultdict
from datetime import date, timedelta
from random import Random

from company_master import (
    FIRST_DAY,
    LAST_DAY,
    SUPPLIERS,
    WAREHOUSE_SHARE,
    Customer,
    Product,
    Supplier,
    customers,
    products,
)
from company_terms import (
    COVER_DAYS,
    FEE_AFTER,
    FEE_BEFORE,
    FEE_CHANGED,
    GROWTH_PER_YEAR,
    LIGHTING_HALT,
    LINES_SCALE,
    RETURN_DAYS,
    SAFETY_DAYS,
    SEASON,
    Ledger,
    Order,
    Pair,
    Row,
    unit_price,
)


class Simulation:
    """One run; `run` may be called once."""

    def __init__(self, seed: int) -> None:
        self._random = Random(seed)
        self._products = products()
        self._suppliers = {s.code: s for s in SUPPLIERS}
        self._customers: dict[str, list[Customer]] = defaultdict(list)
        for customer in customers():
            self._customers[customer.warehouse_code].append(customer)
        self._stock: dict[Pair, int] = {}
        self._on_order: dict[Pair, int] = defaultdict(int)
        self._due: dict[date, list[tuple[Order, int]]] = defaultdict(list)
        self._coming_back: dict[date, list[Row]] = defaultdict(list)
        self._ledger = Ledger()

    def run(self) -> Ledger:
        self._open()
        day = FIRST_DAY
        while day <= LAST_DAY:
            self._receive(day)
            self._take_back(day)
            if day.weekday() != 6 and (day.month, day.day) not in ((1, 1), (1, 2), (1, 3)):
                self._sell(day)
            self._adjust(day)
            if day.weekday() == 0:
                self._reorder(day)
            if (day + timedelta(days=1)).day == 1:
                self._snapshot(day)
            day += timedelta(days=1)
        return self._ledger

    def _pairs(self) -> list[tuple[Product, str]]:
        return [(p, w) for p in self._products for w in WAREHOUSE_SHARE]

    def _daily(self, product: Product, warehouse: str) -> float:
        """Expected units a day of a product in a warehouse."""
        share = WAREHOUSE_SHARE[warehouse]
        return product.lines_per_day * LINES_SCALE * share * product.lot

    def _between(self, low: int, high: int) -> int:
        return low + int(self._random.random() * (high - low + 1))

    def _open(self) -> None:
        for product, warehouse in self._pairs():
            lead = self._suppliers[product.supplier_code].lead_time_days
            cover = self._daily(product, warehouse) * (lead + 25)
            sold_yet = product.launched_on < FIRST_DAY
            self._stock[warehouse, product.sku] = math.ceil(cover) + 5 if sold_yet else 0
        self._snapshot(FIRST_DAY - timedelta(days=1))

    def _snapshot(self, day: date) -> None:
        for product, warehouse in self._pairs():
            on_hand = self._stock[warehouse, product.sku]
            self._ledger.snapshots.append((day.isoformat(), warehouse, product.sku, on_hand))

    def _receive(self, day: date) -> None:
        for order, quantity in self._due.pop(day, []):
            pair = (order.warehouse, order.product.sku)
            self._stock[pair] += quantity
            self._on_order[pair] -= quantity
            number = f"R{len(self._ledger.receipts) + 1:05d}"
            row = (number, day.isoformat(), order.number, order.product.sku, order.warehouse)
            self._ledger.receipts.append((*row, quantity))

    def _take_back(self, day: date) -> None:
        for sale_id, sku, warehouse, customer, quantity, price, reason in self._coming_back.pop(
            day, []
        ):
            assert isinstance(quantity, int)
            assert isinstance(price, int)
            restocked = quantity if reason in ("顧客都合", "誤出荷") else 0
            self._stock[str(warehouse), str(sku)] += restocked
            fee = FEE_AFTER if day >= FEE_CHANGED else FEE_BEFORE
            kept = 100 - fee if reason == "顧客都合" else 100
            number = f"RT{len(self._ledger.returns) + 1:04d}"
            row = (number, day.isoformat(), sale_id, sku, warehouse, customer, quantity)
            self._ledger.returns.append((*row, restocked, reason, quantity * price * kept // 100))

    def _sell(self, day: date) -> None:
        years = (day - FIRST_DAY).days / 365
        weekday = 0.55 if day.weekday() == 5 else 1.09
        for product, warehouse in self._pairs():
            if day < product.launched_on:
                continue
            if product.discontinued_on and day > product.discontinued_on:
                continue
            rate = product.lines_per_day * LINES_SCALE * WAREHOUSE_SHARE[warehouse]
            rate *= SEASON[product.category][day.month - 1] * weekday
            rate *= 1 + GROWTH_PER_YEAR * years
            if self._random.random() < rate:
                self._sell_line(day, product, warehouse)

    def _sell_line(self, day: date, product: Product, warehouse: str) -> None:
        customer = self._pick_customer(warehouse)
        size = 0.6 + customer.weight / 10
        wanted = max(1, round(product.lot * size * (0.4 + 1.2 * self._random.random())))
        quantity = min(wanted, self._stock[warehouse, product.sku])
        if quantity == 0:
            return
        self._stock[warehouse, product.sku] -= quantity
        price = unit_price(product.list_price, customer.tier, quantity)
        sale_id = 10001 + len(self._ledger.sales)
        self._ledger.sales.append(
            (
                sale_id,
                day.isoformat(),
                product.sku,
                warehouse,
                customer.code,
                quantity,
                price,
                quantity * price,
            )
        )
        self._maybe_return(
            day, product, (sale_id, product.sku, warehouse, customer.code), quantity, price
        )

    def _pick_customer(self, warehouse: str) -> Customer:
        choices = self._customers[warehouse]
        point = self._random.random() * sum(c.weight for c in choices)
        for customer in choices:
            point -= customer.weight
            if point < 0:
                return customer
        return choices[-1]

    def _maybe_return(
        self, day: date, product: Product, head: tuple[int, str, str, str], sold: int, price: int
    ) -> None:
        if self._random.random() >= 0.018:
            return
        draw = self._random.random()
        reason = next(
            r
            for r, limit in (
                ("初期不良", 0.35),
                ("誤出荷", 0.5),
                ("輸送破損", 0.7),
                ("顧客都合", 1.1),
            )
            if draw < limit
        )
        limit = RETURN_DAYS.get(product.category, 7) if reason == "顧客都合" else 7
        if reason == "顧客都合" and product.category not in RETURN_DAYS:
            reason = "初期不良"
        back_on = day + timedelta(days=self._between(1, limit))
        quantity = self._between(1, sold)
        if back_on <= LAST_DAY:
            self._coming_back[back_on].append((*head, quantity, price, reason))

    def _adjust(self, day: date) -> None:
        quarter_end = day.month % 3 == 0 and (day + timedelta(days=1)).day == 1
        for product, warehouse in self._pairs():
            pair = (warehouse, product.sku)
            if quarter_end and self._random.random() < 0.3:
                self._write_off(day, pair, self._between(-4, 3), "棚卸差異")
            elif self._random.random() < 0.0011:
                self._write_off(day, pair, -self._between(1, 3), "破損")
            elif self._random.random() < 0.0003:
                self._write_off(day, pair, -1, "見本出庫")

    def _write_off(self, day: date, pair: Pair, quantity: int, reason: str) -> None:
        quantity = max(quantity, -self._stock[pair])
        if quantity == 0 or (quantity > 0 and self._stock[pair] == 0):
            return
        self._stock[pair] += quantity
        number = f"A{len(self._ledger.adjustments) + 1:04d}"
        warehouse, sku = pair
        self._ledger.adjustments.append((number, day.isoformat(), warehouse, sku, quantity, reason))

    def _reorder(self, day: date) -> None:
        for product, warehouse in self._pairs():
            supplier = self._suppliers[product.supplier_code]
            stops = product.discontinued_on
            if product.launched_on - timedelta(days=supplier.lead_time_days + 14) > day:
                continue
            if stops and day > stops - timedelta(days=60):
                continue
            daily = self._daily(product, warehouse) * SEASON[product.category][day.month - 1]
            pair = (warehouse, product.sku)
            position = self._stock[pair] + self._on_order[pair]
            safety = SAFETY_DAYS[product.abc_rank]
            if position <= daily * (supplier.lead_time_days + safety + 4):
                self._place(day, product, supplier, warehouse, daily)

    def _place(
        self, day: date, product: Product, supplier: Supplier, warehouse: str, daily: float
    ) -> None:
        wanted = max(daily * COVER_DAYS, supplier.minimum_order_quantity)
        quantity = math.ceil(wanted / product.pack_size) * product.pack_size
        due_on = day + timedelta(days=supplier.lead_time_days)
        number = f"PO-{day:%y%m}-{len(self._ledger.orders) + 1:04d}"
        order = Order(number, day, supplier, product, warehouse, quantity, due_on, [])
        order.arrivals = [a for a in self._arrivals(order) if a[0] <= LAST_DAY]
        for arrives_on, part in order.arrivals:
            self._due[arrives_on].append((order, part))
        self._on_order[warehouse, product.sku] += quantity
        self._ledger.orders.append(order)

    def _arrivals(self, order: Order) -> list[tuple[date, int]]:
        """When the goods come: mostly on the due date, some late, some in two parts."""
        draw, split = self._random.random(), self._random.random()
        late = 0 if draw < 0.74 else self._between(1, 4) if draw < 0.92 else self._between(5, 14)
        if order.product.category == "照明" and order.due_on >= LIGHTING_HALT:
            return []
        first = order.due_on + timedelta(days=late)
        packs = order.quantity // order.product.pack_size
        if split > 0.1 or packs < 2:
            return [(first, order.quantity)]
        part = (1 + int(self._random.random() * (packs - 1))) * order.product.pack_size
        rest = first + timedelta(days=self._between(6, 20))
        return [(first, part), (rest, order.quantity - part)]
