"""What a question plainly asks for and the query for it does not do.

Only what words leave no doubt about: a figure or a quoted text that the query has nowhere, a figure
for each of something without groups, both of two values where one is enough, "never" read row by
row, a condition that only sorts. The query mended goes along where that can be told.
"""

import re
from collections.abc import Iterator
from decimal import Decimal, InvalidOperation

from sqlglot import exp

from ingest.store import Catalog, ColumnRecord
from tools.sql.mended import OtherShape
from tools.sql.names import folded
from tools.sql.quantified import either_for_both, never_by_row
from tools.sql.references import used_tables
from tools.sql.renames import is_key_name, singular, singulars, words_of
from tools.sql.sources import group_keys, is_one_row
from tools.sql.unread import reads_all, unread_columns
from tools.verify.facts import quantities_of

_QUOTED = re.compile(
    r"[\"“「『]([^\"“”「」『』]{1,60})[\"”」』]|(?<!\w)['‘]([^'‘’\n]{1,60})['’](?!\w)"
)
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_SKIPPING = (exp.CountIf, exp.Avg, exp.Sum, exp.Min, exp.Max)
_MISSING = re.compile(
    r"\b(?:missing|null|empty|blank) (?:values?|cells?|entries)\b|欠損|欠測|未入力|空欄|缺失|空值",
    re.IGNORECASE,
)
_EACH = re.compile(
    r"\b(?:for|of|in|by|from|at|to|and|does|do|did|has)? ?(?:each|every)\b|\bper (?!cent)[a-z]"
    r"|每[个家种名位款类]|各(?!種|种|自)|(?:ごと|毎)に",
    re.IGNORECASE,
)
_AVERAGE = re.compile(r"\b(?:average|avg|mean)\b|平均", re.IGNORECASE)
_EXPENSIVE = re.compile(
    r"\b(?:(?:most|least) expensive|cheapest|priciest|costliest)\b|最も高価|一番高い商品|最贵|最便宜",
    re.IGNORECASE,
)
_PRICE = re.compile(
    r"price|cost|amount|fee|値段|価格|単価|金額|原価|[売定]価|費|給与|給料|料金|费|价|金额|成本|工资|租金|预算",
    re.IGNORECASE,
)
_PRICE_WORDS = frozenset(["charge", "rent", "wage", "salary", "pay", "budget", "spend", "expense"])
_NUMBER_OF = re.compile(r"\b(?:number of|how many) (?:the )?([a-z]+)", re.IGNORECASE)
_HOW_MANY = re.compile(
    r"^\W*(?:how many|count the|what (?:is|was) the number of)\b(?!.*\b(?:each|every|per|list|which)\b)"
    r"|(?:何|幾)(?:件|種類|社|個|人|つ|か所)|いくつ|多少[种个家名]|几[种个家]",
    re.IGNORECASE,
)
_COUNTING = re.compile(r"num|count|quantity|qty|units|total|数", re.IGNORECASE)
_EACH_NOUN = re.compile(r"\b(?:each|every|per)\s+([a-z]+)", re.IGNORECASE)
_COUNT_COLUMN = re.compile(r"(?:num|number|count)_(?:of_)?([a-z]+)|([a-z]+)_count", re.IGNORECASE)
PRICES_NAMED = 3
_MEAN = re.compile(r"\baverage\b|\bmean\b|\bat most\b|\bmost\b|平均|最も|最多", re.IGNORECASE)


def check_shape(tree: exp.Expr, question: str, catalog: Catalog) -> None:
    """Raises `OtherShape` "value_left_out", "no_average", "no_null_test", "no_price",
    "stored_count", "no_count", "listed_for_count", "figure_as_group", "column_left_out",
    "no_groups", "either_for_both", "never_by_row" or "sorted_condition". The question must be one
    that this query is to answer alone."""
    for error in _errors(tree, question, catalog):
        raise error


def _errors(tree: exp.Expr, question: str, catalog: Catalog) -> Iterator[OtherShape]:
    yield from _left_out_text(tree, question)
    yield from _left_out_number(tree, question)
    yield from _no_average(tree, question)
    yield from _no_null_test(tree, question)
    yield from _no_price(tree, question, catalog)
    yield from _stored_count(tree, question, catalog)
    yield from _no_count(tree, question, catalog)
    yield from _figure_as_group(tree, question, catalog)
    yield from unread_columns(tree, question, catalog)
    select = tree if isinstance(tree, exp.Select) else None
    if select is None:
        return
    yield from _listed_for_count(select, question)
    yield from _no_groups(select, question)
    yield from either_for_both(select, question)
    yield from never_by_row(select, question, catalog)
    yield from _sorted_condition(select)


