"""A table of number formats: each cell, what it is by the rule above its group, and its unit.

Expected values were worked out by hand; "none" is a cell that is no number, or could be two.
"""

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import duckdb
import pytest

from ingest.tables import TableImport
from ingest.tables.cells import read_number

FORMATS = """
# Plain digits; zero is zero.
0|0|
7|7|
1234567890|1234567890|
-7|-7|
+5|5|
0.5|0.5|
.5|0.5|
0.50|0.50|
-0.25|-0.25|

# A leading zero makes a code.
007|none|
00|none|
0123456|none|
００１|none|
007.5|none|
0,123|none|

# A comma before every three digits separates thousands.
1,234|1234|
1,234,567|1234567|
12,345,678.90|12345678.90|
-1,234.5|-1234.5|
1，234|1234|
１，２３４|1234|

# Separators that could be either, or stand elsewhere, are no number.
1,7|none|
1,23|none|
12,34,567|none|
1.234.567|none|
1,234,56|none|
1 234|none|
1'234|none|
1、234|none|
1.2.3|none|
1,,234|none|

# Full-width forms are those they stand for.
１２３|123|
－５|-5|
＋５|5|
１２．５|12.5|
　12　|12|

# Accounting negatives: ▲ △ − in front, in brackets, or a minus behind.
▲1,200|-1200|
△12|-12|
▲ 300|-300|
△0.5|-0.5|
−12.5|-12.5|
–5|-5|
‐5|-5|
(12)|-12|
（1,000）|-1000|
( 12 )|-12|
12-|-12|
1,234-|-1234|
1,234▲|-1234|

# Two signs are no number.
--5|none|
-5-|none|
(-5)|none|
(5)-|none|
▲▲5|none|
▲-5|none|
(12|none|
12)|none|

# ,- and .- end a price.
12,-|12|
1,200.-|1200|
¥1,200,-|1200|¥

# Currencies before or behind; ¥ is settled for the whole table.
¥1,200|1200|¥
￥1,200|1200|¥
\\1,200|1200|¥
-¥300|-300|¥
¥-300|-300|¥
▲¥500|-500|¥
(¥1,200)|-1200|¥
1,200円|1200|JPY
1,200 円|1200|JPY
▲300円|-300|JPY
30元|30|CNY
RMB 8|8|CNY
$19.90|19.90|USD
5 USD|5|USD
USD 5|5|USD
JPY 1,000|1000|JPY
€5|5|EUR
5€|5|EUR
£7.50|7.50|GBP

# Scale words are multiplied in.
1,234千円|1234000|JPY
1.5百万円|1500000|JPY
5万円|50000|JPY
3億円|300000000|JPY
1兆円|1000000000000|JPY
5十億円|5000000000|JPY
12.3万|123000|
3千|3000|
2.5亿|250000000|
100万元|1000000|CNY
▲3千円|-3000|JPY
(2百万円)|-2000000|JPY
0.5万円|5000|JPY

# Percent stays in points.
12.5%|12.5|%
12.5％|12.5|%
5 %|5|%
▲3.2%|-3.2|%
(5%)|-5|%
0%|0|%
150％|150|%

# Counters and measures are the unit.
20個|20|個
3箱|3|箱
1,000枚|1000|枚
5台|5|台
3ケース|3|ケース
2.5kg|2.5|kg
10 pcs|10|pcs
500g|500|g
30㎡|30|m2
12件|12|件
8个|8|个

# Exponents.
1.5E+3|1500|
1e3|1000|
2E-2|0.02|
1e|none|

# Approximations, bounds, ranges, fractions, remarks and other words are no number.
約100|none|
100以上|none|
100未満|none|
10~20|none|
10〜20|none|
10-20|none|
1/2|none|
１/２|none|
½|none|
3個位|none|
12%以上|none|
5個/箱|none|
5x|none|
x5|none|
abc|none|
12:30|none|
2026-01-05|none|
XR-4200|none|
0x1F|none|
NaN|none|
inf|none|
∞|none|
TBD|none|
?|none|
5円10銭|none|

# A sign, bracket or unit alone is none either.
-|none|
△|none|
()|none|
¥|none|
円|none|
%|none|
"""
COLUMNS: dict[str, tuple[tuple[str, str, str], tuple[str | None, str | None, str | None]]] = {
    "売上(千円)": (("3", "▲2", "1.5"), ("3000", "-2000", "1500")),
    "金額（百万円）": (("1.25", "2", "0"), ("1250000", "2000000", "0")),
    "価格": (("¥1,200", "800円", "(50)"), ("1200", "800", "-50")),
    "構成比": (("12.5%", "８％", "▲3%"), ("12.5", "8", "-3")),
    "数量": (("20個", "3個", ""), ("20", "3", None)),
    "残": (("０", "１，２３４", "-"), ("0", "1234", None)),
    "単価": (("$19.90", "$5", "N/A"), ("19.90", "5", None)),
    "増減": (("12-", "△3", "+4"), ("-12", "-3", "4")),
    "規模": (("1.2億円", "300万円", "5,000千円"), ("120000000", "3000000", "5000000")),
    "重量": (("2.5kg", "10kg", "0.5kg"), ("2.5", "10", "0.5")),
    "係数": (("1.5E+3", "2", "3"), ("1500", "2", "3")),
    "差額": (("▲1,000", "△2,000", "−3,000"), ("-1000", "-2000", "-3000")),
    "値引": (("1,200.-", "12,-", "5"), ("1200", "12", "5")),
    "返品": (("0", "0", "0"), ("0", "0", "0")),
}
"""Headers, their cells, and the figures that the table holds."""
TEXTS = {
    "商品コード": ("0012", "345", "6"),
    "棚": ("007", "8", "9"),
    "比率": ("1/2", "0.5", "0.25"),
    "見込": ("約100", "120", "130"),
    "通貨混在": ("$5", "€5", "$6"),
}
"""Columns that stay as they are written: codes, and those with too many cells that are no number."""


def formats() -> list[tuple[str, str, str]]:
    lines = (line for line in FORMATS.splitlines() if line and not line.startswith("#"))
    return [
        (cell, value, unit) for cell, value, unit in (f"{row}|".split("|")[:3] for row in lines)
    ]


@pytest.mark.parametrize(("cell", "value", "unit"), formats())
def test_a_cell_is_the_number_of_its_rule_or_none(cell: str, value: str, unit: str) -> None:
    number = read_number(cell)
    if value == "none":
        assert number is None
    else:
        assert number is not None
        assert (number.value, number.unit or "") == (Decimal(value), unit)


def test_columns_of_every_format_hold_exact_figures(
    take: Callable[..., TableImport], connection: duckdb.DuckDBPyConnection
) -> None:
    cells: dict[str, Any] = {header: given for header, (given, _) in COLUMNS.items()} | TEXTS
    lines = [";".join(cells), *(";".join(row) for row in zip(*cells.values(), strict=True))]
    (table,) = take("\n".join(lines) + "\n", name="formats.csv").tables
    found = connection.execute(f'SELECT * FROM "{table.name}"').fetchall()
    for place, header in enumerate(cells):
        held = [row[place] for row in found]
        if header in TEXTS:
            assert (header, held) == (header, list(TEXTS[header]))
            continue
        expected = [None if v is None else Decimal(v) for v in COLUMNS[header][1]]
        assert (header, [None if v is None else Decimal(str(v)) for v in held]) == (
            header,
            expected,
        )


def test_the_table_is_as_large_as_it_is_meant_to_be() -> None:
    assert len(set(formats())) == len(formats()) >= 100
