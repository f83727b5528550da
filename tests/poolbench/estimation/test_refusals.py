"""When there is no interval, and what is remarked: each case by hand."""

from dataclasses import replace

import numpy as np
import pytest

from poolbench.estimation.frame import PoolFrame
from poolbench.estimation.machines import NONE, MachineInput
from poolbench.estimation.refusals import TOO_FEW_JUDGED, explain_no_interval, list_unjudged_topics
from poolbench.estimation.remarks import SampleWeights, list_remarks, weigh_sample
from poolbench.estimation.report import ScoreEstimates, compute_estimates
from poolbench.estimation.sample import JudgedSample, build_sample
from poolbench.plain_data import read_plain, to_plain
from tests.poolbench.estimation.frames import find, make_frame, one_topic, take

AP, PRECISION = find("AP"), find("P@2")
TOPICS = 20


def many_topics() -> PoolFrame:
    """Twenty topics of ten documents, and two runs of them."""
    names = [f"t{at:02}" for at in range(TOPICS)]
    pairs = dict.fromkeys(names, "abcdefghij")
    back = dict.fromkeys(names, "jihgfedcba")
    return make_frame({"a": pairs, "b": back}, pairs)


def judge(by_topic: int, left_out: int = 0, skipped: int = 0) -> JudgedSample:
    """The first so many pairs of each topic but the last ones, of which some were skipped."""
    frame = many_topics()
    drawn = np.flatnonzero(np.arange(200) % 10 < by_topic)
    drawn = drawn[drawn // 10 < TOPICS - left_out]
    grades = np.arange(200) % 3 // 2
    grades[drawn[:skipped]] = -1
    return build_sample(frame, grades, drawn, np.full(200, by_topic / 10), 1)


def test_enough_judgments_have_intervals() -> None:
    assert explain_no_interval(judge(5), AP) is None
    assert compute(judge(5)).report.measures[0].why is None


def test_few_judgments_a_topic_leave_linear_measures_their_interval() -> None:
    sample = judge(4)
    assert explain_no_interval(sample, AP) == TOO_FEW_JUDGED
    assert explain_no_interval(sample, PRECISION) is None
    ratio, linear = compute(sample).report.measures
    assert (ratio.why, linear.why) == (TOO_FEW_JUDGED, None)
    for row in ratio.runs:
        for own in (row.estimate, row.over_topics):
            assert (own.low, own.high, own.level, own.why) == (None, None, None, TOO_FEW_JUDGED)
        assert row.estimate.value is not None
    assert all(row.estimate.low is not None for row in linear.runs)


def test_one_topic_in_twenty_may_be_without_a_judged_pair() -> None:
    assert explain_no_interval(judge(6, left_out=1), AP) is None
    sample = judge(6, left_out=2)
    assert list_unjudged_topics(sample) == ["t18", "t19"]
    why = "topics without a judged pair: 2 of 20, more than 5%"
    assert {explain_no_interval(sample, own) for own in (AP, PRECISION)} == {why}


def test_skipped_pairs_raise_the_weights_of_the_others() -> None:
    sample = judge(6, skipped=6)
    assert explain_no_interval(sample, AP) is None
    assert sample.pi == pytest.approx(np.full(200, 0.6 * 0.95))
    assert (1 / sample.chance).sum() == pytest.approx(200)
    assert "Without a grade: 6." in remarks_of(compute(sample))["skipped"]
    why = "sampled pairs without a grade: 7 of 120, more than 5%"
    assert explain_no_interval(judge(6, skipped=7), PRECISION) == why
    assert compute(judge(6)).report.remarks == ()


def test_a_topic_alone_needs_twenty_judged_pairs() -> None:
    frame = one_topic("abcdefghijklmnopqrstuvwxyz")
    few, enough = (take(frame, dict.fromkeys(range(n), 1), [0.8] * 26) for n in (19, 20))
    assert explain_no_interval(few, PRECISION) == "fewer than 20 judged pairs of one topic"
    assert explain_no_interval(enough, AP) is None


def test_a_stratum_without_a_judged_pair_is_named() -> None:
    strata = np.arange(200) // 5
    sample = replace(judge(6), strata=strata)
    assert explain_no_interval(sample, AP) is None
    judged = sample.judged[strata[sample.judged] != 7]
    left = replace(sample, judged=judged, steps=sample.steps[: len(judged)])
    assert explain_no_interval(left, AP) == "stratum 2 of topic t03 has no judged pair"


def test_everything_judged_needs_no_number() -> None:
    assert explain_no_interval(take(one_topic("ab"), {0: 1, 1: 0}, [1, 1]), AP) is None


def compute(sample: JudgedSample, **settings: object) -> ScoreEstimates:
    machines = settings.pop("machines", [])
    return compute_estimates(sample, machines, {"AP": AP, "P@2": PRECISION}, 0, **settings)


def remarks_of(drawn: ScoreEstimates) -> dict[str, str]:
    return {remark.code: remark.text for remark in drawn.report.remarks}


def test_weights_by_hand() -> None:
    """1/π = 1, 2, 5: (8)² / 30."""
    sample = take(one_topic("abcd"), {0: 1, 1: 0, 2: 0}, [1, 0.5, 0.2, 0.2])
    assert weigh_sample(sample) == SampleWeights(5, pytest.approx(64 / 30))
    assert weigh_sample(take(one_topic("abcd"), {}, [0.5] * 4)) == SampleWeights(0, 0)


def test_five_pairs_with_half_of_the_variance_are_named() -> None:
    sample = judge(5)
    pi = sample.pi.copy()
    pi[:3] = 0.01
    heavy = compute(replace(sample, pi=pi))
    (remark,) = [own for own in heavy.report.remarks if (own.code, own.measure) == ("heavy", "AP")]
    assert "t00 a" in remark.names
    assert len(remark.names) == 5
    assert remark.text.startswith("5 judged pairs cause more than half")


def test_runs_outside_the_pool_and_incomplete_machines_are_named() -> None:
    frame = make_frame({"a": {"1": "abcdefghij"}, "late": {"1": "abcdefghxy"}}, {"1": "abcdefghij"})
    sample = take(frame, dict.fromkeys(range(8), 1), [0.8] * 10)
    grades = np.array([0, 1, 0, 1, 0, 1, 0, 1, 0, NONE])
    drawn = compute(sample, machines=[MachineInput("m", grades), MachineInput("n", grades % 2)])
    own = {remark.code: remark for remark in drawn.report.remarks}
    assert own["unpooled"].names == ("late",)
    assert own["unpooled"].text.endswith("The least: late, 80%.")
    assert own["machine-incomplete"].names == ("m",)
    assert own["machine-incomplete"].text.endswith("m has 90.0% of the pairs.")
    framed = {row.run: row.framed for row in drawn.report.measures[0].runs}
    assert framed == {"a": 1.0, "late": 0.8}


def test_measures_that_the_sample_was_not_drawn_for_are_named() -> None:
    own = compute(judge(5), drawn_for=["P@2"]).report.remarks
    assert [(remark.code, remark.measure) for remark in own] == [("other-measure", "AP")]


def test_runs_whose_counts_are_the_larger_error_are_named() -> None:
    sample = judge(5)
    drawn = compute(sample)
    own = replace(drawn.measures["AP"], allowance=np.array([1.0, 0.0]))
    assert not list_remarks(sample, [], drawn.measures, None)
    (remark,) = list_remarks(sample, [], {"AP": own}, None)
    assert (remark.code, remark.measure, remark.names) == ("rough", "AP", ("a",))


def test_topics_without_anything_relevant_expected_are_named() -> None:
    sample = judge(5)
    steps = np.zeros_like(sample.steps)
    steps[:3] = 1
    own = {remark.code: remark for remark in compute(replace(sample, steps=steps)).report.remarks}
    assert own["nothing-relevant"].names == tuple(f"t{at:02}" for at in range(1, TOPICS))
    assert "is expected: 19." in own["nothing-relevant"].text


def test_a_machine_without_gain_does_not_decide_the_order() -> None:
    sample = judge(5)
    useless = MachineInput("none", np.random.default_rng(0).integers(0, 2, 200))
    exact = MachineInput("people", np.arange(200) % 3 // 2)
    for machine, is_used in ((useless, False), (exact, True)):
        report = compute(sample, machines=[machine]).report
        assert report.gain is not None
        assert (report.gain >= 0.01) == is_used
        drawn = [row.drawn_in is not None for own in report.measures for row in own.runs]
        assert set(drawn) == {is_used}
    assert compute(sample).report.gain is None


def test_the_report_is_stored_as_plain_data() -> None:
    report = compute(judge(5, skipped=3), drawn_for=["P@2"]).report
    assert read_plain(type(report), to_plain(report)) == report
