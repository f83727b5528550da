"""Bootstrap intervals over topics: what they are, when there are none, how often they hold."""

from dataclasses import replace

import numpy as np
import pytest

from poolbench.judging.agreement.coefficient import DRAWS
from poolbench.judging.agreement.formats import AGREEMENT_FORMATS
from poolbench.judging.agreement.labels import MISSING, LabelTable
from poolbench.judging.agreement.panel import MOST_PAIRS, agreement_report, coefficients_over_all
from poolbench.judging.agreement.registry import COEFFICIENTS
from poolbench.statistics.bootstrap import percentile_estimates
from poolbench.statistics.draws import ResamplingOptions, multinomial_counts
from tests.poolbench.judging.labelled import labels


def simulated(
    topics: int, seed: int, assessors: int = 3, each: int = 12, spread: float = 0.15
) -> LabelTable:
    """Grades 0 to 2 that are the truth, or else drawn anew: as often as the topic is hard."""
    random = np.random.default_rng(seed)
    hard = np.repeat(np.clip(random.normal(0.35, spread, topics), 0.02, 0.98), each)
    truth = random.integers(0, 3, topics * each)
    lost = random.random((assessors, topics * each)) < hard
    grades = np.where(lost, random.integers(0, 3, lost.shape), truth).astype(np.int32)
    pairs = tuple((f"{at // each:03}", f"d{at}") for at in range(topics * each))
    return LabelTable(tuple("ABCDEFGH"[:assessors]), pairs, grades, (0, 1, 2))


def copy_judgments(whole: LabelTable, weights: np.ndarray) -> LabelTable:
    """Of the judgments of each topic, copied out as often as it was drawn."""
    taken = np.repeat(np.arange(len(weights)), weights)
    columns = [c for t in taken for c in np.flatnonzero(whole.topic_indices == t)]
    pairs = tuple(("1", f"d{at}") for at in range(len(columns)))
    return LabelTable(whole.assessors, pairs, whole.grades[:, columns], whole.scale)


def test_an_interval_is_the_middle_of_the_resamples_taken_one_by_one() -> None:
    """The same draws of topics, judgments copied out and every coefficient taken anew."""
    whole, draws = simulated(6, 1, assessors=3, each=5), ResamplingOptions(3, 100)
    report = agreement_report(whole, 1, draws=draws)
    drawn: dict[str, list[float]] = {name: [] for name in report.overall}
    for weights in multinomial_counts(6, draws).astype(int):
        again, _ = coefficients_over_all(copy_judgments(whole, weights), 1, draws)
        for name, found in again.items():
            assert found.value is not None
            drawn[name].append(found.value)
    for name, values in drawn.items():
        wanted = np.quantile(values, [0.025, 0.975])
        found = report.overall[name]
        assert (found.low, found.high) == pytest.approx(tuple(wanted), abs=1e-12), name


def test_the_seed_makes_the_interval() -> None:
    whole = simulated(10, 2)
    first, again = agreement_report(whole, 1), agreement_report(whole, 1)
    other = agreement_report(whole, 1, draws=ResamplingOptions(5, DRAWS.resamples))
    assert first.overall == again.overall
    assert first.pairs == again.pairs
    assert first.overall["alpha-ordinal"].low != other.overall["alpha-ordinal"].low
    assert first.overall["alpha-ordinal"].value == other.overall["alpha-ordinal"].value


@pytest.mark.full
def test_intervals_hold_about_as_often_as_they_say() -> None:
    """True value: that of very many topics of the same kind. 30 topics a campaign."""
    draws = ResamplingOptions(7, 300)
    names = ("percent", "fleiss", "ac1", "alpha-ordinal")
    truth, _ = coefficients_over_all(simulated(8000, 99), 1, ResamplingOptions(0, 100))
    held = dict.fromkeys(names, 0)
    for seed in range(200):
        found, _ = coefficients_over_all(simulated(30, seed), 1, draws)
        for name in names:
            low, high = found[name].low or 0, found[name].high or 0
            held[name] += low <= (truth[name].value or 0) <= high
    assert all(0.88 <= count / 200 <= 0.98 for count in held.values()), held


@pytest.mark.full
def test_the_interval_of_a_mean_over_pairs_is_that_of_all_topics_drawn_together() -> None:
    """Pairs of assessors with all topics, with some, and with one of their own."""
    whole, draws = simulated(5, 11, assessors=4, each=6), ResamplingOptions(2, 100)
    grades = whole.grades.copy()
    grades[2, whole.topic_indices >= 3] = MISSING
    grades[3, whole.topic_indices != 4] = MISSING
    some = replace(whole, grades=grades)
    drawn = []
    for weights in multinomial_counts(5, draws).astype(int):
        again = agreement_report(copy_judgments(some, weights), 1, draws=draws)
        drawn.append(again.means["percent"].value)
    found = agreement_report(some, 1, draws=draws).means["percent"]
    wanted = np.quantile([value for value in drawn if value is not None], [0.025, 0.975])
    assert (found.low, found.high) == pytest.approx(tuple(wanted), abs=1e-12)


def test_one_topic_has_no_interval_and_says_why() -> None:
    report = agreement_report(labels((0, 1, 1, 0), (0, 1, 0, 0), (1, 1, 0, 0)), 1)
    for found in (
        *report.overall.values(),
        *report.means.values(),
        *report.pairs["A", "B"].values(),
    ):
        assert found.value is not None
        assert (found.low, found.high) == (None, None)
        assert found.why == "fewer than 5 topics"


