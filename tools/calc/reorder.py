"""`reorder_proposal`: what to order now, by reorder point, minimum quantity and pack size."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from reranker.language import Language
from tools.calc.deadline import in_time
from tools.calc.look_alikes import look_alikes
from tools.calc.numbers import BadInput, not_negative, shown, whole
from tools.calc.reorder_inputs import LONGEST, MOST_ROWS, Demand, History, Row, history, skus
from tools.calc.reorder_items import Item, decimal_of, items_of, place_columns, text_of
from tools.calc.reorder_words import said
from tools.calc.stock import safety_stock, service

FLOAT_NOISE = 9
OTHERS_NAMED = 5


@dataclass(frozen=True)
class Policy:
    service_level: float
    cover_days: int
    safety_days: Fraction | None
    up_to: bool
    whole: bool


@dataclass(frozen=True)
class Proposal:
    """`quantity` is None where none can be worked out."""

    quantity: int | None
    reason: str


class Reorder:
    """`rows`: all rows of an evidence by its id; `note`: hears what must be said along."""

    def __init__(
        self, rows: Callable[[object], list[dict[str, object]]], language: Language
    ) -> None:
        self._rows = rows
        self._language = language
        self.notes: list[str] = []

    def reorder_proposal(
        self,
        on_hand: object,
        demand: object,
        terms: object,
        on_order: object = None,
        service_level: object = 0.95,
        cover_days: object = 30,
        safety_days: object = None,
        days: object = None,
        up_to: object = True,
        whole_list: object = False,
        by: object = None,
    ) -> list[dict[str, object]]:
        """A table of what to order: sku, on_hand, on_order, lead_time_days, minimum_quantity,
        pack_size, proposed_quantity, reason. The first four arguments are evidence ids ('E1') or
        rows; one evidence may serve for several. Columns: `on_hand` sku, on_hand; `demand` sku,
        date, quantity (or sku, quantity with `days`, the days it covers, and where known squares, the
        sum of the squared quantities of its days); `terms` sku, lead_time_days, and where known minimum_quantity, pack_size, lead_time_sd, safety_days;
        `on_order` sku, on_order. It holds the SKUs to order, and those that cannot be worked out;
        all of `terms` with whole_list=True. With `by`, the name of a column (or a list of them) that
        all but `terms` have, such as a warehouse, it is made for each SKU and value of it.

        Formula: order when on_hand + on_order ≤ reorder point = demand a day · lead time + safety
        stock (`safety_stock`, or demand a day · `safety_days`), both rounded up. Quantity: up to
        the reorder point and `cover_days` of demand more (the (s, S) policy); with up_to=False
        `cover_days` of demand; then at least the minimum, rounded up to whole packs. Source:
        Silver, Pyke & Thomas, Inventory and Production Management in Supply Chains, ch. 6.
        """
        policy = Policy(
            service_level=service(service_level),
            cover_days=whole(cover_days, "cover_days", 1, LONGEST),
            safety_days=None
            if safety_days is None
            else Fraction(not_negative(safety_days, "safety_days")),
            up_to=bool(up_to),
            whole=bool(whole_list),
        )
        covered = None if days is None else whole(days, "days", 1, LONGEST)
        columns = place_columns(by)
        sold = self._table(demand, "demand")
        past = history(sold, covered, columns)
        orders = [] if on_order is None else self._table(on_order, "on_order")
        stock, known = self._table(on_hand, "on_hand"), self._table(terms, "terms")
        items = items_of(stock, orders, known, past, columns)
        doubts = self._doubts(known, {"demand": sold, "on_hand": stock, "on_order": orders})
        proposals = [
            (item, doubts.get(item.key[0]) or self._propose(item, policy))
            for item in in_time(items)
        ]
        self._tell(proposals, past)
        self._tell_policy(policy, items)
        return [_row(i, p, columns) for i, p in proposals if policy.whole or p.quantity != 0]

    def _table(self, given: object, what: str) -> Sequence[Row]:
        rows = self._rows(given) if isinstance(given, str) else given
        if not isinstance(rows, list | tuple) or not all(isinstance(r, dict) for r in rows):
            hint = f"give the id of the evidence that holds it: {what}='E1'"
            raise BadInput("bad_value", f"{what} is {shown(given)}", hint)
        if len(rows) > MOST_ROWS:
            message = f"{what} has {len(rows)} rows; at most {MOST_ROWS} are taken"
            raise BadInput("bad_value", message, "add up in SQL: one row a SKU and day")
        return rows

    def _doubts(
        self, terms: Sequence[Row], tables: Mapping[str, Sequence[Row]]
    ) -> dict[str, Proposal]:
        """SKUs whose figures a table seems to have under another spelling: never counted as none,
        nor taken for the same."""
        listed = skus(terms, "terms")
        return {
            sku: Proposal(
                None, self._say("look_alike", sku=sku, other=other, where=self._say(where))
            )
            for where, rows in tables.items()
            for sku, other in look_alikes(listed, skus(rows, where)).items()
        }

    def _propose(self, item: Item, policy: Policy) -> Proposal:
        if item.lead_time is None:
            return Proposal(None, self._say("no_lead_time"))
        if item.demand is None or not item.demand.a_day:
            return Proposal(0, self._say("no_demand"))
        safety = _safety(item, item.demand, item.lead_time, policy)
        if safety is None:
            return Proposal(None, self._say("no_variation"))
        point = _up(item.demand.a_day * item.lead_time + safety)
        position = (item.on_hand or 0) + item.on_order
        about = {
            "stock": text_of(position),
            "point": point,
            "a_day": text_of(item.demand.a_day),
            "lead": text_of(item.lead_time),
            "safety": _up(safety),
        }
        start = self._say("no_stock_row") if item.on_hand is None else ""
        if position > point:
            return Proposal(0, start + self._say("enough", **about))
        cover = item.demand.a_day * policy.cover_days
        need = point - position + cover if policy.up_to else cover
        quantity = _packed(need, item)
        how = self._say(
            "up_to" if policy.up_to else "cover", need=_up(need), days=policy.cover_days
        )
        rounded = "".join(self._rounding(need, quantity, item))
        return Proposal(quantity, start + self._say("order", **about) + how + rounded)

    def _rounding(self, need: Fraction, quantity: int, item: Item) -> Iterator[str]:
        if item.minimum is not None and item.minimum > need:
            yield self._say("minimum", minimum=text_of(item.minimum))
        if item.pack is not None and item.pack > 1:
            packs = text_of(Fraction(quantity) / item.pack)
            yield self._say("packs", packs=packs, pack=text_of(item.pack))

    def _say(self, name: str, **values: object) -> str:
        return said(name, self._language, **values)

    def _tell_policy(self, policy: Policy, items: Sequence[Item]) -> None:
        """What was assumed, for whoever has to agree with it."""
        own = sum(item.safety_days is not None for item in items)
        level = text_of(Fraction(str(policy.service_level)) * 100)
        general = (
            self._say("by_level", level=level)
            if policy.safety_days is None
            else self._say("by_days", days=text_of(policy.safety_days))
        )
        parts = [
            general if own < len(items) or not items else "",
            self._say("own_days", count=own) if own else "",
            self._say("covers" if policy.up_to else "covers_only", days=policy.cover_days),
        ]
        self.notes.append(self._say("policy", parts=self._say("comma").join(filter(None, parts))))

    def _tell(self, proposals: Sequence[tuple[Item, Proposal]], past: History) -> None:
        counts = [p.quantity for _, p in proposals]
        unknown, enough = sum(q is None for q in counts), sum(q == 0 for q in counts)
        figures = {"all": len(counts), "order": len(counts) - unknown - enough, "enough": enough}
        name = "summary_by" if any(len(i.key) > 1 for i, _ in proposals) else "summary"
        self.notes.append(self._say(name, **figures, unknown=unknown, period=past.note))
        listed = {item.key[0] for item, _ in proposals}
        if others := sorted({key[0] for key in past.demand} - listed):
            first = ", ".join(others[:OTHERS_NAMED]) + ("…" if len(others) > OTHERS_NAMED else "")
            self.notes.append(self._say("without_terms", count=len(others), skus=first))


def _safety(item: Item, demand: Demand, lead_time: Fraction, policy: Policy) -> Fraction | None:
    """By days where they are given (the SKU's own first), else by service level; None without
    the variation that this needs."""
    days = policy.safety_days if item.safety_days is None else item.safety_days
    if days is not None:
        return demand.a_day * days
    if demand.sd_a_day is None:
        return None
    spread = float(item.lead_time_sd or 0)
    length = float(lead_time)
    if length <= 0:
        return Fraction(0)
    found = safety_stock(policy.service_level, demand.sd_a_day, length, float(demand.a_day), spread)
    return Fraction(found)


def _packed(need: Fraction, item: Item) -> int:
    """At least the minimum, in whole packs."""
    wanted = max(need, item.minimum or Fraction(0))
    pack = item.pack or Fraction(1)
    return int(pack * _up(wanted / pack))


def _up(value: Fraction) -> int:
    """Rounded up; what a float leaves behind its ninth decimal does not count."""
    return math.ceil(round(value, FLOAT_NOISE))


def _cell(value: Fraction | None) -> int | Decimal | None:
    if value is None:
        return None
    return int(value) if value.denominator == 1 else decimal_of(value)


def _row(item: Item, proposal: Proposal, by: Sequence[str]) -> dict[str, object]:
    return {
        "sku": item.key[0],
        **dict(zip(by, item.key[1:], strict=True)),
        "on_hand": _cell(item.on_hand),
        "on_order": _cell(item.on_order),
        "lead_time_days": _cell(item.lead_time),
        "minimum_quantity": _cell(item.minimum),
        "pack_size": _cell(item.pack),
        "proposed_quantity": proposal.quantity,
        "reason": proposal.reason,
    }
