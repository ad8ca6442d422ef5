"""Weights of the deterministic second stage, printed by `reranker.fit`; see there for the method.

Fitted with e5 vectors and 20 + 20 candidates on one half of the queries of JSQuAD valid (ja, 1,145
passages, 300 queries), CMRC 2018 trial (zh, 256, 300), TAT-QA paragraphs (en, 678, 299; its
judgements are narrow), each also with half of the query's words gone, and of the sample company
(84 passages in three languages; 72 short or reworded questions in three languages, half of them
about a document in another one), with 72 questions that none of them answers. Recall@5 / MRR@10 on
the half that was not fitted on, and the share of queries that come back empty there:

              second stage     answerable     nothing answers
    JSQuAD    .965 / .932      .014 of 143    .892 of 37
    CMRC      .993 / .983      .000 of 137    .730 of 37
    TAT-QA    .642 / .579      .007 of 148    .838 of 37
    company   .748 / .511      .027 of 37     .838 of 37
    all       .856 / .785      .020 of 502    .869 of 259

(all: with the company's documents of each language as a base of its own.) Questions on the very
subject of a passage that does not answer them are told apart less often: .571 of 49 come back
empty. `identifiers_missing` is set by hand: the sets hold hardly any product codes.
"""

from collections.abc import Mapping

from reranker.text import Language

_JAPANESE: Mapping[str, float] = {
    "cosine": 5.052,
    "bm25_share": 0.700,
    "words": 1.984,
    "rare_words": 2.016,
    "phrases": 1.832,
    "identifiers_missing": -2.0,
}
RANK: Mapping[Language, Mapping[str, float]] = {
    "ja": _JAPANESE,
    "en": {
        "cosine": 3.392,
        "rare_words": 1.592,
        "phrases": 1.686,
        "identifiers_missing": -2.0,
    },
    "zh": {
        "cosine": 3.831,
        "bm25_share": 2.445,
        "words": 1.799,
        "rare_words": 1.863,
        "phrases": 1.328,
        "identifiers_missing": -2.0,
    },
    "other": _JAPANESE,
}
ANSWER: Mapping[str, float] = {
    "cosine": 4.554,
    "words": 3.368,
    "identifiers_missing": -2.0,
    "foreign": -1.186,
}
BIAS: Mapping[Language, float] = {"ja": 0.387, "en": 1.548, "zh": -1.945, "other": -1.945}
THRESHOLD = 0.5
