"""Confidence intervals of estimates from samples: by hand, by brute force, by simulation."""

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pytest
from scipy.stats import t

from poolbench.evaluation.batch import ScoringBatch
from poolbench.evaluation.judgments import Floats, Ints, JudgmentTable
from poolbench.evaluation.matching import batch_from_table
from poolbench.evaluation.measures.family import Measure
from poolbench.evaluation.measures.names import parse_measure
from poolbench.evaluation.options import ScoringOptions
from poolbench.evaluation.sampling_error import (
    JACKKNIFE,
    NO_VARIANCE,
    OTHER_MEAN,
    TAYLOR,
    VARIANCES,
    NoSamplingError,
    SamplingError,
    estimate_sampling_error,
)
from poolbench.runs.runs import run_from_rows
from poolbench.runs.sampled_qrels import SampledQrels, build_prels_sample, build_strata_sample
from poolbench.runs.tables import group_starts
from poolbench.statistics.estimate import Estimate
from tests.examples import take

STRATA = (40, 80, 180)
RATES = (1.0, 0.5, 0.25)
TOPICS, DRAWS = 40, 20


def named(name: str) -> Measure:
    (measure,) = parse_measure(name)
    return measure


def of(batch: ScoringBatch, name: str, confidence: float = 0.95) -> SamplingError:
    return estimate_sampling_error(batch, named(name), confidence)


def batch_of(
    ranking: str, sampled: SampledQrels, options: ScoringOptions | None = None
) -> ScoringBatch:
    run = run_from_rows("r", [("1", docno, -float(at)) for at, docno in enumerate(ranking)])
    return batch_from_table(run, JudgmentTable.from_sampled(sampled), options or ScoringOptions())


def collection(rng: np.random.Generator) -> ScoringBatch:
    """A run of fully judged topics: relevant documents stand high in the pool, whose strata
    are its parts by depth, and rather higher in the run, among documents of no pool."""
    pool, rows = sum(STRATA), TOPICS * sum(STRATA)
    depth, topic = np.tile(np.arange(pool), TOPICS) / pool, np.repeat(np.arange(TOPICS), pool)
    is_relevant = rng.random(rows) < 0.02 + 0.35 * np.exp(-5 * depth)
    grades = (is_relevant * rng.integers(1, 3, rows)).astype(np.int32)
    found = np.flatnonzero(rng.random(rows) < 0.85)
    score = rng.normal(size=rows) - 4 * depth + 1.2 * is_relevant
    listed = found[np.lexsort((-score[found], topic[found]))]
    steps = 1 + (rng.random(len(listed)) < 0.4)
    starts = group_starts(np.bincount(topic[listed]))
    total = np.concatenate(([0], np.cumsum(steps)))
    layer = np.tile(np.repeat(np.arange(len(STRATA)), STRATA), TOPICS)
    judged = JudgmentTable.from_arrays(
        [f"{i:03}" for i in range(TOPICS)], pool * np.arange(41), grades
    )
    return ScoringBatch(
        judged=replace(judged, strata=topic * len(STRATA) + layer),
        topic_index=np.arange(TOPICS),
        lengths=np.full(TOPICS, 1000),
        answered=np.ones(TOPICS, np.bool_),
        segment=topic[listed],
        ranks=total[1:] - total[starts[topic[listed]]],
        judgment_index=listed,
    )


def with_sample(batch: ScoringBatch, kept: Floats, strata: Ints | None) -> ScoringBatch:
    """The batch with judgments only where ``kept``, a probability of inclusion, is no NaN."""
    grades = np.where(np.isnan(kept), -1, batch.judged.grades).astype(np.int32)
    return replace(
        batch, judged=replace(batch.judged, grades=grades, inclusion=kept, strata=strata)
    )


def strata_of(batch: ScoringBatch) -> Ints:
    assert batch.judged.strata is not None
    return batch.judged.strata


def by_strata(batch: ScoringBatch, rng: np.random.Generator) -> ScoringBatch:
    """A sample of fixed size of each stratum."""
    strata = strata_of(batch)
    sizes = np.bincount(strata)
    sampled = np.ceil(sizes * np.tile(RATES, TOPICS))
    order = np.lexsort((rng.random(len(strata)), strata))
    place = np.empty(len(strata))
    place[order] = np.arange(len(strata)) - group_starts(sizes)[strata[order]]
    rate = (sampled / sizes)[strata]
    return with_sample(batch, np.where(place < sampled[strata], rate, np.nan), strata)


def at_one_rate(batch: ScoringBatch, rng: np.random.Generator) -> ScoringBatch:
    """Two fifths of the pool of each topic, as infAP supposes."""
    pool = sum(STRATA)
    place = np.argsort(rng.random((TOPICS, pool)), axis=1).ravel()
    kept = np.where(place < 0.4 * pool, 0.4, np.nan)
    return with_sample(batch, kept, batch.judged.topic_index)


