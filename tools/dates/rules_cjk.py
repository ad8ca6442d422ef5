"""Japanese and Chinese date expressions, and numeric dates of any language."""

import re
from dataclasses import replace
from datetime import timedelta

from tools.dates import rolling
from tools.dates.calendar import Span, Unit, add_months, month_span, period
from tools.dates.closing import CLOSES, DAY, closing_day
from tools.dates.eras import era_year
from tools.dates.numerals import NUMBER, whole
from tools.dates.piece import Edge, Piece
from tools.dates.pieces import whole_period
from tools.dates.rules import Clock, Rule, rule, same, same_period

_ND = r"(?<![\d〇一二三四五六七八九十百第])"
"""Not in the middle of a numeral."""

_NAMED: dict[tuple[Unit, bool, int], str] = {
    ("day", False, 0): "今日 本日 今天 きょう",
    ("day", False, -1): "昨日 昨天 きのう",
    ("day", False, -2): "一昨日 おととい 前天",
    ("day", False, -3): "一昨々日 一昨昨日 さきおととい 大前天",
    ("day", False, 1): "明日 明天 あした",
    ("day", False, 2): "明後日 あさって 后天 後天",
    ("day", False, 3): "明々後日 明明後日 しあさって 大后天 大後天",
    ("week", False, 0): "今週 本周 这周 這週 本週 这个星期 本星期 这星期 这一周",
    ("week", False, -1): "先週 前週 上周 上週 上个星期 上個星期 上星期 上一周",
    ("week", False, -2): "先々週 前々週 上上周 上上週 上上个星期 上上星期",
    ("week", False, 1): "来週 翌週 下周 下週 下个星期 下星期",
    ("week", False, 2): "再来週 さ来週 翌々週 下下周 下下週 下下个星期 下下星期",
    ("month", False, 0): "今月 当月 本月 这个月 這個月",
    ("month", False, -1): "先月 前月 上月 上个月 上個月 上一个月",
    ("month", False, -2): "先々月 前々月 上上个月 上上個月 上上月",
    ("month", False, 1): "来月 翌月 下月 下个月 下個月",
    ("month", False, 2): "再来月 さ来月 翌々月 下下个月 下下個月 下下月",
    ("quarter", True, 0): "今四半期 当四半期 今の四半期",
    ("quarter", True, -1): "前四半期 先四半期",
    ("quarter", True, -2): "前々四半期 先々四半期",
    ("quarter", True, 1): "来四半期 翌四半期 次の四半期 次四半期",
    ("quarter", False, 0): "本季度 这个季度 這個季度 本季 当季",
    ("quarter", False, -1): "上季度 上个季度 上個季度 上一季度 上季",
    ("quarter", False, -2): "上上季度 上上个季度 上上個季度",
    ("quarter", False, 2): "下下季度 下下个季度 下下個季度",
    ("quarter", False, 1): "下季度 下个季度 下個季度",
    ("half", True, 0): "今半期",
    ("year", True, 0): "今期 当期 今年度 本年度 当年度 本财年 本財年 这个财年",
    ("year", True, -1): "前期 昨年度 前年度 上财年 上財年 上一财年 上个财年 上年度 去年度",
    ("year", True, -2): "前々期 前々年度 一昨年度",
    ("year", True, 1): "来期 翌期 来年度 翌年度 下财年 下財年 下一财年",
    ("year", True, 2): "再来期 再来年度 翌々期 翌々年度",
    ("year", False, 0): "今年 本年 当年",
    ("year", False, -1): "昨年 去年 上年",
    ("year", False, -2): "一昨年 おととし 前々年",
    ("year", False, -3): "大前年 一昨々年 さきおととし",
    ("year", False, 1): "来年 翌年 明年",
    ("year", False, 2): "再来年 さ来年 翌々年 后年",
}
_NOT_FURTHER = (
    "(?!(?<=(?P<same>[上下大去来后後前明]))(?:(?P=same)|(?<=明)[后後]))"
    "(?<!大大)(?<!上上)(?<!下下)(?<!再々)(?<!大(?=昨|前))"
)
"""大大后天, 上上上个月 and 去去年 lie further off than the words they end with."""
_WORDS = {w: key for key, words in _NAMED.items() for w in words.split()}
_WEEKS = "|".join(sorted((w for w, k in _WORDS.items() if k[0] == "week"), key=len, reverse=True))
_MONTH_WORDS = "|".join(
    sorted((w for w, k in _WORDS.items() if k[0] == "month"), key=len, reverse=True)
)
_UNITS: dict[str, Unit] = {
    "日": "day", "日間": "day", "天": "day",
    "週": "week", "週間": "week", "周": "week", "个星期": "week", "星期": "week", "周间": "week",
    "か月": "month", "か月間": "month", "ヶ月": "month", "个月": "month", "個月": "month", "ヵ月": "month",
    "四半期": "quarter", "个季度": "quarter", "個季度": "quarter", "季度": "quarter",
    "年": "year", "年間": "year", "か年": "year",
}  # fmt: skip
_UNIT = "(?P<unit>" + "|".join(sorted(_UNITS, key=len, reverse=True)) + ")"
_WEEKDAYS = "月火水木金土日"
_CHINESE_WEEKDAYS = "一二三四五六日"
_NO_WEEKDAY = r"[共直些般起样次均销種种个個款家件名位类類万千百十大报常程度期]"
"""上周一共, 上周日均, 上周三种: the numeral or the day belongs to the next word."""


