"""From an answer that a person calls right to the SQL that it rests on."""

from datetime import date

from agent.answer import Answer
from agent.errors import PairError


def confirmed_query(answer: Answer) -> tuple[str, date]:
    """The one query of the machine's rows that the answer cites, and the day it was asked on.

    Raises PairError: for an answer that was not given, or rests on something else besides.
    """
    if answer.status not in ("answered", "not_found"):
        said = f"the question was {answer.status.replace('_', ' ')}: there is no answer to confirm"
        raise PairError(said, "resolve the handoff with --sql, or give the SQL yourself")
    cited = {c.evidence_id for c in answer.citations}
    rows = [e for e in answer.evidence if e.kind == "rows" and e.origin == "machine" and e.query]
    used = [e for e in answer.evidence if e.id in cited] or rows
    queries = {e.query for e in used if e in rows and e.query}
    if len(queries) != 1 or any(e not in rows for e in used):
        raise PairError(
            f"the answer rests on {len(queries)} queries and {len(used)} results",
            'give the one query that answers it: zaiko pairs add "…" --sql "…"',
        )
    return queries.pop(), date.fromisoformat(answer.audit.today)