def by_draws(batch: ScoringBatch, rng: np.random.Generator) -> ScoringBatch:
    """Independent draws, less likely with depth."""
    depth = np.tile(np.arange(sum(STRATA)), TOPICS)
    inclusion = np.clip(1.5 / np.sqrt(1 + depth / 10), 0.1, 1)
    return with_sample(batch, np.where(rng.random(len(depth)) < inclusion, inclusion, np.nan), None)


class Case(NamedTuple):
    """``bias`` is what the estimator itself is known to be off by, at the most."""

    name: str
    truth: str
    draw: Callable[[ScoringBatch, np.random.Generator], ScoringBatch]
    bias: float = 0.0


CASES = [
    # Where few documents above a rank were judged, infAP takes half of them for relevant.
    Case("infAP", "map", at_one_rate, 0.02),
    Case("xinfAP", "map", by_strata),
    # Its ideal leaves fractions of documents out.
    Case("infNDCG", "ndcg", by_strata, 0.01),
    Case("inum_rel", "num_rel", by_strata),
    Case("inum_rel_ret", "num_rel_ret", by_strata),
    Case("statAP", "map", by_strata),
    Case("statAP", "map", by_draws),
    Case("stat_num_rel", "num_rel", by_draws),
]


@pytest.mark.parametrize(
    "case", take(CASES, 5), ids=lambda case: f"{case.name}-{case.draw.__name__}"
)
def test_estimates_are_near_the_truth_and_intervals_hold_it(case: Case) -> None:
    rng = np.random.default_rng(20080720)
    full = collection(rng)
    truth = named(case.truth)(full)
    drawn = [of(case.draw(full, rng), case.name) for _ in range(DRAWS)]
    off = np.array([found.values for found in drawn]) - truth
    assert abs(off.mean()) < case.bias + 4 * off.std() / np.sqrt(off.size)
    # The error that is told is the error that is made.
    told = np.sqrt(np.mean([found.errors**2 for found in drawn]))
    assert told == pytest.approx(np.sqrt(np.mean(off**2)), rel=0.12)
    low, high = np.array([found.low for found in drawn]), np.array([f.high for f in drawn])
    defined = ~np.isnan(low)
    assert defined.mean() > 0.98
    # With so few relevant documents in a sample "about 95 %" is 91 to 99 %.
    assert 0.90 < ((low <= truth) & (truth <= high))[defined].mean() < 0.995
    overall = truth.sum() if "num" in case.name else truth.mean()
    held = [f.overall.low - 0.01 <= overall <= f.overall.high + 0.01 for f in drawn]  # type: ignore[operator]
    assert np.mean(held) >= 0.8


SMALL = build_strata_sample(
    [("1", docno, "1", grade) for docno, grade in {"a": 1, "b": 0}.items()]
    + [
        ("1", docno, "2", grade)
        for docno, grade in zip("cdefgh", (1, -1, 0, 1, -1, 0), strict=True)
    ]
)


@pytest.mark.parametrize("name", ["inum_rel", "stat_num_rel"])
def test_the_error_of_a_total_is_the_textbook_one(name: str) -> None:
    found = of(batch_of("cd", SMALL), name)
    # Stratum 2: N = 6, n = 4, variance of the grades 1/3: √(N² · (1 − n/N) · (1/3) / n).
    error = np.sqrt(36 * (1 / 3) * (1 / 3) / 4)
    assert (found.values.tolist(), found.errors.tolist()) == ([4.0], pytest.approx([error]))
    # Of the relevant documents c and f came by chance: one degree of freedom.
    spread = np.exp(t.ppf(0.975, 1) * error / 4)
    assert found.low.tolist() == pytest.approx([4 / spread])
    assert found.high.tolist() == pytest.approx([4 * spread])
    bounds = max(0, 4 - 1.959964 * error), 4 + 1.959964 * error
    assert (found.overall.value, found.overall.why) == (4, None)
    assert (found.overall.low, found.overall.high) == pytest.approx(bounds)


@pytest.mark.parametrize("name", ["infAP", "xinfAP", "infNDCG", "inum_rel_ret", "xinfAP(rel=2)"])
def test_the_jackknife_is_the_plain_one(name: str) -> None:
    rng = np.random.default_rng(5)
    batch, measure = by_strata(collection(rng), rng), named(name)
    strata = batch.judged.topic_index if name == "infAP" else strata_of(batch)
    topic, wanted = 3, 0.0
    for stratum in np.unique(strata[batch.judged.topic_index == topic]):
        members = strata == stratum
        sample = np.flatnonzero(members & (batch.judged.grades >= 0))
        without = np.array([value_without(batch, measure, row, topic) for row in sample.tolist()])
        kept, n = 1 - len(sample) / members.sum(), len(sample)
        wanted += kept * (n - 1) / n * ((without - without.mean()) ** 2).sum()
    assert estimate_sampling_error(batch, measure).errors[topic] == pytest.approx(np.sqrt(wanted))


def value_without(batch: ScoringBatch, measure: Measure, row: int, topic: int) -> float:
    grades = batch.judged.grades.copy()
    grades[row] = -1
    value = measure(replace(batch, judged=replace(batch.judged, grades=grades)))[topic]
    return float(value)


