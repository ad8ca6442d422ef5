import json
from pathlib import Path
from random import Random

import pytest

from ingest.index.first_stage import deal, reword, write_set

CORPUS = {
    "returns": "返品の期限は到着後30日です。",
    "payment": "仕入代金は月末締め翌月25日に支払います。",
    "chilled": "冷蔵品は2〜8℃で保管します。",
}


@pytest.fixture
def retrieval_set(tmp_path: Path) -> Path:
    directory = tmp_path / "policies"
    directory.mkdir()
    corpus = [json.dumps({"_id": i, "text": t}) for i, t in CORPUS.items()]
    queries = [
        json.dumps({"_id": "q1", "text": "返品の期限は何日ですか"}),
        json.dumps({"_id": "q2", "text": "冷蔵品の温度は何度ですか"}),
        json.dumps({"_id": "unjudged", "text": "駐車場"}),
    ]
    (directory / "corpus.jsonl").write_text("\n".join(corpus), encoding="utf-8")
    (directory / "queries.jsonl").write_text("\n".join(queries), encoding="utf-8")
    (directory / "qrels.tsv").write_text(
        "query-id\tcorpus-id\tscore\nq1\treturns\t1\nq2\tchilled\t1\n"
    )
    return directory


def test_every_judged_query_gets_its_candidates(retrieval_set: Path, tmp_path: Path) -> None:
    write_set(retrieval_set, tmp_path)
    lines = (tmp_path / "policies.jsonl").read_text(encoding="utf-8").splitlines()
    first, second = (json.loads(line) for line in lines)
    assert (first["gold"], second["gold"]) == (["returns"], ["chilled"])
    assert first["candidates"][0]["id"] == "returns"
    assert {c["id"] for c in first["candidates"]} == CORPUS.keys()
    assert first["candidates"][0]["text"] == CORPUS["returns"]


@pytest.mark.slow
def test_the_same_files_are_written_again(retrieval_set: Path, tmp_path: Path) -> None:
    write_set(retrieval_set, tmp_path)
    files = sorted(tmp_path.glob("*.jsonl"))
    before = [f.read_bytes() for f in files]
    write_set(retrieval_set, tmp_path)
    assert len(files) == 4
    assert [f.read_bytes() for f in files] == before


def test_a_reworded_query_has_only_words_of_the_query() -> None:
    query = "返品の期限 return deadline 2026"
    short = reword(query, Random(1))
    assert 0 < len(short) < len(query)
    assert all(piece in query for piece in short.split())


def test_a_corpus_is_dealt_into_bases_without_loss() -> None:
    import numpy as np

    base = {str(n): (f"text {n}", np.zeros(2)) for n in range(50)}
    dealt = list(deal(base, Random(0)))
    assert [len(d) for d in dealt] == [24, 24, 2]
    assert {i for d in dealt for i in d} == base.keys()
