"""What is known of each SKU (in each place) before anything is proposed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from tools.calc.numbers import BadInput, plain, shown
from tools.calc.reorder_inputs import Demand, History, Key, Row, a_sku, named


@dataclass(frozen=True)
class Item:
    """What is known of one SKU (in one place); None where it is not. `key` is the SKU, then the
    values of the columns that the proposal is made by."""

    key: Key
    on_hand: Fraction | None
    on_order: Fraction
    demand: Demand | None
    lead_time: Fraction | None
    lead_time_sd: Fraction | None
    minimum: Fraction | None
    pack: Fraction | None
    safety_days: Fraction | None


def place_columns(by: object) -> list[str]:
    names = [] if by is None else [by] if isinstance(by, str) else by
    if not isinstance(names, list | tuple) or not all(isinstance(n, str) for n in names):
        raise BadInput(
            "bad_value", f"by is {shown(by)}", "give the name of a column: by='warehouse'"
        )
    return list(names)


def items_of(
    on_hand: Sequence[Row],
    on_order: Sequence[Row],
    terms: Sequence[Row],
    past: History,
    by: Sequence[str],
) -> list[Item]:
    """One for each SKU of the terms, in their order; by place, one for each that has any row."""
    stock = a_sku(on_hand, "on_hand", "on_hand", by=by)
    coming = a_sku(on_order, "on_order", "on_order", add=True, by=by)
    leads = a_sku(terms, "lead_time_days", "terms")
    more = {
        role: a_sku(terms, role, "terms", needed=False)
        for role in ("lead_time_sd", "minimum_quantity", "pack_size", "safety_days")
    }
    for role, given in {"lead_time_days": leads, **more}.items():
        _require_not_negative(role, given)
    for sku, pack in more["pack_size"].items():
        if pack is not None and (pack <= 0 or pack != int(pack)):
            hint = "give a whole number above 0, or NULL where there is none"
            raise BadInput("bad_value", f"the pack size of {named(sku)} is {text_of(pack)}", hint)
    places: dict[Key, list[Key]] = {} if by else {sku: [sku] for sku in leads}
    for key in sorted({*stock, *coming, *past.demand}) if by else ():
        places.setdefault(key[:1], []).append(key)
    return [
        Item(
            key=key,
            on_hand=stock.get(key),
            on_order=coming.get(key) or Fraction(0),
            demand=past.demand.get(key),
            lead_time=lead,
            lead_time_sd=more["lead_time_sd"].get(sku),
            minimum=more["minimum_quantity"].get(sku),
            pack=more["pack_size"].get(sku),
            safety_days=more["safety_days"].get(sku),
        )
        for sku, lead in leads.items()
        for key in places.get(sku, ())
    ]


def _require_not_negative(role: str, given: Mapping[Key, Fraction | None]) -> None:
    for sku, value in given.items():
        if value is not None and value < 0:
            message = f"{role} of {named(sku)} is {text_of(value)}"
            raise BadInput("bad_value", message, "give 0 or more, or NULL where it is not known")


def text_of(value: Fraction) -> str:
    """At most two decimals, for a reason."""
    return str(decimal_of(Fraction(round(value, 2))))


def decimal_of(value: Fraction) -> Decimal:
    return plain(Decimal(value.numerator) / Decimal(value.denominator))
