"""The sample company's master data: what it sells, where it keeps it, who supplies and buys it.

All names are invented. Money is whole yen; codes are text, some with leading zeros.
"""

from dataclasses import dataclass
from datetime import date

FIRST_DAY = date(2024, 12, 1)
LAST_DAY = date(2026, 11, 30)


@dataclass(frozen=True)
class Product:
    """`lines_per_day` and `lot` (typical quantity of a sales line) drive the simulation only."""

    sku: str
    name: str
    name_en: str
    category: str
    supplier_code: str
    abc_rank: str
    unit_cost: int
    list_price: int
    pack_size: int
    lines_per_day: float
    lot: int
    launched_on: date = date(2023, 4, 1)
    discontinued_on: date | None = None


@dataclass(frozen=True)
class Supplier:
    code: str
    name: str
    country: str
    lead_time_days: int
    minimum_order_quantity: int
    payment_terms_days: int


@dataclass(frozen=True)
class Customer:
    code: str
    name: str
    prefecture: str
    warehouse_code: str
    tier: str
    since: date
    weight: float


CATEGORIES = (
    ("電動工具", "Power tools", "第一営業課"),
    ("照明", "Lighting", "第一営業課"),
    ("収納用品", "Storage", "第二営業課"),
    ("キッチン用品", "Kitchenware", "第二営業課"),
    ("文具", "Stationery", "第三営業課"),
    ("消耗品", "Consumables", "第三営業課"),
)

WAREHOUSES = (
    ("W01", "東京倉庫", "東京都", date(2015, 4, 1), 1800),
    ("W02", "大阪倉庫", "大阪府", date(2017, 10, 1), 1400),
    ("W03", "福岡倉庫", "福岡県", date(2020, 6, 15), 750),
    ("W04", "札幌倉庫", "北海道", date(2022, 9, 1), 520),
)
WAREHOUSE_SHARE = {"W01": 0.42, "W02": 0.29, "W03": 0.17, "W04": 0.12}

SUPPLIERS = (
    Supplier("S01", "Northgate Tools Ltd.", "GB", 21, 24, 45),
    Supplier("S02", "深圳明辉照明有限公司", "CN", 35, 60, 60),
    Supplier("S03", "東海収納工業株式会社", "JP", 10, 20, 30),
    Supplier("S04", "北陸キッチンワークス株式会社", "JP", 14, 30, 30),
    Supplier("S05", "関西紙文具株式会社", "JP", 7, 50, 30),
    Supplier("S06", "Pacific Consumables Pte. Ltd.", "SG", 18, 100, 45),
    Supplier("S07", "宁波海岳五金有限公司", "CN", 28, 40, 60),
)

