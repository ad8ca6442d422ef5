"""The label of a resolved date: the range and the reading that was taken, in three languages."""

from reranker.language import Language
from tools.dates.calendar import CalendarSettings, Span
from tools.dates.shifts import is_whole_months

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
    "fiscal_named": {
        "ja": "年度名は始まる年",
        "en": "named by the calendar year in which it begins",
        "zh": "以开始的年份命名",
    },
    "fiscal_assumed": {
        "ja": "年度の始まりは未設定のため仮定",
        "en": "its start is assumed: nobody set fiscal_year_start",
        "zh": "财年起始月未设置, 为假定",
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
    "closing_now": {
        "ja": "今日を含む締め期間から数えて{closing}月度",
        "en": "the period that closes in month {closing}, counted from the one that holds today",
        "zh": "从包含今天的结算期起算, {closing}月结算",
    },
    "calendar_months": {
        "ja": "暦月。{day}日締めは月度と書く",
        "en": "calendar months; write 月度 for periods that close on day {day}",
        "zh": "自然月; 按{day}日结算请写月度",
    },
    "cumulative": {
        "ja": "その年の初日からの累計",
        "en": "added up from the first day of its year",
        "zh": "从该年首日累计",
    },
    "from_alone": {
        "ja": "その期間のみ。今日までなら「以降」",
        "en": "that period alone; since would last until today",
        "zh": "仅该期间; 至今请写以来",
    },
    "same_to_date": {
        "ja": "対象期間の指定がないため年初または期初から今日まで",
        "en": "no period is named: its year up to today",
        "zh": "未指明期间: 取年初至今",
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
    "years_before": {"ja": "その2年前", "en": "two years before that", "zh": "其前两年"},
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
        _NOTES[key][language].format(
            fiscal=settings.fiscal_year_start,
            weekday=weekday,
            closing=span.end.month,
            day=settings.closing_day,
        )
        for key in _noted(span, language, settings)
    ]
    remark = f" ({'; '.join(remarks)})" if remarks else ""
    return f"{' '.join(expression.split())} = {days}{remark}"


def _noted(span: Span, language: Language, settings: CalendarSettings) -> list[str]:
    """The remarks that this company's calendar calls for, in order."""
    noted = list(dict.fromkeys(span.notes))
    if "fiscal_named" in noted and not _may_be_misread(language, settings):
        noted.remove("fiscal_named")
    if "fiscal" in noted and settings.fiscal_assumed:
        noted.append("fiscal_assumed")
    has_closing_day = settings.closing_day is not None and settings.closing_day < 31
    if has_closing_day and "closing" not in noted and is_whole_months(span):
        noted.append("calendar_months")
    return noted


def _may_be_misread(language: Language, settings: CalendarSettings) -> bool:
    """Japanese and Chinese name a year from April by its beginning, and all do so from January."""
    start = settings.fiscal_year_start
    return start != 1 and (language == "en" or start != 4)