def _named(m: re.Match[str], clock: Clock) -> Piece:
    unit, fiscal, offset = _WORDS[m["word"]]
    return whole_period(unit, offset, clock.today, clock.settings, fiscal)


def _last_but_one_or_last_year(m: re.Match[str], clock: Clock) -> Piece:
    """前年 is last year in Japanese and the year before last in Chinese."""
    offset = -2 if clock.language == "zh" else -1
    return whole_period("year", offset, clock.today, clock.settings, False)


def _rolling(m: re.Match[str], clock: Clock) -> Piece:
    count = whole(m["count"])
    unit: Unit = "month" if m["unit2"] == "月" else _UNITS[m["unit"] or m["unit2"]]
    if m["complete"] or m["complete2"]:
        return rolling.complete(count, unit, clock.today, clock.settings)
    return rolling.last(count, unit, clock.today)


def _to_date(m: re.Match[str], clock: Clock) -> Piece:
    units: dict[str, tuple[rolling.ToDateUnit, bool]] = {
        "年度初": ("year", True), "期初": ("year", True), "年初": ("year", False),
        "月初": ("month", False), "季初": ("quarter", False), "季度初": ("quarter", False),
        "今年": ("year", False), "本年": ("year", False), "本月": ("month", False),
        "今月": ("month", False), "今期": ("year", True), "今年度": ("year", True),
        "本年度": ("year", True), "本季度": ("quarter", False), "本财年": ("year", True),
        "週初": ("week", False),
    }  # fmt: skip
    unit, fiscal = units[m["since"]]
    return rolling.to_date(unit, clock.today, clock.settings, fiscal)


def _weekday(m: re.Match[str], clock: Clock) -> Piece:
    word = m["ja"] or m["zh"]
    target = (_WEEKDAYS if m["ja"] else _CHINESE_WEEKDAYS).index(word.replace("天", "日"))
    _, _, offset = _WORDS[m["week"]]
    first = period(clock.today, "week", offset, clock.settings, False).start
    day = first + timedelta(days=(target - first.weekday()) % 7)
    return Piece("span", span=Span(day, day, ("week_start",)), relative=True)


def _weekend(m: re.Match[str], clock: Clock) -> Piece:
    _, _, offset = _WORDS[m["week"]]
    monday = clock.today - timedelta(days=clock.today.weekday() - 7 * offset)
    days = Span(monday + timedelta(days=5), monday + timedelta(days=6), ("weekend",))
    return Piece("span", span=days, relative=True)