def test_the_error_of_statap_comes_from_its_derivatives() -> None:
    rows = [("a", 1, 0.5), ("b", 0, 0.4), ("c", 2, 0.25), ("d", 1, 1.0), ("e", 1, 0.8)]
    sampled = build_prels_sample([("1", *row) for row in rows])
    found = of(batch_of("xaybczd", sampled), "statAP")
    variance = 0.0
    for at, (docno, grade, inclusion) in enumerate(rows):
        if grade and inclusion < 1:
            nearby = [*rows]
            nearby[at] = (docno, grade, 1 / (1 / inclusion - 1e-6))
            moved = build_prels_sample([("1", *row) for row in nearby])
            value = named("statAP")(batch_of("xaybczd", moved))[0]
            slope = (found.values[0] - value) / 1e-6
            variance += (1 - inclusion) / inclusion**2 * slope**2
    assert found.errors.tolist() == pytest.approx([np.sqrt(variance)], rel=1e-4)
    assert (found.method, of(batch_of("a", SMALL), "xinfAP").method) == (TAYLOR, JACKKNIFE)


@pytest.mark.parametrize("name", VARIANCES)
def test_with_every_pooled_document_judged_there_is_no_error(name: str) -> None:
    full = collection(np.random.default_rng(1))
    batch = with_sample(full, np.ones(len(full.judged.grades)), strata_of(full))
    found = of(batch, name)
    assert found.errors.tolist() == [0.0] * TOPICS
    assert found.low.tolist() == found.values.tolist() == found.high.tolist()
    assert found.overall.low == found.overall.value == found.overall.high


def test_a_higher_confidence_widens_the_interval() -> None:
    batch = batch_of("acdefgh", SMALL)
    narrow, wide = of(batch, "inum_rel_ret", 0.8), of(batch, "inum_rel_ret", 0.99)
    assert wide.low[0] < narrow.low[0] < narrow.values[0] < narrow.high[0] < wide.high[0]
    assert narrow.values.tolist() == wide.values.tolist()


def test_shares_end_at_1_and_counts_do_not() -> None:
    batch = batch_of("acdefgh", SMALL)
    for name in ("infAP", "xinfAP", "infNDCG", "statAP"):
        assert of(batch, name).high.tolist() == [1.0]
    assert of(batch, "inum_rel").high[0] > 8


def test_one_judged_document_of_several_in_a_stratum_tells_no_error() -> None:
    sampled = build_strata_sample([("1", "a", "1", 1), ("1", "b", "2", 1), ("1", "c", "2", -1)])
    for name in ("xinfAP", "infNDCG", "statAP", "inum_rel"):
        found = of(batch_of("ab", sampled), name)
        assert np.isnan([found.errors[0], found.low[0], found.high[0]]).all()
        assert found.overall == Estimate(found.values[0], 1, why=NO_VARIANCE)


def test_infap_of_probabilities_has_no_interval() -> None:
    found = of(batch_of("ab", build_prels_sample([("1", "a", 1, 0.5)])), "infAP")
    assert np.isnan([found.low[0], found.high[0]]).all()
    assert found.overall == Estimate(found.values[0], 1, why=NO_VARIANCE)


def test_an_estimate_of_0_has_no_interval() -> None:
    found = of(batch_of("xy", SMALL), "xinfAP")
    assert found.values.tolist() == [0]
    assert np.isnan([found.low[0], found.high[0]]).all()


def test_undefined_estimates_have_no_interval() -> None:
    batch = batch_of("a", build_prels_sample([("1", "a", 1, 0.5)]))
    found = of(batch, "xinfAP")
    assert found.overall == Estimate(None, 0, why=named("xinfAP").family.card.undefined)
    assert np.isnan([found.values[0], found.errors[0], found.low[0]]).all()


def test_other_means_have_no_interval() -> None:
    found = of(batch_of("ac", SMALL), "xinfAP(mean=median)")
    assert found.overall == Estimate(found.values[0], 1, why=OTHER_MEAN)


def test_topics_left_out_of_the_run_are_left_out() -> None:
    rows = [
        (topic, docno, "1", grade)
        for topic in "12"
        for docno, grade in zip("abc", (1, 0, -1), strict=True)
    ]
    sampled = JudgmentTable.from_sampled(build_strata_sample(rows))
    run = run_from_rows("r", [("2", "a", 1.0)])
    found = of(batch_from_table(run, sampled, ScoringOptions(topics="common")), "inum_rel")
    assert (found.topics, found.values.tolist()) == (("2",), [1.5])
    assert found.errors.tolist() == pytest.approx([np.sqrt(9 * (1 / 3) * (1 / 2) / 2)])


def test_measures_that_are_no_estimates_are_refused() -> None:
    with pytest.raises(
        NoSamplingError, match=r"map has no .*\. Measures with a sampling error: infAP"
    ):
        of(batch_of("a", SMALL), "map")
    with pytest.raises(ValueError, match="between 0 and 1"):
        of(batch_of("a", SMALL), "xinfAP", 95)