_PRODUCTS = """
XR-4200|コードレスドライバー XR-4200|Cordless driver XR-4200|電動工具|S01|A|7400|12800|4|1.25|3
XR-4300|コードレスドライバー XR-4300 Pro|Cordless driver XR-4300 Pro|電動工具|S01|A|11200|18600|4|0.80|2
XR-5100|インパクトレンチ XR-5100|Impact wrench XR-5100|電動工具|S01|B|13900|22800|2|0.45|2
XR-5200|ディスクグラインダー 100mm|Disc grinder 100 mm|電動工具|S01|B|5200|8900|6|0.55|3
XR-6100|電動丸のこ 165mm|Circular saw 165 mm|電動工具|S01|C|15400|25400|2|0.18|1
XR-BT18|リチウムバッテリー 18V 4.0Ah|Li-ion battery 18 V 4.0 Ah|電動工具|S01|A|4300|7600|10|0.95|4
XR-CH18|急速充電器 18V|Rapid charger 18 V|電動工具|S01|C|3100|5400|8|0.28|2
HN-0210|六角レンチセット 9本組|Hex key set, 9 pieces|電動工具|S07|B|620|1280|20|0.60|6
HN-0450|ソケットレンチセット 42点|Socket set, 42 pieces|電動工具|S07|C|3300|5980|6|0.22|2
LT-1010|LEDデスクライト 調光式|Dimmable LED desk lamp|照明|S02|A|2150|3980|12|1.45|6
LT-1020|LEDクリップライト|LED clip lamp|照明|S02|B|980|1880|24|0.70|8
LT-2050|LEDシーリングライト 8畳|LED ceiling light, 8 tatami|照明|S02|A|4600|8200|4|0.85|3
LT-2080|LEDシーリングライト 12畳|LED ceiling light, 12 tatami|照明|S02|B|6900|11900|4|0.42|2
LT-3005|LED電球 E26 60W形 2個入|LED bulb E26 60 W, pack of 2|照明|S02|A|420|880|50|1.50|20
LT-3007|LED電球 E17 40W形 2個入|LED bulb E17 40 W, pack of 2|照明|S02|B|380|820|50|0.85|15
LT-4001|人感センサーライト 屋外用|Outdoor motion sensor light|照明|S02|C|2700|4980|8|0.30|3
LT-4010|ソーラーガーデンライト 4本組|Solar garden light, set of 4|照明|S02|C|1600|3280|12|0.25|4
ST-0100|折りたたみコンテナ 50L|Folding crate 50 L|収納用品|S03|A|740|1480|10|1.30|10
ST-0120|折りたたみコンテナ 75L|Folding crate 75 L|収納用品|S03|B|980|1960|10|0.70|8
ST-0200|スチールラック 5段 幅90|Steel rack, 5 shelves, 90 cm|収納用品|S03|A|4100|7480|1|0.75|2
ST-0210|スチールラック 3段 幅60|Steel rack, 3 shelves, 60 cm|収納用品|S03|B|2600|4780|1|0.48|2
ST-0300|衣装ケース 3個組|Clothes box, set of 3|収納用品|S03|B|1900|3680|4|0.55|3
ST-0400|工具箱 450mm|Tool box 450 mm|収納用品|S07|B|1150|2280|8|0.50|4
ST-0500|パーツケース 24仕切り|Parts case, 24 compartments|収納用品|S07|C|560|1180|16|0.35|5
ST-0900|突っ張り棚 強力型|Tension shelf, heavy duty|収納用品|S03|C|1480|2980|6|0.16|2
KT-1001|ステンレス保温マグ 350ml|Stainless mug 350 ml|キッチン用品|S04|A|860|1780|24|1.20|10
KT-1002|ステンレスボトル 500ml|Stainless bottle 500 ml|キッチン用品|S04|A|1120|2280|24|1.15|9
KT-2001|IH対応フライパン 26cm|IH frying pan 26 cm|キッチン用品|S04|B|1700|3280|6|0.70|4
KT-2002|IH対応片手鍋 18cm|IH saucepan 18 cm|キッチン用品|S04|B|1850|3580|6|0.50|3
KT-3001|電気ケトル 1.0L|Electric kettle 1.0 L|キッチン用品|S04|B|2300|4280|8|0.62|4
KT-3050|卓上IHコンロ 1400W|Tabletop IH cooker 1400 W|キッチン用品|S04|C|5200|9480|2|0.24|2
KT-4001|保存容器 10点セット|Food container, set of 10|キッチン用品|S04|B|760|1580|12|0.60|6
KT-9001|たこ焼き器 18穴|Takoyaki maker, 18 holes|キッチン用品|S04|C|1900|3480|6|0.10|2
00123|A4コピー用紙 500枚|A4 copy paper, 500 sheets|文具|S05|A|310|560|50|1.60|30
00124|A3コピー用紙 500枚|A3 copy paper, 500 sheets|文具|S05|B|640|1120|25|0.60|12
00150|油性ボールペン 黒 10本入|Ballpoint pen, black, box of 10|文具|S05|B|380|820|40|0.85|12
00151|油性ボールペン 赤 10本入|Ballpoint pen, red, box of 10|文具|S05|C|380|820|40|0.35|8
00207|付箋 75mm 4色組|Sticky notes 75 mm, 4 colours|文具|S05|B|210|480|60|0.90|15
00310|リングファイル A4 10冊|Ring binder A4, pack of 10|文具|S05|B|1350|2480|10|0.55|5
00455|ラベルシール A4 100枚|Label sheets A4, 100 sheets|文具|S05|C|720|1480|20|0.30|6
00988|製図用シャープペンシル 0.3|Drafting pencil 0.3 mm|文具|S05|C|540|1180|30|0.05|3
CS-0011|布ガムテープ 50mm×25m|Cloth tape 50 mm x 25 m|消耗品|S06|A|165|348|60|1.40|24
CS-0012|養生テープ 緑 50mm×25m|Masking tape, green, 50 mm x 25 m|消耗品|S06|B|150|328|60|0.90|24
CS-0100|ニトリル手袋 M 100枚|Nitrile gloves M, box of 100|消耗品|S06|A|580|1080|50|1.10|15
CS-0101|ニトリル手袋 L 100枚|Nitrile gloves L, box of 100|消耗品|S06|B|580|1080|50|0.75|15
CS-0200|単3アルカリ乾電池 20本|AA alkaline battery, pack of 20|消耗品|S06|A|490|980|40|1.35|18
CS-0210|単4アルカリ乾電池 20本|AAA alkaline battery, pack of 20|消耗品|S06|B|470|940|40|0.85|14
CS-0300|サンドペーパー #240 10枚|Sandpaper #240, 10 sheets|消耗品|S07|C|140|320|50|0.32|12
CS-0301|ディスク砥石 100mm 5枚|Grinding disc 100 mm, pack of 5|消耗品|S07|C|430|890|40|0.40|8
"""

