"""The reasons of a reorder proposal in three languages."""

from collections.abc import Mapping

from reranker.language import Language

_WORDS: Mapping[str, Mapping[Language, str]] = {
    "order": {
        "en": "stock and orders {stock} ≤ reorder point {point} ({a_day} a day × {lead} days + safety stock {safety})",
        "ja": "在庫と発注残 {stock} ≤ 発注点 {point}(1日 {a_day} × {lead}日 + 安全在庫 {safety})",
        "zh": "库存加在途 {stock} ≤ 再订货点 {point}(日均 {a_day} × {lead}天 + 安全库存 {safety})",
    },
    "enough": {
        "en": "stock and orders {stock} > reorder point {point} ({a_day} a day × {lead} days + safety stock {safety})",
        "ja": "在庫と発注残 {stock} > 発注点 {point}(1日 {a_day} × {lead}日 + 安全在庫 {safety})",
        "zh": "库存加在途 {stock} > 再订货点 {point}(日均 {a_day} × {lead}天 + 安全库存 {safety})",
    },
    "up_to": {
        "en": "; {need} bring it to the reorder point and {days} days more",
        "ja": "、発注点+{days}日分まで {need}",
        "zh": ",补足到再订货点加{days}天需 {need}",
    },
    "cover": {
        "en": "; {need} for {days} days",
        "ja": "、{days}日分 {need}",
        "zh": ",{days}天用量 {need}",
    },
    "minimum": {
        "en": "; minimum order {minimum}",
        "ja": "、最小発注数量 {minimum}",
        "zh": ",最小订货量 {minimum}",
    },
    "packs": {
        "en": "; {packs} packs of {pack}",
        "ja": "、入数 {pack} × {packs}",
        "zh": ",每包 {pack} × {packs}",
    },
    "no_stock_row": {
        "en": "no stock figure, taken as 0; ",
        "ja": "在庫の記録なし(0として計算)、",
        "zh": "没有库存记录(按0计算),",
    },
    "no_demand": {
        "en": "no demand in the period",
        "ja": "期間中の需要なし",
        "zh": "期间内没有需求",
    },
    "no_lead_time": {
        "en": "not worked out: no lead time",
        "ja": "計算不可: リードタイムなし",
        "zh": "无法计算: 没有提前期",
    },
    "no_variation": {
        "en": "not worked out: no demand by day or month, and no safety days",
        "ja": "計算不可: 日別・月別の需要も安全在庫日数もなし",
        "zh": "无法计算: 没有按日或按月的需求,也没有安全库存天数",
    },
    "look_alike": {
        "en": "not worked out: {where} has {other} and not {sku}; write both alike in the SQL",
        "ja": "計算不可: {where}は {sku} でなく {other} と表記。SQLで表記を揃える",
        "zh": "无法计算: {where}中写作 {other} 而不是 {sku},请在SQL中统一写法",
    },
    "demand": {"en": "the demand", "ja": "需要", "zh": "需求"},
    "on_hand": {"en": "the stock", "ja": "在庫", "zh": "库存"},
    "on_order": {"en": "what is on order", "ja": "発注残", "zh": "在途"},
    "summary": {
        "en": "{all} SKUs: {order} to order, {enough} not, {unknown} not worked out; demand of {period}",
        "ja": "{all} SKU: 発注 {order}、不要 {enough}、計算不可 {unknown}。需要の期間 {period}",
        "zh": "{all}个SKU: 需订货 {order},不需要 {enough},无法计算 {unknown}。需求期间 {period}",
    },
    "summary_by": {
        "en": "{all} SKUs by place: {order} to order, {enough} not, {unknown} not worked out; demand of {period}",
        "ja": "SKUと拠点 {all} 組: 発注 {order}、不要 {enough}、計算不可 {unknown}。需要の期間 {period}",
        "zh": "SKU与地点共{all}组: 需订货 {order},不需要 {enough},无法计算 {unknown}。需求期间 {period}",
    },
    "policy": {
        "en": "assumed: {parts}",
        "ja": "前提: {parts}",
        "zh": "前提: {parts}",
    },
    "comma": {"en": "; ", "ja": "、", "zh": ","},
    "by_level": {
        "en": "safety stock for a service level of {level}%",
        "ja": "安全在庫はサービス率{level}%",
        "zh": "安全库存按服务水平{level}%",
    },
    "by_days": {
        "en": "safety stock of {days} days",
        "ja": "安全在庫は{days}日分",
        "zh": "安全库存为{days}天用量",
    },
    "own_days": {
        "en": "{count} by safety days of their own",
        "ja": "{count}件は個別の安全在庫日数",
        "zh": "{count}项按各自的安全库存天数",
    },
    "covers": {
        "en": "ordered up to the reorder point and {days} days of demand more",
        "ja": "発注点+{days}日分まで発注",
        "zh": "订至再订货点加{days}天用量",
    },
    "covers_only": {
        "en": "{days} days of demand are ordered",
        "ja": "{days}日分を発注",
        "zh": "订{days}天用量",
    },
    "without_terms": {
        "en": "{count} SKUs with demand have no terms and are left out: {skus}",
        "ja": "需要があるが条件のない {count} SKU は対象外: {skus}",
        "zh": "{count}个有需求但没有条件的SKU不在其中: {skus}",
    },
}  # fmt: skip


def said(name: str, language: Language, **values: object) -> str:
    return _WORDS[name][language].format(**values)