def test_the_interval_of_a_mean_over_topics_is_of_the_topics_that_have_a_value() -> None:
    whole, draws = simulated(8, 4, assessors=2, each=6), ResamplingOptions(9, 200)
    grades = whole.grades.copy()
    grades[1, whole.topic_indices >= 6] = MISSING
    found = agreement_report(replace(whole, grades=grades), 1, draws=draws)
    values = [panel.overall["percent"].value for panel in list(found.by_topic.values())[:6]]
    counts = multinomial_counts(6, draws).astype(int)
    drawn = [np.repeat(values, weights).mean() for weights in counts]
    mean = found.topic_means.overall["percent"]
    assert (mean.n, mean.value) == (6, pytest.approx(np.mean(values)))
    assert (mean.low, mean.high) == pytest.approx(tuple(np.quantile(drawn, [0.025, 0.975])))


def test_a_mean_that_no_single_topic_has_is_still_of_all_topics() -> None:
    """One pair a topic: kappa is undefined within topics where both agree, not over them."""
    topics = tuple(str(at) for at in range(8))
    rows = ((0, 1) * 4, (0, 1, 0, 1, 0, 1, 0, 0))
    report = agreement_report(labels(*rows, topics=topics), 1)
    mean, pair = report.means["kappa"], report.pairs["A", "B"]["kappa"]
    assert (mean.value, mean.topics) == (pair.value, pair.topics)
    assert mean.topics == 8
    assert (mean.low, mean.high) == (pair.low, pair.high)
    assert mean.low is not None


def test_two_assessors_who_share_one_topic_have_no_interval_though_others_have() -> None:
    topics = tuple("1122334455")
    missing = (None,) * 8
    rows = ((0, 1, 1, 0, 1, 0, 1, 1, 0, 0), (0, 1, 0, 0, 1, 1, 1, 0, 0, 0), (0, 0, *missing))
    report = agreement_report(labels(*rows, topics=topics), 1)
    assert report.pairs["A", "B"]["percent"].topics == 5
    assert report.pairs["A", "B"]["percent"].low is not None
    assert report.pairs["A", "C"]["percent"].topics == 1
    assert report.pairs["A", "C"]["percent"].why == "fewer than 5 topics"


def test_two_assessors_are_resampled_over_the_topics_they_share() -> None:
    whole = simulated(10, 3, assessors=2)
    grades = np.vstack([whole.grades, whole.grades[:1]])
    grades[2, whole.topic_indices >= 6] = MISSING
    three = LabelTable(tuple("ABC"), whole.pairs, grades, whole.scale)
    half = three.select_assessors(0, 2)
    shared = [at for at, topic in enumerate(whole.topic_indices) if topic < 6]
    alone = LabelTable(
        ("A", "C"), tuple(whole.pairs[at] for at in shared), half.grades[:, shared], whole.scale
    )
    assert agreement_report(three, 1).pairs["A", "C"] == agreement_report(alone, 1).pairs["A", "C"]


def test_alike_topics_and_undefined_resamples_have_no_interval() -> None:
    topics = tuple("1122334455")
    same = agreement_report(labels((0, 1) * 5, (0, 0) * 5, topics=topics), 1)
    assert same.overall["percent"].why == "all resamples of the topics have the same value"
    rare = agreement_report(labels((*(0,) * 9, 1), (0,) * 10, topics=topics), 1)
    assert "resamples of the topics" in (rare.overall["alpha-nominal"].why or "")


def test_quantiles_leave_undefined_resamples_out() -> None:
    values = np.arange(100.0)
    values[:4] = np.nan
    drawn = np.random.default_rng(1).permutation(values)[None]
    (found,) = percentile_estimates([0.0], drawn, np.array([5]))
    assert (found.low, found.high) == pytest.approx(tuple(np.quantile(values[4:], [0.025, 0.975])))


def test_a_crowd_has_intervals_over_all_of_it_only() -> None:
    random = np.random.default_rng(8)
    crowd = LabelTable(
        tuple(f"w{at}" for at in range(34)),
        tuple((str(at % 6), f"d{at}") for at in range(24)),
        random.integers(0, 2, (34, 24)).astype(np.int32),
    )
    report = agreement_report(crowd, 1)
    assert len(report.pairs) > MOST_PAIRS
    assert report.overall["alpha-ordinal"].low is not None
    for found in (report.means["kappa"], report.pairs["w0", "w1"]["kappa"]):
        assert found.value is not None
        assert "are computed for at most 500 pairs" in (found.why or "")
    few = agreement_report(crowd.select_assessors(0, 1), 1).pairs["w0", "w1"]
    bare = report.pairs["w0", "w1"]
    for name in COEFFICIENTS:
        blank = replace(few[name], low=None, high=None, level=None, why=bare[name].why)
        assert bare[name] == blank


@pytest.mark.parametrize(("topics", "printed", "hint"), [(4, False, False), (5, True, True)])
def test_intervals_need_five_topics_and_are_a_hint_below_ten(topics, printed, hint):
    report = agreement_report(simulated(topics, 5), 1)
    everywhere = [report.overall, report.means, *report.pairs.values()]
    for found in [value for row in everywhere for value in row.values()]:
        assert found.value is not None
        assert (found.low is not None, found.is_hint) == (printed, hint)
        assert (found.why == "fewer than 5 topics") is not printed
    told = AGREEMENT_FORMATS["table"](report)
    assert (" (hint)" in told) is hint
    assert ("hint: interval from fewer than 10 topics" in told) is hint
    assert report.as_dict()["interval"]["least_topics"] == 5


def test_intervals_from_ten_topics_have_no_mark() -> None:
    report = agreement_report(simulated(10, 5), 1)
    assert not any(value.is_hint for value in report.overall.values())
    assert "hint" not in AGREEMENT_FORMATS["table"](report)
