"""What a picture says about itself, in the question's language."""

from agent.language import Language

_TEXTS: dict[str, dict[Language, str]] = {
    "blank": {"ja": "（空欄）", "en": "(blank)", "zh": "（空）"},
    "more": {"ja": " ほか{count}件", "en": " and {count} more", "zh": " 等另外{count}项"},
    "row": {
        "ja": "根拠 {id} · {source} · {count}行",
        "en": "Evidence {id} · {source} · {count} row",
        "zh": "依据 {id} · {source} · {count}行",
    },
    "rows": {
        "ja": "根拠 {id} · {source} · {count}行",
        "en": "Evidence {id} · {source} · {count} rows",
        "zh": "依据 {id} · {source} · {count}行",
    },
    "asked": {
        "ja": "質問日 {day}（データ第{revision}版）",
        "en": "asked on {day} (data revision {revision})",
        "zh": "提问日 {day}（数据版本{revision}）",
    },
    "excluded": {
        "ja": "読み取れなかった{count}個のセルを除く",
        "en": "{count} unreadable cells are left out",
        "zh": "不含{count}个无法读取的单元格",
    },
    "cut": {
        "ja": "{count}行のうち先頭の{shown}行",
        "en": "the first {shown} of {count} rows",
        "zh": "{count}行中的前{shown}行",
    },
    "undated": {
        "ja": "日付のない{count}行は描いていません",
        "en": "{count} rows without a date are not drawn",
        "zh": "未绘制{count}个没有日期的行",
    },
    "measures": {
        "ja": "描いていない列: {names}",
        "en": "columns not drawn: {names}",
        "zh": "未绘制的列：{names}",
    },
    "series": {
        "ja": "値の大きい{shown}系列のみ。描いていない系列: {names}",
        "en": "the {shown} largest series only; not drawn: {names}",
        "zh": "仅绘制数值最大的{shown}个系列；未绘制：{names}",
    },
    "latest": {
        "ja": "{count}期間のうち直近の{shown}期間",
        "en": "the latest {shown} of {count} periods",
        "zh": "{count}个期间中最近的{shown}个",
    },
    "bars": {
        "ja": "{count}件のうち先頭の{shown}件（結果の並び順）",
        "en": "the first {shown} of {count}, in the order of the rows",
        "zh": "{count}项中的前{shown}项（按结果顺序）",
    },
    "others": {
        "ja": "ほかに描ける根拠: {names}",
        "en": "could be drawn as well: {names}",
        "zh": "其他可绘制的依据：{names}",
    },
}


def say(name: str, language: Language, **values: object) -> str:
    return _TEXTS[name][language].format(**values)
