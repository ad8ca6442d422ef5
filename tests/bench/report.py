"""The table of a benchmark run as Markdown, the baseline beside it, and what was wrong."""

from collections.abc import Iterable, Mapping, Sequence
from statistics import mean, median

from tests.bench.kinds import KINDS, Found
from tests.bench.records import Baseline, Question, Record
from tests.bench.scoring import DELIVERED

HEAD = (
    "set", "n", "delivered", "correct", "share correct", "correct of delivered", "handed off",
    "not found", "errors", "delivered but wrong", "calls/q", "in/q", "out/q", "cached",
    "s median", "s mean",
)  # fmt: skip
BASELINE_HEAD = ("set", "n", "one shot", "+ one repair", "wrong of one shot", "wrong + one repair")
KINDS_HEAD = ("kind", "count", "ids")
SHORT = 300


def report(
    records: Sequence[Record],
    questions: Sequence[Question],
    baseline: dict[str, Baseline],
    baseline_row: str,
    per_database: bool,
    kinds: Mapping[str, Found],
) -> str:
    """`kinds`: by id, of each wrong delivered answer. `baseline_row`: the baseline's row for the
    whole set; its rows per database cover all questions of a database, so that they stand here
    only with `per_database`."""
    databases = sorted({record.db for record in records})
    lines = [_row(db, [r for r in records if r.db == db]) for db in databases]
    lines.append(_row("all", records))
    parts = [f"{len(records)} of {len(questions)} questions", _table(HEAD, lines)]
    named = [baseline_row, *(databases if per_database else [])]
    rows = [(name, baseline[name]) for name in named if name in baseline]
    if rows:
        parts += ["Baseline", _table(BASELINE_HEAD, [_baseline(*row) for row in rows])]
    if kinds:
        parts += ["Kinds of wrong delivered answers", _table(KINDS_HEAD, _kinds(kinds))]
    return "\n\n".join([*parts, *_wrong(records, questions, kinds)])


def _row(name: str, records: Sequence[Record]) -> list[str]:
    n = len(records)
    if not n:
        return [name, "0", *["–"] * (len(HEAD) - 2)]
    delivered = [r for r in records if r.status in DELIVERED]
    correct = sum(r.correct for r in records)
    statuses = [r.status for r in records]
    tokens = sum(r.input_tokens for r in records)
    counts = (statuses.count(s) for s in ("handed_off", "not_found", "error"))
    return [
        name,
        *map(str, (n, len(delivered), correct)),
        f"{correct / n:.3f}",
        _share(correct, len(delivered)),
        *map(str, counts),
        str(len(delivered) - correct),
        f"{mean(r.llm_calls for r in records):.1f}",
        f"{tokens / n:.0f}",
        f"{mean(r.output_tokens for r in records):.0f}",
        _share(sum(r.cached_input_tokens for r in records), tokens),
        f"{median(r.seconds for r in records):.1f}",
        f"{mean(r.seconds for r in records):.1f}",
    ]


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.3f}" if whole else "–"


def _baseline(name: str, row: Baseline) -> list[str]:
    shares = (row.one_shot, row.with_repair, 1 - row.one_shot, 1 - row.with_repair)
    return [name, str(row.n), *(f"{share:.3f}" for share in shares)]


def _table(head: Iterable[str], rows: Iterable[Sequence[str]]) -> str:
    head = list(head)
    rule = ["---", *["---:"] * (len(head) - 1)]
    return "\n".join(f"| {' | '.join(row)} |" for row in (head, rule, *rows))


def _kinds(kinds: Mapping[str, Found]) -> list[list[str]]:
    """The most frequent first."""
    by_kind = {kind: [i for i, found in kinds.items() if found.kind == kind] for kind in KINDS}
    told = sorted(by_kind.items(), key=lambda item: -len(item[1]))
    return [[kind, str(len(ids)), ", ".join(ids)] for kind, ids in told if ids]


def _wrong(
    records: Sequence[Record], questions: Sequence[Question], kinds: Mapping[str, Found]
) -> list[str]:
    asked = {question.id: question for question in questions}
    wrong = [r for r in records if r.status in DELIVERED and not r.correct]
    parts = [f"Delivered but wrong: {len(wrong)}"]
    for record in wrong:
        question = asked[record.id]
        found = kinds[record.id]
        lines = [
            f"- {record.id} ({record.db}, confidence {record.confidence:.2f})",
            f"  kind:     {found.kind}: {_short(found.why)}",
            f"  question: {_short(question.text)}",
            *(f"  sql:      {_short(sql)}" for sql in record.sql or ["none"]),
            f"  gold:     {_short(question.gold_sql)}",
            f"  text:     {_short(record.text)}",
        ]
        parts.append("\n".join(lines))
    errors = [r for r in records if r.status == "error"]
    if errors:
        parts.append("\n".join(["Errors:", *(f"- {r.id}: {_short(r.error)}" for r in errors)]))
    return parts


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= SHORT else f"{line[:SHORT]}…"
