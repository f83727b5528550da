"""infAP against both versions of trec_eval, and where it is average precision."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.core.evaluate import evaluate
from evaluation.core.formats import scores_to_trec_eval
from tests.core.evaluation.golden import OPTION_SETS, cases, lines_of
from tests.core.evaluation.made import made
from tests.examples import examples

PROGRAMS = ("te9.0.8", "te10.0")


@pytest.mark.parametrize("tag", OPTION_SETS)
@pytest.mark.parametrize("program", PROGRAMS)
def test_every_line_is_that_of_trec_eval(data_dir: Path, program: str, tag: str) -> None:
    compared = 0
    for case in cases(data_dir):
        output = case.output(program, tag)
        wanted = lines_of(output, {"infAP"}) if output.exists() else []
        told = {line.split("\t")[1] for line in wanted}
        # Program 9 ranks by 32-bit scores, program 10 stops before it prints means.
        if "all" not in told or (program == "te9.0.8" and case.folder.name.startswith("09")):
            continue
        scores = evaluate(case.run(), case.judged(), ["infAP"], OPTION_SETS[tag])
        lines = [
            line.split("\t") for line in scores_to_trec_eval([scores], by_topic=True).split("\n")
        ]
        found = [line for line in lines if line[0].startswith("infAP") and line[1] in told]
        assert ["\t".join(line) for line in found] == wanted, case
        compared += len(wanted)
    assert compared > 180


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