def _left_out_text(tree: exp.Expr, question: str) -> Iterator[OtherShape]:
    said = [folded(literal.name) for literal in tree.find_all(exp.Literal)]
    names = {folded(name.name) for name in tree.find_all(exp.Identifier)}
    for match in _QUOTED.finditer(question):
        written = (match[1] or match[2]).strip()
        value = folded(written)
        if value in names or any(v and (v in value or value in v) for v in said):
            continue
        message = f"the question says {match[0]}, the query does not"
        yield OtherShape("value_left_out", message, f"add the condition on '{written}'")


def _left_out_number(tree: exp.Expr, question: str) -> Iterator[OtherShape]:
    used = {_digits(n) for literal in tree.find_all(exp.Literal) for n in _numbers(literal.name)}
    years = {literal.name for literal in tree.find_all(exp.Literal) if _YEAR.search(literal.name)}
    for quantity in quantities_of(question):
        if quantity.word or _digits(quantity.value) in used:
            continue
        if _is_short_year(quantity.value, years):
            continue
        message = f"the question says {quantity.text.strip()}, the query does not"
        yield OtherShape("value_left_out", message, f"add the condition with {quantity.value:f}")


def _is_short_year(value: Decimal, written: set[str]) -> bool:
    """Whether the query has the year that two digits say: 24年度, '24."""
    if value != int(value) or not 0 <= value < 100:
        return False
    return any(re.search(rf"(?<!\d)(?:19|20){int(value):02d}(?!\d)", year) for year in written)


def _no_average(tree: exp.Expr, question: str) -> Iterator[OtherShape]:
    word = _AVERAGE.search(question)
    if word is None or tree.find(exp.Avg, exp.Div, exp.IntDiv, exp.Median, exp.PercentileCont):
        return
    made = {alias.alias.lower() for alias in tree.find_all(exp.Alias)}
    read = {c.name.lower() for c in tree.find_all(exp.Column)} - made
    if any(_AVERAGE.search(name.replace("_", " ")) for name in read):
        return
    message = f"the question asks for an {word[0]}, the query works none out"
    yield OtherShape("no_average", message, "use AVG(column)")


def _no_null_test(tree: exp.Expr, question: str) -> Iterator[OtherShape]:
    """ "How many are missing" without a look at what is NULL, or counts that differ by them. A
    mean or a sum leaves them out by itself."""
    word = _MISSING.search(question)
    counted = {count.this.sql() for count in tree.find_all(exp.Count)}
    blank = any(not literal.name.strip() for literal in tree.find_all(exp.Literal))
    if word is None or blank or len(counted) > 1 or tree.find(exp.Null, *_SKIPPING):
        return
    message = f"the question asks for {word[0]}, the query tests nothing for NULL"
    yield OtherShape("no_null_test", message, "use COUNT(*) FILTER (WHERE column IS NULL)")


def _no_price(tree: exp.Expr, question: str, catalog: Catalog) -> Iterator[OtherShape]:
    """ "The most expensive" by a column that is no price, while there is one."""
    word = _EXPENSIVE.search(question)
    if word is None or any(_says_price(c.name) for c in tree.find_all(exp.Column)):
        return
    prices = [f"{t.name}.{c.name}" for t in catalog.tables for c in t.columns if _is_price(c)]
    if prices and not reads_all(tree):
        message = f"the question asks what is {word[0]}, the query reads no price"
        yield OtherShape("no_price", message, f"prices are in {', '.join(prices[:PRICES_NAMED])}")


def _is_price(column: ColumnRecord) -> bool:
    return _says_price(column.name) and not column.type.startswith(("VARCHAR", "DATE"))


def _says_price(name: str) -> bool:
    """Short words count as whole words alone: `rent` is in `parent`, too."""
    return bool(_PRICE.search(name)) or not _PRICE_WORDS.isdisjoint(singulars(name))


def _stored_count(tree: exp.Expr, question: str, catalog: Catalog) -> Iterator[OtherShape]:
    """Rows are counted for "number of shops" while a column of that name is stored."""
    if not tree.find(exp.Count):
        return
    read = {c.name.lower() for c in tree.find_all(exp.Column)}
    asked = {singular(m[1]).lower() for m in _NUMBER_OF.finditer(question)}
    for table in used_tables(tree, catalog):
        for column in table.columns:
            counted = _COUNT_COLUMN.fullmatch(column.name.replace(" ", "_"))
            if counted is None or column.name.lower() in read:
                continue
            if singular(counted[1] or counted[2]).lower() in asked and not column.type.startswith(
                "VARCHAR"
            ):
                message = f"{table.name}.{column.name} has the number; the query counts rows"
                yield OtherShape("stored_count", message, f"use the column {column.name}")


