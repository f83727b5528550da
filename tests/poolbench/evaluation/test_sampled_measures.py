"""Measures of sampled pools: against sample_eval.pl, by hand, and where they are exact."""

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from poolbench.evaluation.evaluate import ScoredRun, evaluate
from poolbench.evaluation.judgments import JudgmentTable
from poolbench.evaluation.measures.registry import FAMILIES
from poolbench.evaluation.options import ScoringOptions
from poolbench.evaluation.trec_eval_text import scores_to_trec_eval
from poolbench.runs.runs import read_run, run_from_rows
from poolbench.runs.sampled_qrels import (
    SampledQrels,
    build_prels_sample,
    build_strata_sample,
    read_strata,
)
from tests.examples import examples
from tests.poolbench.evaluation.made import made

OURS = {
    "infAP": "xinfAP", "infNDCG": "infNDCG", "num_ret": "num_ret", "inum_rel": "inum_rel",
    "inum_rel_ret": "inum_rel_ret",
    **{f"iP{k}": f"iP_{k}" for k in (5, 10, 15, 20, 30, 100, 200, 500, 1000)},
}  # fmt: skip
SAMPLED = ("xinfAP", "infNDCG", "iP_2", "inum_rel", "inum_rel_ret", "statAP", "stat_num_rel")
BY_STRATA = SAMPLED[:5]


def scored(
    ranking: str, sampled: SampledQrels, *, options: ScoringOptions | None = None
) -> dict[str, float | None]:
    """The values of one topic, its ranking given as one-letter docnos."""
    run = run_from_rows("r", [("1", docno, -float(at)) for at, docno in enumerate(ranking)])
    scores = evaluate(run, JudgmentTable.from_sampled(sampled), SAMPLED, options)
    return {name: scores.by_topic(name)["1"] for name in SAMPLED}


def stratum(name: str, grades: dict[str, int]) -> list[tuple[str, str, str, int]]:
    return [("1", docno, name, grade) for docno, grade in grades.items()]


SMALL = build_strata_sample(
    stratum("1", {"a": 1}) + stratum("2", {"b": -1, "c": 1, "d": 0, "e": -1})
)


@pytest.mark.parametrize("name", ["ra", "rb", "rc"])
def test_every_line_is_that_of_sample_eval(data_dir: Path, name: str) -> None:
    folder = data_dir / "trec_eval-golden" / "16_xinf"
    judged = JudgmentTable.from_sampled(read_strata((folder / "qrels5").read_bytes()))
    run = read_run((folder / f"{name}.run").read_bytes())
    found = evaluate(run, judged, list(OURS.values()), ScoringOptions(topics="common"))
    lines = [line.split() for line in scores_to_trec_eval([found], by_topic=True).splitlines()]
    ours = {(measure, topic): value for measure, topic, value in lines}
    compared = 0
    for line in (folder / f"{name}.sample_eval.out").read_text().splitlines():
        measure, topic, value = line.split()
        if measure in OURS:
            assert float(ours[OURS[measure], topic]) == float(value), line
            compared += 1
    assert compared == 13 * len(OURS)


def test_the_examples_of_the_cards_hold() -> None:
    values = scored("abcd", SMALL)
    assert values["xinfAP"] == pytest.approx(23 / 27, abs=1e-5)
    assert values["infNDCG"] == pytest.approx(1.75 / (1.5 + 1 / math.log2(3)))
    assert values["iP_2"] == pytest.approx(2 / 3, abs=1e-5)
    assert (values["inum_rel"], values["stat_num_rel"]) == (3, 3)
    assert values["inum_rel_ret"] == pytest.approx(2.5, abs=1e-4)
    sample = [("1", "a", 1, 1.0), ("1", "c", 1, 0.5), ("1", "d", 0, 0.5)]
    by_probability = scored("abcd", build_prels_sample(sample))
    assert by_probability["statAP"] == values["statAP"] == pytest.approx(7 / 9)
    for name in ("xinfAP", "infNDCG", "iP", "inum_rel", "inum_rel_ret", "statAP", "stat_num_rel"):
        (example,) = FAMILIES[name].examples
        assert example.value == pytest.approx(values[example.measure or name], abs=1e-9), name


def test_grades_are_gains_and_the_level_counts() -> None:
    sampled = build_strata_sample(stratum("1", {"a": 2, "b": 1}))
    values = scored("ba", sampled, options=ScoringOptions(level=2))
    assert values["xinfAP"] == pytest.approx(1 / 2, abs=1e-4)
    assert values["statAP"] == 1 / 2
    ideal = 2 + 1 / math.log2(3)
    assert values["infNDCG"] == pytest.approx((1 + 2 / math.log2(3)) / ideal)
    tripled = scored("ba", sampled, options=ScoringOptions(gains={1: 3}))["infNDCG"]
    assert tripled == pytest.approx((3 + 2 / math.log2(3)) / (3 + 2 / math.log2(3)))


