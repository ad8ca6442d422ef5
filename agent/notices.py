"""The sentences that code writes into an answer, in three languages."""

from agent.language import Language

_TEXTS: dict[str, dict[Language, str]] = {
    "handed_off": {
        "ja": "確かな答えが出せなかったため、担当者に引き継ぎました（{id}）。",
        "en": "This could not be answered with proof and was handed to a person ({id}).",
        "zh": "无法给出有证据的回答，已转交人工处理（{id}）。",
    },
    "rejected": {
        "ja": "担当者が回答できないと判断しました: {reason}",
        "en": "A person decided that this cannot be answered: {reason}",
        "zh": "人工判定无法回答：{reason}",
    },
    "absent": {
        "ja": "「{value}」はデータにありません（確認した表: {tables}）。",
        "en": "There is no “{value}” in the data (looked in: {tables}).",
        "zh": "数据中没有“{value}”（已查表：{tables}）。",
    },
    "partial": {
        "ja": "未解決: {tasks}",
        "en": "Not settled: {tasks}",
        "zh": "未解决：{tasks}",
    },
    "dates": {
        "ja": "対象期間: {dates}",
        "en": "Dates used: {dates}",
        "zh": "使用的日期：{dates}",
    },
    "row": {"ja": "{id}: 1行", "en": "{id}: 1 row", "zh": "{id}：1行"},
    "rows": {
        "ja": "{id}: {count}行",
        "en": "{id}: {count} rows",
        "zh": "{id}：{count}行",
    },
    "rows_cut": {
        "ja": "{id}: {count}行のうち{shown}行",
        "en": "{id}: {shown} of {count} rows",
        "zh": "{id}：{count}行中的{shown}行",
    },
    "person": {
        "ja": "担当者の回答: {text}",
        "en": "A person's answer: {text}",
        "zh": "人工回答：{text}",
    },
    "results": {
        "ja": "結果は次のとおりです。",
        "en": "The result is below.",
        "zh": "结果如下。",
    },
}

_LIMITS: dict[str, dict[Language, str]] = {
    "time": {
        "ja": "時間の上限に達したため、ここで打ち切りました。",
        "en": "Stopped here: the time limit was reached.",
        "zh": "已达到时间上限，到此为止。",
    },
    "steps": {
        "ja": "手順の上限に達したため、ここで打ち切りました。",
        "en": "Stopped here: the limit of steps was reached.",
        "zh": "已达到步骤上限，到此为止。",
    },
    "no progress": {
        "ja": "進展がなかったため、ここで打ち切りました。",
        "en": "Stopped here: there was no more progress.",
        "zh": "没有进展，到此为止。",
    },
}

LANGUAGE_NAMES: dict[Language, str] = {"ja": "Japanese", "en": "English", "zh": "Chinese"}


def limit_notice(limit: str, language: Language) -> str:
    """Why a run was cut short; "" for a reason that says nothing to the asker."""
    return _LIMITS.get(limit, {}).get(language, "")


def notice(name: str, language: Language, **values: object) -> str:
    return _TEXTS[name][language].format(**values)
