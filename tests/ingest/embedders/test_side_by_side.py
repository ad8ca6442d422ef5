from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from ingest.embedders import make_embedder

TEXTS = [f"返品は到着後{n}日以内に限る。 Returns within {n} days." for n in range(8)]


@pytest.mark.slow
def test_e5_embeds_several_batches_at_once_as_it_does_one_by_one() -> None:
    embedder = make_embedder("e5")
    alone = [embedder.embed_passages([text]) for text in TEXTS]
    embedder.prepare(3)
    with ThreadPoolExecutor(3) as pool:
        together = list(pool.map(lambda text: embedder.embed_passages([text]), TEXTS))
    assert all(np.array_equal(a, b) for a, b in zip(alone, together, strict=True))