def test_in_the_ideal_a_grade_starts_after_the_fraction_of_the_better_one() -> None:
    one, two = {"a": 2, "b": -1, "c": 0}, {"d": 1, "e": 1}
    sampled = build_strata_sample(stratum("1", one) + stratum("2", two))
    # 1.5 documents of grade 2, so one of them; those of grade 1 at 2.5 and 3.5.
    ideal = 2 + 1 / math.log2(3.5) + 1 / math.log2(4.5)
    assert scored("d", sampled)["infNDCG"] == pytest.approx(1 / ideal)


@pytest.mark.parametrize("name", SAMPLED)
def test_plain_qrels_leave_them_undefined(name: str) -> None:
    run, qrels = made({"1": ((1, 0, None), (1, 0, -1))})
    scores = evaluate(run, qrels, [name])
    assert scores.mean(name) is None
    assert FAMILIES[name.split("_2", maxsplit=1)[0]].card.undefined in scores.reasons[name]


def test_probabilities_alone_tell_no_strata() -> None:
    values = scored("ab", build_prels_sample([("1", "a", 1, 0.5)]))
    assert [name for name in SAMPLED if values[name] is None] == list(BY_STRATA)


def test_a_stratum_without_a_judged_document_leaves_its_topic_undefined() -> None:
    rows = [*stratum("1", {"a": 1}), *stratum("2", {"b": -1}), ("2", "a", "1", 1)]
    run = run_from_rows("r", [("1", "a", 1.0), ("2", "a", 1.0)])
    names = ["infNDCG", "inum_rel", "statAP"]
    scores = evaluate(run, JudgmentTable.from_sampled(build_strata_sample(rows)), names)
    for name in names:
        assert scores.by_topic(name) == {"1": None, "2": 1.0}
        assert scores.mean(name) == 1.0
        assert scores.reasons[name].startswith("1 of 2 topics are undefined")


def test_without_the_unjudged_documents_they_are_undefined() -> None:
    assert set(scored("abc", SMALL, options=ScoringOptions(judged_only=True)).values()) == {None}


def test_nothing_relevant_counts_as_0() -> None:
    values = scored("ab", build_strata_sample(stratum("1", {"a": 0, "b": -1})))
    assert (values["xinfAP"], values["infNDCG"], values["statAP"]) == (0, 0, 0)


def test_a_run_without_judged_documents_scores_0() -> None:
    values = scored("xyz", SMALL)
    assert values["stat_num_rel"] == values["inum_rel"] == 3
    assert [values[name] for name in ("xinfAP", "infNDCG", "iP_2", "statAP")] == [0, 0, 0, 0]


def test_the_first_thousand_documents_are_looked_at() -> None:
    rows = [("1", f"d{at:04}", "1", 1) for at in range(1200)]
    run = run_from_rows("r", [("1", docno, -float(at)) for at, (_, docno, _, _) in enumerate(rows)])
    scores = evaluate(run, JudgmentTable.from_sampled(build_strata_sample(rows)), SAMPLED)
    assert scores.mean("inum_rel") == 1200
    assert scores.mean("inum_rel_ret") == pytest.approx(1000)
    assert scores.mean("xinfAP") == pytest.approx(1, abs=1e-4)
    assert scores.mean("infNDCG") == pytest.approx(1)


GRADES = st.lists(st.sampled_from([-1, 0, 0, 1, 2]), min_size=1, max_size=30)


def full_sample(grades: list[int], seed: int) -> tuple[ScoredRun, ScoredRun]:
    """One topic with every pooled document judged, in random strata; -1 is outside the pool."""
    rng = np.random.default_rng(seed)
    docnos = [f"d{at:02}" for at in range(len(grades))]
    pooled = [(docno, grade) for docno, grade in zip(docnos, grades, strict=True) if grade >= 0]
    rows = [("1", docno, f"s{rng.integers(3)}", grade) for docno, grade in pooled]
    rows.append(("1", "missed", "s0", 1))
    ranked = rng.permutation(docnos).tolist()
    run = run_from_rows("r", [("1", docno, -float(at)) for at, docno in enumerate(ranked)])
    sampled = build_strata_sample(rows)
    plain = evaluate(run, sampled.qrels, ["map", "ndcg", "P_2", "num_rel", "num_rel_ret"])
    return evaluate(run, JudgmentTable.from_sampled(sampled), SAMPLED), plain


@examples(100)
@given(GRADES, st.integers(0, 2**32 - 1))
def test_with_every_pooled_document_judged_they_are_the_plain_measures(grades, seed):
    estimates, plain = full_sample(grades, seed)
    assert estimates.mean("statAP") == pytest.approx(plain.mean("map"), abs=1e-12)
    assert estimates.mean("infNDCG") == pytest.approx(plain.mean("ndcg"), abs=1e-12)
    assert estimates.mean("xinfAP") == pytest.approx(plain.mean("map"), abs=1e-4)
    assert estimates.mean("iP_2") == pytest.approx(plain.mean("P_2"), abs=1e-4)
    assert estimates.mean("inum_rel_ret") == pytest.approx(plain.mean("num_rel_ret"), abs=1e-3)
    assert estimates.mean("inum_rel") == estimates.mean("stat_num_rel") == plain.mean("num_rel")


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
