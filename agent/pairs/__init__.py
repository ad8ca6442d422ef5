"""Confirmed pairs of a question and its SQL: kept beside the data, found by similarity."""

from agent.pairs.base import DatedWords, Origin, Pair, PairState
from agent.pairs.examples import Example, Found
from agent.pairs.library import Checked, PairLibrary
from agent.pairs.sqlite import PAIRS_FILE

__all__ = [
    "PAIRS_FILE",
    "Checked",
    "DatedWords",
    "Example",
    "Found",
    "Origin",
    "Pair",
    "PairLibrary",
    "PairState",
]
