"""A code that is compared with a bare number: `customer_code = 7` where '007' is stored.

DuckDB reads the codes as numbers then, so that '7', '07' and '007' are one and the same; and where
one code has a letter, it stops.
"""

from collections.abc import Iterator, Sequence

from sqlglot import exp

from tools.errors import ToolError, ToolRetry
from tools.sql.doubts import Ask, quoted
from tools.sql.filters import TextFilter

VALUES_NAMED = 5


def number_notes(filters: Sequence[TextFilter], ask: Ask) -> Iterator[str]:
    """Which codes a bare number met, unless it is just the one that it spells."""
    for one in filters:
        if not one.is_number:
            continue
        try:
            found = [str(row[0]) for row in ask(_met(one)).rows]
        except ToolError:
            continue
        if found and found != [one.value]:
            named = ", ".join(map(repr, found[:VALUES_NAMED]))
            more = ", …" if len(found) > VALUES_NAMED else ""
            yield (
                f"{one.condition} was compared as a number and meets {named}{more}: "
                f"quote the code that is meant"
            )


def with_codes(error: ToolRetry, filters: Sequence[TextFilter], ask: Ask) -> ToolRetry:
    """The error with the stored codes that have the figures of each bare number."""
    told = []
    for one in filters if "Could not convert" in error.message else ():
        try:
            like = [str(row[0]) for row in ask(_like(one)).rows] if one.is_number else []
        except ToolError:
            continue
        if like:
            named = " or ".join(f"'{value}'" for value in like[:VALUES_NAMED])
            told.append(f"{one.column} is text: write {one.column} = {named}")
    return ToolRetry(error.kind, error.message, "; ".join(told)) if told else error


def _like(one: TextFilter) -> str:
    """The codes whose figures alone are the number: 'C007' and '007' for 7."""
    column = exp.column(one.column, quoted=True)
    letters, all_of = exp.Literal.string("[^0-9]"), exp.Literal.string("g")
    figures = exp.func(
        "regexp_replace", column.copy(), letters, exp.Literal.string(""), all_of, dialect="duckdb"
    )
    return _equal(one, figures)


def _met(one: TextFilter) -> str:
    return _equal(one, exp.column(one.column, quoted=True))


def _equal(one: TextFilter, figures: exp.Expr) -> str:
    """The stored values of which `figures`, read as a number, is the filter's."""
    column = exp.column(one.column, quoted=True)
    kind = "HUGEINT" if one.value.isdigit() else "DOUBLE"
    same = exp.EQ(
        this=exp.TryCast(this=figures, to=exp.DataType.build(kind, dialect="duckdb")),
        expression=exp.Literal.number(one.value),
    )
    query = (
        exp.select(column).distinct().from_(quoted(one.table)).where(same).order_by(column.copy())
    )
    return query.limit(VALUES_NAMED + 1).sql(dialect="duckdb")