def _calendar_year(m: re.Match[str], clock: Clock) -> Piece:
    return Piece("year", year=whole(m["year"]))


def _fiscal_year(m: re.Match[str], clock: Clock) -> Piece:
    return Piece("year", year=int(m["year"]), fiscal=True)


def _era(m: re.Match[str], clock: Clock) -> Piece:
    era = m["era"].upper()
    year = era_year(era, whole(m["year"]), clock.today)
    return Piece("year", year=year, fiscal=True if m["fiscal"] else None, era=era)


def _era_date(m: re.Match[str], clock: Clock) -> Piece:
    era = m["era"].upper()
    year = era_year(era, whole(m["year"]), clock.today)
    if not m["day"]:
        return Piece("month", number=int(m["month"]), year=year, era=era)
    return Piece("day", number=int(m["month"]), day=int(m["day"]), year=year, era=era)


def _ymd(m: re.Match[str], clock: Clock) -> Piece:
    return Piece("day", number=int(m["month"]), day=int(m["day"]), year=int(m["year"]))


def _ym(m: re.Match[str], clock: Clock) -> Piece | None:
    if m["sep"] == "/" and not 1 <= int(m["month"]) <= 12:
        return None
    return Piece("month", number=int(m["month"]), year=int(m["year"]))


def _month(m: re.Match[str], clock: Clock) -> Piece:
    if m["day"]:
        return Piece("day", number=whole(m["month"]), day=whole(m["day"]))
    return Piece("month", number=whole(m["month"]))


def _closing_month(m: re.Match[str], clock: Clock) -> Piece:
    year = int(m["year"]) if m["year"] else None
    day = closing_day(m["closing"])
    return Piece("closing", number=whole(m["month"]), closing_day=day, year=year)


def _months(m: re.Match[str], clock: Clock) -> Piece:
    return Piece("months", number=whole(m["first"]), day=whole(m["last"]))


def _quarter(m: re.Match[str], clock: Clock) -> Piece:
    return Piece("quarter", number=whole(m["n"]), fiscal_default="四半期" in m[0])


def _half(m: re.Match[str], clock: Clock) -> Piece:
    number = 1 if m[0].startswith(("上", "前")) else 2
    return Piece("half", number=number, fiscal_default="年" not in m[0])


def _term_ending(m: re.Match[str], clock: Clock) -> Piece:
    """2025年3月期: the twelve months that end with that month."""
    start, end = month_span(int(m["year"]), int(m["month"]))
    return Piece("span", span=Span(add_months(start, -11), end, ("term_ending",)))


def _bare_edge(m: re.Match[str], clock: Clock) -> Piece:
    units: dict[str, tuple[Unit, bool]] = {
        "月": ("month", False), "年": ("year", False), "期": ("year", True), "年度": ("year", True),
        "四半期": ("quarter", True), "季": ("quarter", False), "季度": ("quarter", False),
    }  # fmt: skip
    unit, fiscal = units[m["unit"]]
    piece = whole_period(unit, 0, clock.today, clock.settings, fiscal)
    edge: Edge = "first" if m["edge"] == "初" else "last"
    return replace(piece, edge=edge, relative=True)


_SAME: dict[str, Unit] = {
    "日": "day", "天": "day", "週": "week", "周": "week", "月": "month",
    "季": "quarter", "季度": "quarter", "四半期": "quarter",
}  # fmt: skip


def _same_last_year(m: re.Match[str], clock: Clock) -> Piece:
    """Of the period beside it, or else of the current one; 前年同期 alone is to date."""
    years = 2 if m["two"] else 1
    if m["unit"] == "期":
        return same_period(years, clock, fiscal=m["base"] not in ("去年", "上年"))
    return same(_SAME[m["unit"]], years, clock)