_LAUNCHED = {"XR-4300": date(2025, 3, 3), "LT-2080": date(2025, 9, 1)}
_DISCONTINUED = {"KT-9001": date(2026, 4, 30)}

_CUSTOMERS = """
C001|青葉ホームセンター|東京都|W01|Gold|2016-05-10|9
C002|みどり雑貨店|東京都|W01|Standard|2021-03-01|2
C003|多摩川工業資材|東京都|W01|Silver|2018-11-20|5
C004|武蔵野インテリア|東京都|W01|Standard|2022-02-14|2
C005|横浜ベイ商事|神奈川県|W01|Gold|2017-07-03|7
C006|湘南リビング|神奈川県|W01|Silver|2019-09-09|4
C007|相模原建材センター|神奈川県|W01|Standard|2020-10-01|3
C008|大宮オフィスサプライ|埼玉県|W01|Silver|2018-04-16|5
C009|川越文具館|埼玉県|W01|Standard|2023-01-10|2
C010|房総ホームストア|千葉県|W01|Standard|2019-06-24|3
C011|北関東設備|群馬県|W01|Standard|2021-12-06|2
C012|仙台あおば生活館|宮城県|W01|Gold|2018-08-01|5
C013|浪速ホームセンター|大阪府|W02|Gold|2017-10-16|8
C014|堺工具店|大阪府|W02|Silver|2018-02-19|4
C015|北摂オフィス用品|大阪府|W02|Standard|2020-05-11|3
C016|京都路地裏雑貨|京都府|W02|Standard|2021-09-13|2
C017|洛北インテリア|京都府|W02|Silver|2019-03-25|3
C018|神戸港商会|兵庫県|W02|Gold|2017-11-27|6
C019|姫路建材|兵庫県|W02|Standard|2022-07-04|2
C020|名古屋中央資材|愛知県|W02|Silver|2018-06-18|5
C021|三河ホームデポ|愛知県|W02|Standard|2020-08-31|3
C022|金沢ほくりく商店|石川県|W02|Standard|2023-05-22|1
C023|岡山桃太郎ストア|岡山県|W02|Standard|2021-02-08|2
C024|博多リビングプラザ|福岡県|W03|Gold|2020-07-01|6
C025|天神オフィスマート|福岡県|W03|Silver|2020-09-14|4
C026|北九州工業サプライ|福岡県|W03|Silver|2020-12-07|4
C027|熊本城下雑貨|熊本県|W03|Standard|2021-04-19|2
C028|鹿児島南国商会|鹿児島県|W03|Standard|2022-10-17|2
C029|長崎出島ストア|長崎県|W03|Standard|2023-07-10|1
C030|広島みやじま商事|広島県|W03|Silver|2021-06-28|3
C031|札幌大通ホーム|北海道|W04|Gold|2022-09-05|6
C032|小樽運河雑貨|北海道|W04|Standard|2022-11-21|2
C033|旭川設備工業|北海道|W04|Silver|2022-10-03|3
C034|函館港資材|北海道|W04|Standard|2023-03-13|2
C035|帯広農材センター|北海道|W04|Standard|2023-06-05|2
C036|青森りんご生活館|青森県|W04|Standard|2023-09-25|1
"""


def products() -> list[Product]:
    made = []
    for line in _PRODUCTS.strip().splitlines():
        sku, name, name_en, category, supplier, rank, cost, price, pack, rate, lot = line.split("|")
        made.append(
            Product(
                sku, name, name_en, category, supplier, rank,
                int(cost), int(price), int(pack), float(rate), int(lot),
                _LAUNCHED.get(sku, date(2023, 4, 1)), _DISCONTINUED.get(sku),
            )
        )  # fmt: skip
    return made


def customers() -> list[Customer]:
    rows = [line.split("|") for line in _CUSTOMERS.strip().splitlines()]
    return [
        Customer(code, name, prefecture, warehouse, tier, date.fromisoformat(since), float(weight))
        for code, name, prefecture, warehouse, tier, since, weight in rows
    ]


def jan_code(number: int) -> str:
    """A 13-digit article number of the in-house range (prefix 20), check digit by the EAN rule."""
    body = f"20{number:010d}"
    weighted = sum(int(digit) * (3 if i % 2 else 1) for i, digit in enumerate(body))
    return body + str(-weighted % 10)
