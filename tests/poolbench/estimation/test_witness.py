"""Diagnostics of machines: by hand on tiny samples, and on real ones that are judged completely."""

import numpy as np
import pytest

from benchmarks.sampled_scores import copy_run, load_dl19, load_machine, shuffle_machine
from benchmarks.witness import (
    COPIED,
    SEVEN,
    draw_samples,
    list_alarmed,
    list_teams,
    name_team,
    read_dl19_texts,
)
from poolbench.estimation.diagnostics.circularity import compute_team_excess
from poolbench.estimation.diagnostics.confusion import compute_confusion, estimate_share
from poolbench.estimation.diagnostics.drift import measure_drift
from poolbench.estimation.diagnostics.excess import compute_error, fit_weighted, share_pairs
from poolbench.estimation.diagnostics.findings import list_findings
from poolbench.estimation.diagnostics.probes import estimate_probes, measure_text
from poolbench.estimation.diagnostics.ranking import score_by_machine
from poolbench.estimation.diagnostics.witness import (
    WitnessInputs,
    WitnessReport,
    describe_machine,
    report_witnesses,
)
from poolbench.estimation.machines import NONE, MachineInput
from poolbench.plain_data import read_plain, to_plain
from tests.poolbench.estimation.frames import find, make_frame, one_topic, random_frame, take

TOPICS = {"1112341", "451602"}
"""The two of DL19 whose best passages the seven machines took for not relevant."""


def build_shared(people: list[int], machine: list[int], pi: list[float], top: int = 1):
    letters = "abcdefghijklmnopqrstuvwxyz"[: len(people)]
    sample = take(one_topic(letters), dict(enumerate(people)), pi, top)
    return share_pairs(sample, MachineInput("m", np.array(machine)))


def test_a_pair_without_a_machine_grade_is_left_out_and_not_grade_0():
    shared = build_shared([1, 0, 1], [1, 0, NONE], [1, 0.5, 0.25])
    assert (shared.pairs.tolist(), shared.weight.tolist()) == ([0, 1], [1, 2])
    cells = {(c.people, c.machine): c for c in compute_confusion(shared).cells}
    assert cells[1, 0].share.value == 0
    assert cells[1, 1].pairs == 1


def test_shares_are_weighted_by_the_inverse_of_the_probability():
    # Two of weight 1 hit, one of weight 4 does not: 2/6. Weights of 6 and 18: two equal pairs.
    share = estimate_share(np.array([True, True, False]), np.array([1.0, 1.0, 4.0]))
    assert share.value == pytest.approx(1 / 3)
    assert share.low < 1 / 3 < share.high
    whole = estimate_share(np.array([True] * 30 + [False] * 70), np.ones(100))
    # Wilson's for 30 of 99 or 100.
    assert whole.low == pytest.approx(0.219, abs=0.002)
    assert whole.high == pytest.approx(0.396, abs=0.002)


def test_an_error_is_that_of_pairs_drawn_anew():
    # n/(n − 1) Σ (part − mean)² = 2 · (1 + 1) for 1 and 3.
    assert compute_error(np.array([1.0, 3.0])) == pytest.approx(2.0)


def test_weighted_regression_by_hand():
    # y = 0 with weight 3, 4 with weight 1: mean 1; parts of the error ∓ 3/4 · … add to 0.
    fit = fit_weighted(np.ones((2, 1)), np.array([0.0, 4.0]), np.array([3.0, 1.0]), np.zeros(1))
    assert fit.slopes == pytest.approx([1.0])
    assert fit.left == pytest.approx([-1.0, 3.0])
    assert fit.influences[:, 0] == pytest.approx([-0.75, 0.75])


def test_texts_are_measured_by_words_and_by_terms_of_the_query():
    assert measure_text("How do goldfish grow", "Goldfish grow; goldfish grow.") == (2.0, 0.5)
    assert measure_text("", "") == (0.0, 0.0)


def test_few_pairs_give_no_diagnostics():
    sample = take(one_topic("abc"), {0: 1, 1: 0}, [1, 1, 1])
    report = describe_machine(sample, MachineInput("m", np.array([1, 0, 1])), WitnessInputs({}))
    assert (report.shared, report.confusion) == (2, None)
    (finding,) = list_findings(report)
    assert finding.code == "too-little"


def test_one_team_is_compared_with_no_other():
    shared = build_shared([1, 0] * 10, [0, 1] * 10, [1.0] * 20)
    assert compute_team_excess(shared, {"a": "one"}) == ()