RULES: tuple[Rule, ...] = (
    rule(
        _NOT_FURTHER
        + "(?P<word>"
        + "|".join(sorted(_WORDS, key=len, reverse=True))
        + ")(?!の?同(?:期|月|日|週|周|四半期|季)|同比|末の?週|営業日|度)",
        _named,
    ),
    rule(rf"{_NOT_FURTHER}(?P<week>{_WEEKS})(?<=[周週])末", _weekend),
    rule(
        _NOT_FURTHER + f"(?P<word>{_MONTH_WORDS})度",
        lambda m, c: Piece("closing", relative=True, month_offset=_WORDS[m["word"]][2]),
    ),
    rule(r"(?<![\d大前])前年(?!度|々|の?同)", _last_but_one_or_last_year),
    rule(
        rf"(?:過去|直近|最近|过去|近|この|ここ)の?\s*(?P<count>{NUMBER})\s*"
        rf"(?:{_UNIT}|(?P<complete2>[个個]?完整的?(?P<unit2>月|周|季度)))"
        r"(?P<complete>の?(?:月間|月次|月別|完了月))?",
        _rolling,
    ),
    rule(
        r"(?:過去|直近|最近|过去|近)の?半年間?",
        lambda m, clock: rolling.last(6, "month", clock.today),
    ),
    rule(
        rf"(?:今後|向こう|未来|将来|接下来|今后)の?\s*(?P<count>{NUMBER})\s*{_UNIT}",
        lambda m, clock: rolling.coming(whole(m["count"]), _UNITS[m["unit"]], clock.today),
    ),
    rule(
        rf"{_ND}(?P<count>{NUMBER})\s*{_UNIT}(?:前|之前)(?!年|月|期|後|半)",
        lambda m, c: rolling.ago(whole(m["count"]), _UNITS[m["unit"]], c.today, c.settings),
    ),
    rule(
        r"(?P<since>年度初|年初|期初|月初|季度初|季初|週初)(?:以?来|以降|至今|"
        r"め?(?:から|より)(?:(?:今日|現在|本日)まで|(?=\s*(?:$|[、,。?)]|の)))|起(?!点)|到现在|到今天)",
        _to_date,
    ),
    rule(
        r"(?P<since>今年|本年|本月|今月|今期|今年度|本年度|本季度|本财年)(?:に入って(?:から)?|以来|至今|"
        r"これまで|迄今|ここまで|到现在|到目前)",
        _to_date,
    ),
    rule(
        rf"{_NOT_FURTHER}(?P<week>{_WEEKS})の?(?P<ja>[月火水木金土日])曜日?(?P<zh>)",
        _weekday,
    ),
    rule(
        rf"{_NOT_FURTHER}(?P<week>{_WEEKS})(?:的?(?:周|星期))?"
        rf"(?P<zh>[一二三四五六日天])(?!{_NO_WEEKDAY})(?P<ja>)",
        _weekday,
    ),
    rule(rf"{_ND}(?P<year>\d{{4}}|[〇零一二三四五六七八九]{{4}})年(?!度|間|间)", _calendar_year),
    rule(rf"{_ND}(?P<year>\d{{4}})(?:会計)?(?:年度|财年|財年|会計年度)", _fiscal_year),
    rule(
        rf"(?P<era>令和|平成|昭和|大正|明治)\s*(?P<year>元|{NUMBER})\s*年(?P<fiscal>度)?(?!間)",
        _era,
    ),
    rule(r"(?<![A-Za-z0-9])(?P<era>[RHSTM])(?P<year>\d{1,2})年(?P<fiscal>度)?", _era, cased=True),
    rule(
        r"(?<![A-Za-z0-9])(?P<era>[RHSTM])(?P<year>\d{1,2})(?P<sep>[./-])(?P<month>\d{1,2})"
        r"(?:(?P=sep)(?P<day>\d{1,2}))?(?![\d./-]\d|\d)",
        _era_date,
        cased=True,
    ),
    rule(
        r"(?:令和|平成|昭和)(?P<year>\d{1,2})(?P<sep>[./-])(?P<month>\d{1,2})(?P=sep)(?P<day>\d{1,2})(?!\d)",
        lambda m, clock: Piece(
            "day",
            number=int(m["month"]),
            day=int(m["day"]),
            year=era_year(m[0][:2], int(m["year"]), clock.today),
            era=m[0][:2],
        ),
    ),
    rule(
        r"(?<![A-Za-z0-9_.,/-])(?P<year>\d{4})(?P<sep>[-/.])(?P<month>\d{1,2})(?P=sep)(?P<day>\d{1,2})"
        r"(?![\d%]|[-/]\d|\.\d)(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?Z?)?",
        _ymd,
    ),
    rule(
        r"(?<![A-Za-z0-9_.,/-])(?P<year>(?:19|20)\d{2})(?P<sep>[-/])(?P<month>\d{1,2})(?![\d%]|[-/.,]\d)",
        _ym,
    ),
    rule(
        rf"{_ND}(?P<month>\d{{1,2}}|[一二三四五六七八九十]{{1,3}})月(?:(?P<day>\d{{1,2}}|"
        r"[一二三四五六七八九十]{1,3})[日号號])?(?![間间額额曜例刊]|以上)",
        _month,
    ),
    rule(
        r"(?<![\d/.])(?P<month>\d{1,2})/(?P<day>\d{1,2})(?=\s*(?:から|[〜～~]|時点|現在|以降|まで|付け))",
        lambda m, clock: Piece("day", number=int(m["month"]), day=int(m["day"])),
    ),
    rule(
        rf"(?:{_ND}(?<!\d月)(?P<closing>{DAY})日?\s*{CLOSES}の?\s*)?(?:(?P<year>\d{{4}})年)?"
        rf"{_ND}(?P<month>\d{{1,2}}|[一二三四五六七八九十]{{1,3}})月度",
        _closing_month,
    ),
    rule(
        rf"{_ND}(?<!\d月)(?P<closing>{DAY})日?\s*{CLOSES}の?\s*(?:(?P<year>\d{{4}})年)?"
        r"(?P<month>\d{1,2}|[一二三四五六七八九十]{1,3})月(?![間间])(?!\d)",
        _closing_month,
    ),
    rule(
        rf"{_ND}(?P<first>\d{{1,2}})\s*[-~〜～–—]\s*(?P<last>\d{{1,2}})月(?!\d|[間额額度])",
        _months,
    ),
    rule(r"(?:第\s*)?(?<!\d)(?P<n>\d|[一二三四])四半期", _quarter),
    rule(
        r"第\s*(?P<n>\d|[一二三四五六七八九])季度?|(?<!第)(?P<n2>[一二三四])季度",
        lambda m, c: _zh_quarter(m),
    ),
    rule(r"上半年|下半年|上半期|下半期|上期|下期", _half),
    rule(r"第\s*(?P<n>\d{1,2}|[一二三四五六七八九十]{1,3})[週周](?!間|间)", lambda m, c: _week(m)),
    rule(r"(?<!\d)(?P<year>\d{4})年(?P<month>\d{1,2})月期", _term_ending),
    rule(
        r"(?<![\d四半今前先来翌当本上下今昨去明半个財财々])(?P<unit>月|年度|年|期|四半期|季度|季)"
        r"(?P<edge>末|底|初)(?!以?来|至今|締|から|まで来|頭)",
        _bare_edge,
    ),
    rule(
        r"(?P<base>(?P<two>前々年|一昨年|前前年)|前年|去年|上年|昨年)の?"
        r"同(?P<unit>月|日|天|週|周|季度?|四半期|期)(?:比|对比)?(?!度)",
        _same_last_year,
    ),
)


def _zh_quarter(m: re.Match[str]) -> Piece:
    return Piece("quarter", number=whole(m["n"] or m["n2"]))


def _week(m: re.Match[str]) -> Piece:
    return Piece("week", number=whole(m["n"]))
