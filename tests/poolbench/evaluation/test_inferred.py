"""infAP against both versions of trec_eval, and where it is average precision."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from poolbench.evaluation.evaluate import evaluate
from tests.examples import examples
from tests.poolbench.evaluation.made import made


@examples(100)
@given(st.lists(st.sampled_from([0, 1, 2]), max_size=30), st.lists(st.sampled_from([0, 1])))
def test_fully_judged_it_is_average_precision(ranked: list[int], missed: list[int]) -> None:
    run, qrels = made({"1": (ranked or [1], [*(ranked or [1]), *missed])})
    scores = evaluate(run, qrels, ["infAP", "map"])
    assert scores.mean("infAP") == pytest.approx(scores.mean("map"), abs=2e-5)


def test_documents_outside_the_pool_count_as_nonrelevant() -> None:
    run, qrels = made({"1": ([1, None, None, 1], [1, 1])})
    # At rank 4: 1/4 + 1/4 · (1 + ε)/(1 + 2ε).
    wanted = (1 + (1 + 1.00001 / 1.00002) / 4) / 2
    assert evaluate(run, qrels, ["infAP"]).mean("infAP") == pytest.approx(wanted, abs=1e-12)
