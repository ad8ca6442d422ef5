"""`PairLibrary`: pairs are stored through the SQL tool's guard, found again, and kept true."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from pathlib import Path

from agent.errors import PairError
from agent.language import language_of
from agent.pairs.base import Origin, Pair, Pairs, dated_words, pair_id
from agent.pairs.dates import Moved, moved
from agent.pairs.examples import Example, Found, example_of, texts_of
from agent.pairs.masking import masked
from agent.pairs.similar import THRESHOLDS, Question, Vector, best
from agent.pairs.sqlite import SqlitePairs, Stored
from agent.pairs.transitions import given_way, is_same, joined, list_pairs, remove_pair
from ingest.store import Store
from ingest.store.errors import IngestError
from tools.dates import CalendarSettings, mentions
from tools.errors import ToolError, ToolUnavailable
from tools.sql.guard import CheckedQuery
from tools.tokens import estimate_tokens

MAX_EXAMPLES = 2
EXAMPLE_TOKENS = 120
QUESTION_CHARACTERS = 400
NOT_BINDING = ("time_limit", "memory_limit")
"""Kinds of failures that say nothing of whether a query binds."""
Bind = Callable[[str, Store], CheckedQuery]
"""Checks a query by the guard and binds it against the warehouse. Raises ToolError."""


@dataclass(frozen=True)
class Checked:
    """What became of the pairs: those that no longer bind, those that do again, and those that
    bind still."""

    retired: tuple[Pair, ...] = ()
    back: tuple[Pair, ...] = ()
    live: int = 0


class PairLibrary:
    """The pairs of one data directory over one open generation. Safe from several threads.

    Reading creates nothing. All methods raise `agent.errors.PairError`.
    """

    def __init__(
        self, data_dir: Path, store: Store, bind: Bind, now: Callable[[], datetime] | None = None
    ) -> None:
        self._pairs = SqlitePairs(data_dir)
        self._store = store
        self._bind = bind
        self._now = now or (lambda: datetime.now(UTC))
        self._binds: dict[str, bool] = {}

    def list(self) -> Pairs:
        """Newest confirmation first; those that nobody confirmed last."""
        return list_pairs(self._pairs)

    def add(
        self,
        question: str,
        sql: str,
        *,
        by: str | None,
        origin: Origin = "person",
        asked_on: date,
        at: str | None = None,
    ) -> Pair:
        """Stores a pair that `by` confirms (ISO 8601 `at`, now if not given); by None: what the
        model made, that nobody confirmed, and that is never used.

        The same pair again changes nothing, but that it is confirmed now, or live again. Another
        SQL that was confirmed for the same question is retired. Raises PairError, ToolError (the
        guard refuses the SQL, or it does not bind).
        """
        text = " ".join(question.split())
        if not any(c.isalnum() for c in text) or len(text) > QUESTION_CHARACTERS:
            limit = f"at most {QUESTION_CHARACTERS} characters"
            raise PairError("the question has no words, or too many", f"give one of {limit}")
        if by is not None and not by.strip():
            raise PairError("nobody is named who confirms it", "say who with --by")
        query = self._bind(sql, self._store)
        if not query.tables:
            raise PairError("the SQL reads no table", "give one that reads the question's tables")
        found = mentions(text, asked_on, self._calendar)
        stamp = at or self._now().astimezone(UTC).isoformat(timespec="seconds")
        pair = Pair(
            id=pair_id(text, query.sql),
            question=text,
            sql=query.sql,
            language=language_of(text),
            origin=origin,
            confirmed_by=by,
            confirmed_at=stamp if by is not None else None,
            asked_on=asked_on,
            dates=dated_words(found),
            tables=query.tables,
            revision=self._store.revision,
            checked_revision=self._store.revision,
        )
        return self._put(pair, masked(text, found, texts_of(query.sql)))

    def remove(self, id: str) -> Pair:
        return remove_pair(self._pairs, id)

    def check(self, *, anew: bool = True) -> Checked:
        """Binds every pair against the warehouse again, or, unless `anew`, those that were not
        bound under this data revision yet; the outcome is stored with its reason."""
        retired: Pairs = []
        back: Pairs = []
        live = 0
        checked: dict[str, tuple[Pair, Stored]] = {}
        for stored in self._pairs.list():
            if stored.pair.replaced_by is not None:
                continue
            known = not anew and stored.pair.checked_revision == self._store.revision
            after = stored.pair if known else self._checked(stored.pair)
            if after.state == "live":
                live += 1
            if after.state != stored.pair.state:
                (back if after.state == "live" else retired).append(after)
            again = self._with_vector(replace(stored, pair=after))
            if (again.pair, again.embedder) != (stored.pair, stored.embedder):
                checked[after.id] = (stored.pair, again)
        if checked:
            # One that was removed or replaced while the others were bound stays so.
            self._pairs.change(
                lambda now: [
                    checked[s.pair.id][1]
                    for s in now
                    if s.pair.id in checked and s.pair == checked[s.pair.id][0]
                ]
            )
        return Checked(tuple(retired), tuple(back), live)

    def find(self, question: str, today: date, values: Sequence[str], store: Store) -> Found:
        """What confirmed pairs say for a question: at most two examples, and the SQL itself where
        it is the same question and its days can be moved to today with certainty.

        `values`: stored values that the question names; `store`: as the caller may read it.
        """
        usable = [s for s in self._pairs.list() if s.pair.is_usable]
        if not usable:
            return Found()
        found = mentions(question, today, self._calendar)
        asked = self._question(masked(question, found, values), language_of(question), usable)
        threshold = THRESHOLDS.get(self._store.embedder_name)
        known = None if asked.vector is None else self._hash()
        order = best(asked, [_as_question(s, known) for s in usable], threshold)
        same = [i for i, s in enumerate(usable) if is_same(s.pair.question, question)]
        examples: list[Example] = []
        for place in dict.fromkeys([*same, *order]):
            pair = usable[place].pair
            if len(examples) == MAX_EXAMPLES:
                break
            if not self._still_binds(pair, store):
                continue
            again = self._moved(pair, today)
            shown = example_of(pair, again)
            is_short = estimate_tokens(f"{shown.question}{shown.sql}") <= EXAMPLE_TOKENS
            if place in same and again.is_sure:
                return Found((shown,) if is_short else (), shown)
            if is_short:
                examples.append(shown)
        return Found(tuple(examples))

    # ── inside ─────────────────────────────────────────────────────────────────────────────

    @property
    def _calendar(self) -> CalendarSettings:
        return CalendarSettings.of(self._store.catalog)

    def _put(self, pair: Pair, words: str) -> Pair:
        new = self._with_vector(Stored(pair, words))
        kept = new

        def decide(stored: Sequence[Stored]) -> list[Stored]:
            nonlocal kept
            before = next((s.pair for s in stored if s.pair.id == pair.id), None)
            kept = replace(new, pair=joined(before, pair))
            return [kept, *given_way(stored, kept.pair)]

        self._pairs.change(decide)
        return kept.pair

    def _checked(self, pair: Pair) -> Pair:
        done = {"checked_revision": self._store.revision}
        try:
            self._bind(pair.sql, self._store)
        except ToolError as error:
            if error.kind in NOT_BINDING:
                return pair
            if isinstance(error, ToolUnavailable) and error.kind != "no_tables":
                raise PairError(error.message, error.hint) from error
            why = f"{error.kind}: {error.message}"
            return pair.model_copy(update={**done, "state": "retired", "why": why})
        return pair.model_copy(update={**done, "state": "live", "why": ""})

    def _still_binds(self, pair: Pair, store: Store) -> bool:
        """Of another data revision: bound now. Of tables that this caller may not read: no."""
        if any(store.catalog.table(name) is None for name in pair.tables):
            return False
        if pair.checked_revision == self._store.revision:
            return True
        if pair.id not in self._binds:
            try:
                self._bind(pair.sql, self._store)
                self._binds[pair.id] = True
            except ToolError:
                self._binds[pair.id] = False
        return self._binds[pair.id]

    def _moved(self, pair: Pair, today: date) -> Moved:
        now = dated_words(mentions(pair.question, today, self._calendar))
        named = [self._store.catalog.table(name) for name in pair.tables]
        columns = [t.date_column for t in named if t is not None and t.date_column]
        return moved(pair.sql, pair.dates, now, pair.question, columns)

    def _hash(self) -> str | None:
        """The embedder whose vectors count here; None where words alone decide."""
        if self._store.embedder_name not in THRESHOLDS:
            return None
        try:
            return self._store.embedder().model_hash
        except IngestError:
            return None

    def _vector(self, words: str) -> Vector | None:
        return None if self._hash() is None else self._store.embedder().embed_query(words)

    def _with_vector(self, stored: Stored) -> Stored:
        """With the vector of this store's embedder; the same object where it has that already."""
        known = self._hash()
        if stored.embedder == known:
            return stored
        return replace(stored, embedder=known, vector=self._vector(stored.masked))

    def _question(self, words: str, language: str, usable: Sequence[Stored]) -> Question:
        """The embedder is asked only where no pair has the very same words."""
        if any(s.masked == words for s in usable):
            return Question(words, language)
        return Question(words, language, self._vector(words))


def _as_question(stored: Stored, known: str | None) -> Question:
    vector = stored.vector if known is not None and stored.embedder == known else None
    return Question(stored.masked, stored.pair.language, vector)
