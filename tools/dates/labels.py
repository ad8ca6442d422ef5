"""The label of a resolved date: the range and the reading that was taken, in three languages."""

from reranker.language import Language
from tools.dates.calendar import CalendarSettings, Span

_DAYS = {
    "ja": "月火水木金土日",
    "zh": "一二三四五六日",
    "en": ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"),
}
_NOTES: dict[str, dict[Language, str]] = {
    "fiscal": {
        "ja": "会計年度 ({fiscal}月始まり)",
        "en": "fiscal year, begins in month {fiscal}",
        "zh": "财年 ({fiscal}月开始)",
    },
    "calendar": {"ja": "暦年", "en": "calendar year", "zh": "日历年"},
    "term_ending": {
        "ja": "その月に終わる12か月の決算期",
        "en": "the twelve months ending then",
        "zh": "截至该月的12个月",
    },
    "no_year": {
        "ja": "年の指定がないため、すでに始まった直近のもの",
        "en": "no year given: the most recent that has begun",
        "zh": "未指明年份: 取最近已开始的",
    },
    "iso_week": {"ja": "ISO週", "en": "ISO week", "zh": "ISO周"},
    "week_start": {
        "ja": "{weekday}曜始まりの週",
        "en": "weeks begin on {weekday}",
        "zh": "每周从周{weekday}开始",
    },
    "closing": {
        "ja": "締め日の翌日から締め日まで",
        "en": "closing period: the day after the last closing day to the closing day",
        "zh": "结算期: 上一结算日次日至结算日",
    },
    "no_closing_day": {
        "ja": "締め日の設定がないため暦月",
        "en": "no closing day is set: the calendar month",
        "zh": "未设结算日: 取自然月",
    },
    "rolling": {
        "ja": "今日を含み今日まで",
        "en": "ends today, today included",
        "zh": "截至今天, 含今天",
    },
    "coming": {
        "ja": "今日を含み今日から",
        "en": "begins today, today included",
        "zh": "从今天起, 含今天",
    },
    "complete": {
        "ja": "完了した期間のみ、今の期間を含まない",
        "en": "complete periods only, not the current one",
        "zh": "仅完整周期, 不含当前周期",
    },
    "weekend": {"ja": "土曜と日曜", "en": "Saturday and Sunday", "zh": "周六和周日"},
    "whole_period": {"ja": "その期間の全体", "en": "that whole period", "zh": "整个周期"},
    "to_date": {"ja": "今日まで", "en": "up to today", "zh": "截至今天"},
    "since": {"ja": "今日まで", "en": "up to today", "zh": "截至今天"},
    "year_before": {"ja": "その1年前", "en": "one year before that", "zh": "其上一年"},
    "period_before": {
        "ja": "その直前の期間",
        "en": "the period just before that",
        "zh": "其前一周期",
    },
    "weekday_last": {
        "ja": "今日より前の直近",
        "en": "the most recent before today",
        "zh": "今天之前最近的",
    },
    "weekday_this": {"ja": "今週の", "en": "of the current week", "zh": "本周的"},
    "weekday_next": {
        "ja": "今日より後の最初",
        "en": "the first after today",
        "zh": "今天之后最早的",
    },
}
_TO: dict[Language, str] = {"ja": "〜", "en": " to ", "zh": " 至 "}


def label(expression: str, span: Span, language: Language, settings: CalendarSettings) -> str:
    """`先月 = 2026-10-01〜2026-10-31`, with the reading in brackets where there are two."""
    days = span.start.isoformat()
    if span.end != span.start:
        days += _TO[language] + span.end.isoformat()
    weekday = _DAYS[language][settings.week_start]
    remarks = [
        _NOTES[key][language].format(fiscal=settings.fiscal_year_start, weekday=weekday)
        for key in dict.fromkeys(span.notes)
    ]
    remark = f" ({'; '.join(remarks)})" if remarks else ""
    return f"{' '.join(expression.split())} = {days}{remark}"