def _no_count(tree: exp.Expr, question: str, catalog: Catalog) -> Iterator[OtherShape]:
    """The question asks for the number of rows of a table, the query adds up something else."""
    sums = list(tree.find_all(exp.Sum))
    if tree.find(exp.Count, exp.CountIf) or not sums:
        return
    if any(s.find(exp.Case, exp.If) or not s.find(exp.Column) for s in sums):
        return  # SUM(CASE WHEN … THEN 1 END) counts
    if any(_COUNTING.search(c.name) for c in tree.find_all(exp.Column)):
        return
    asked = {singular(m[1]).lower() for m in _NUMBER_OF.finditer(question)}
    for table in used_tables(tree, catalog):
        if singular(table.name).lower() in asked:
            message = f"the question asks for the number of {table.name}, the query counts none"
            yield OtherShape("no_count", message, "use COUNT(*)")


def _listed_for_count(select: exp.Select, question: str) -> Iterator[OtherShape]:
    """ "How many different levels" as a list of them."""
    if not select.args.get("distinct") or len(select.expressions) != 1 or select.args.get("limit"):
        return
    column = select.expressions[0].unalias()
    if not _HOW_MANY.search(question) or column.is_star or column.find(exp.AggFunc, exp.Window):
        return
    made = select.copy()
    made.set("distinct", None)
    made.set("order", None)
    made.set("expressions", [exp.Count(this=exp.Distinct(expressions=[column.copy()]))])
    message = "the question asks how many there are, the query lists them"
    yield OtherShape("listed_for_count", message, "use COUNT(DISTINCT column)", made)


def _figure_as_group(tree: exp.Expr, question: str, catalog: Catalog) -> Iterator[OtherShape]:
    """ "In each city" grouped by city_population, while there is a column that names the city."""
    each = {singular(m[1]).lower() for m in _EACH_NOUN.finditer(question)}
    keys = [k for s in tree.find_all(exp.Select) for k in group_keys(s) or ()]
    tables = used_tables(tree, catalog) if each and keys else []
    read = {k.name.lower() for k in keys}
    for table in tables:
        for column in table.columns:
            named = each & set(words_of(column.name))
            if column.name.lower() not in read or not named or not _is_figure(column):
                continue
            names = [c.name for c in table.columns if c.type == "VARCHAR"]
            better = [n for n in names if named & set(words_of(n))]
            if better and not any(n.lower() in read for n in better):
                message = f"{column.name} is a figure; the question asks for each {named.pop()}"
                yield OtherShape("figure_as_group", message, f"group by {better[0]}")


def _is_figure(column: ColumnRecord) -> bool:
    numeric = not column.type.startswith(("VARCHAR", "DATE", "TIMESTAMP", "BOOLEAN"))
    return numeric and not is_key_name(column.name)


def _numbers(text: str) -> Iterator[Decimal]:
    for part in re.findall(r"\d+(?:\.\d+)?", text):
        try:
            yield Decimal(part)
        except InvalidOperation:
            continue


def _digits(value: Decimal) -> str:
    """A number without its scale: 50万 is 0.5 where the column counts millions."""
    return f"{abs(value):f}".replace(".", "").strip("0")


def _no_groups(select: exp.Select, question: str) -> Iterator[OtherShape]:
    each = _EACH.search(question)
    if each is None or _MEAN.search(question) or len(select.expressions) != 1:
        return
    if is_one_row(select) and not _reads_steps(select):
        message = f"the question asks for a figure for {each[0].strip()} …, the query gives one"
        yield OtherShape("no_groups", message, "select what it is for and GROUP BY it")


def _reads_steps(select: exp.Select) -> bool:
    first, joins = select.args.get("from_"), select.args.get("joins") or ()
    sources = [*([first.this] if first is not None else []), *(join.this for join in joins)]
    derived = any(not isinstance(source, exp.Table) for source in sources)
    return bool(select.args.get("with_")) or derived or select.find(exp.Window) is not None


def _sorted_condition(select: exp.Select) -> Iterator[OtherShape]:
    order, limit = select.args.get("order"), select.args.get("limit")
    for item in order.expressions if order is not None and limit is not None else ():
        test = item.this.unnest()
        if isinstance(test, exp.EQ | exp.Like | exp.ILike | exp.In):
            condition = test.sql("duckdb")
            message = f"ORDER BY {condition} only sorts; rows that do not meet it stay"
            hint = f"put it into WHERE: WHERE {condition}"
            yield OtherShape("sorted_condition", message, hint, _filtered(select, test))


def _filtered(select: exp.Select, test: exp.Expr) -> exp.Select:
    """With the condition in WHERE; nothing else of the order was asked for."""
    made = select.copy()
    made.set("order", None)
    made.set("limit", None)
    return made.where(test.copy())