def test_drift_is_found_in_the_grades_of_the_one_who_drifts():
    rng = np.random.default_rng(0)
    frame = make_frame({"a": {"1": ["x"]}}, {"1": [f"d{at:03}" for at in range(400)]})
    order = np.arange(400)
    late = np.where(order % 2 == 0, order / 400, 0.5)
    grades = (rng.random(400) < late).astype(int)
    sample = take(frame, dict(enumerate(grades.tolist())), [1.0] * 400)
    who = ["moves" if at % 2 == 0 else "stays" for at in range(400)]
    found = {row.assessor: row for row in measure_drift(sample, np.full((400, 1), 0.5), order, who)}
    assert found["moves"].is_alarm
    # From 0 to 1 within two hundred of its judgments.
    assert found["moves"].slope.low < 0.5 < found["moves"].slope.high
    assert not found["stays"].is_alarm


def test_a_machine_that_repeats_people_ranks_as_they_do():
    frame = random_frame(np.random.default_rng(3), topics=8, runs=4)
    grades = np.random.default_rng(4).integers(0, 2, len(frame.topic_index))
    sample = take(frame, dict(enumerate(grades.tolist())), [1.0] * len(grades))
    machine = MachineInput("same", grades)
    measures = {"P_10": find("P_10")}
    report = report_witnesses(sample, [machine], measures, 0, WitnessInputs({}))
    (own,) = report.machines
    (ranking,) = own.rankings
    assert (ranking.tau.value, own.gain) == (pytest.approx(1.0), None)
    assert ranking.lean == pytest.approx(0)
    assert own.confusion.correlation.value == pytest.approx(1)
    assert read_plain(WitnessReport, to_plain(report)) == report


def test_ungraded_pairs_score_as_the_mean_of_the_graded():
    frame = one_topic("ab")
    machine = MachineInput("m", np.array([1, NONE]))
    assert score_by_machine(frame, machine, find("P_2"), 1)[0, 0] == pytest.approx(1.0)


@pytest.fixture(scope="module")
def dl19(data_dir):
    return load_dl19(data_dir)


@pytest.mark.parametrize("name", SEVEN)
def test_all_seven_machines_miss_two_topics_of_dl19(data_dir, dl19, name):
    machine = load_machine(data_dir, dl19, name)
    (sample,) = draw_samples(dl19, machine, 1.0, 1)
    report = describe_machine(sample, machine, WitnessInputs({}))
    topics = {row.topic: row for row in report.confusion.topics}
    assert {topic for topic, row in topics.items() if row.is_flagged} == TOPICS
    first, second = topics["1112341"], topics["451602"]
    assert (first.pairs, second.pairs) == (97, 65)
    assert 46 <= first.missed <= 88
    assert 21 <= second.missed <= 50


def count_teams(dl19, machine, share: float, samples: int) -> tuple[float, float]:
    """How often any team is found, and how often that of the copied run."""
    inputs = WitnessInputs(list_teams(dl19))
    drawn = draw_samples(dl19, machine, share, samples)
    found = [list_alarmed(describe_machine(each, machine, inputs)) for each in drawn]
    own = name_team(COPIED)
    return np.mean([bool(each) for each in found]), np.mean([own in each for each in found])


def check_alarms(data_dir, dl19, samples: int, shares: tuple[float, ...]) -> None:
    copied = copy_run(dl19, COPIED)
    shuffled = shuffle_machine(load_machine(data_dir, dl19, SEVEN[0]))
    for share in shares:
        assert count_teams(dl19, copied, share, samples)[1] >= 0.95
        assert count_teams(dl19, shuffled, share, samples)[0] <= 0.1


def test_a_run_as_machine_is_found_and_a_shuffled_one_raises_no_alarm(data_dir, dl19):
    check_alarms(data_dir, dl19, 4, (0.1,))


@pytest.mark.full
def test_a_run_as_machine_is_found_in_many_samples(data_dir, dl19):
    check_alarms(data_dir, dl19, 60, (0.05, 0.1, 0.2, 1.0))


@pytest.mark.full
def test_machines_of_dl19_give_more_to_texts_with_the_terms_of_the_query(data_dir, dl19):
    texts = read_dl19_texts(data_dir, dl19)
    slopes = []
    for name in SEVEN:
        machine = load_machine(data_dir, dl19, name)
        (sample,) = draw_samples(dl19, machine, 1.0, 1)
        length, query = estimate_probes(share_pairs(sample, machine), texts)
        assert abs(length.slope.value) < 0.15
        slopes.append(query.slope.value)
    assert sum(slope > 0.2 for slope in slopes) >= 6
