"""The controls of crowd work: by hand, against slow twins, and by enumeration."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from poolbench.crowd.quality.answers import (
    CrowdAnswer,
    compare_with_others,
    group_by_worker,
    is_inconsistent,
    measure_crowd_repeats,
    summarize_agreement,
)
from poolbench.crowd.quality.careless import (
    PaceSummary,
    TimeFloor,
    check_straight_lining,
    entropy_value,
    long_run_probabilities,
    longest_run_length,
    summarize_crowd_pace,
)
from poolbench.crowd.quality.gold import (
    StopRule,
    compute_balanced_accuracy,
    compute_wilson_interval,
    estimate_gold_answers,
    format_stop_reason,
    stop_rule_probabilities,
)
from poolbench.crowd.quality.workers import (
    QualitySettings,
    WorkerQuality,
    list_quality_alarms,
    measure_workers,
)


def judged(worker: str, docno: str, grade: int | None, **fields: object) -> CrowdAnswer:
    return CrowdAnswer(worker, "1", docno, fields.pop("purpose", "judge"), grade, **fields)


@pytest.mark.parametrize(
    ("right", "n", "low", "high"),
    [
        (8, 10, 0.4901625, 0.9433178),  # by hand, on the card
        (0, 4, 0.0, 0.4898908),  # z²/(n + z²)
        (4, 4, 0.5101092, 1.0),
        (2, 8, 0.0714795, 0.5907246),
        # Newcombe, Statistics in Medicine 17 (1998), table I, method 3
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_wilson_intervals_are_the_published_ones(right, n, low, high):
    interval = compute_wilson_interval(right, n)
    assert (interval.low, interval.high) == pytest.approx((low, high), abs=5e-5)


def test_wilson_without_answers_and_with_impossible_ones():
    nothing = compute_wilson_interval(0, 0)
    assert (nothing.value, nothing.low, nothing.high) == (None, 0.0, 1.0)
    with pytest.raises(ValueError, match="3 of 2"):
        compute_wilson_interval(3, 2)


@pytest.mark.parametrize("after", range(8))
def test_no_setting_stops_a_worker_after_two_gold_answers(after):
    for below in (*np.linspace(0, 1, 21), 2.0):
        rule = StopRule(after, float(below))
        for answers in (answers for n in range(3) for answers in product((0, 1), repeat=n)):
            assert not rule.stops_at(sum(answers), len(answers))


@pytest.mark.parametrize("after", [0, 3, 8])
def test_the_rule_compares_the_upper_bound(after):
    rule = StopRule(after, 0.6)
    for n in range(25):
        for right in range(n + 1):
            high = compute_wilson_interval(right, n).high
            assert rule.stops_at(right, n) == (n >= max(3, after) and high < 0.6)


def test_the_rule_by_hand():
    rule = StopRule(8, 0.6)
    assert (rule.stops_at(2, 8), rule.stops_at(3, 8), rule.stops_at(0, 7)) == (True, False, False)
    reason = format_stop_reason(rule, compute_wilson_interval(2, 8))
    assert reason == "Stop rule: 2 of 8 gold documents right; upper bound 0.59, below 0.6."


@pytest.mark.parametrize("accuracy", [0.25, 0.5, 0.8])
def test_stop_probabilities_are_those_of_all_sequences(accuracy):
    rule, most = StopRule(3, 0.7), 9
    slow = [0.0] * most
    for answers in product((0, 1), repeat=most):
        mass = np.prod([accuracy if right else 1 - accuracy for right in answers])
        for n in range(1, most + 1):
            if rule.stops_at(sum(answers[:n]), n):
                slow[n - 1] += mass
                break
    assert stop_rule_probabilities(rule, accuracy, most) == pytest.approx(slow)


def test_operating_characteristics_of_the_defaults():
    rule = StopRule(8, 0.6)
    stopped = {
        (accuracy, most): sum(stop_rule_probabilities(rule, accuracy, most))
        for accuracy in (0.7, 0.8)
        for most in (20, 60)
    }
    assert stopped == {
        (0.7, 20): pytest.approx(0.0158, abs=1e-4), (0.7, 60): pytest.approx(0.0179, abs=1e-4),
        (0.8, 20): pytest.approx(0.0014, abs=1e-4), (0.8, 60): pytest.approx(0.0014, abs=1e-4),
    }  # fmt: skip
    spammer = stop_rule_probabilities(rule, 0.25, 400)
    assert sum(spammer) == pytest.approx(1, abs=1e-6)
    assert estimate_gold_answers(spammer) == pytest.approx(10.5, abs=0.05)
    assert np.isnan(estimate_gold_answers(stop_rule_probabilities(rule, 1.0, 20)))


def test_balanced_accuracy_by_hand():
    same = compute_balanced_accuracy([(0, 0), (0, 0), (0, 0), (1, 0), (2, 0)])
    assert same == pytest.approx(1 / 3)
    assert compute_balanced_accuracy([(0, 0), (0, 1), (2, 2)]) == 0.75
    assert compute_balanced_accuracy([]) is None


def test_time_floor_by_hand():
    floor = TimeFloor(2.0, 1.0)
    assert floor.is_hasty(4.9, 3000)
    assert not floor.is_hasty(5.0, 3000)
    assert not floor.is_hasty(2.5, 500)
    pace = summarize_crowd_pace([(1, 0), (3, 0), (4, 3000), (9, 0)], floor)
    assert (pace.timed, pace.hasty, pace.median) == (4, 2, 3.5)
    assert not pace.is_alarming  # too few
    assert PaceSummary(5, 1, 3.0).is_alarming
    assert not PaceSummary(6, 1, 3.0).is_alarming
    assert summarize_crowd_pace([], floor).median is None


def slow_long_run_probability(expected, longest):
    total = 0.0
    for draws in product(range(expected.shape[1]), repeat=len(expected)):
        if longest_run_length(draws) >= longest:
            total += np.prod([expected[at, grade] for at, grade in enumerate(draws)])
    return total


@given(st.integers(0, 2**32 - 1), st.integers(1, 4))
def test_long_run_probabilities_are_those_of_all_draws(seed, series):
    rng = np.random.default_rng(seed)
    expected = [rng.dirichlet([1.0, 0.5, 0.2], rng.integers(1, 7)) for _ in range(series)]
    longest = [int(rng.integers(1, 8)) for _ in range(series)]
    slow = [slow_long_run_probability(e, n) for e, n in zip(expected, longest, strict=True)]
    assert long_run_probabilities(expected, longest) == pytest.approx(slow, abs=1e-12)


def test_straight_lining_by_hand():
    half = np.full((12, 2), 0.5)
    chances = long_run_probabilities([half[:10], half], [10, 12])
    assert chances == pytest.approx([2 / 2**10, 2 / 2**12])
    assert len(long_run_probabilities([], [])) == 0
    assert (longest_run_length([]), longest_run_length([1, 0, 0, 1])) == (0, 2)
    assert (entropy_value([2, 2]), entropy_value([4]), entropy_value([])) == (1.0, 0.0, 0.0)


def test_zeros_on_a_topic_without_relevant_documents_are_no_straight_line():
    def answers(worker, grades):
        return [
            CrowdAnswer(worker, topic, f"{topic}-{at}", "judge", grade)
            for topic, values in grades.items()
            for at, grade in enumerate(values)
        ]

    others = [
        answer
        for worker in ("b", "c", "d")
        for answer in answers(worker, {"barren": [0] * 30, "rich": [0, 1] * 15})
    ]
    barren = group_by_worker(answers("a", {"barren": [0] * 20}) + others)
    rich = group_by_worker(answers("a", {"rich": [0] * 20}) + others)
    assert not check_straight_lining(barren, (0, 1))["a"].is_alarming
    line = check_straight_lining(rich, (0, 1))["a"]
    assert line.is_alarming
    assert (line.longest, line.entropy) == (20, 0.0)
    # The others gave 45 of 90 there, 45 of 180 in all: (45 + 4/4)/94 ones.
    ones = 46 / 94
    assert line.probability == pytest.approx(ones**20 + (1 - ones) ** 20)


def test_repeats_by_hand():
    first = [judged("a", f"d{at}", grade) for at, grade in enumerate([2, 0, 1, 0, None])]
    again = [
        judged("a", f"d{at}", grade, purpose="repeat") for at, grade in enumerate([2, 0, 0, 0, 1])
    ]
    repeats = measure_crowd_repeats(first + again)
    assert (repeats.successes, repeats.n) == (3, 4)
    assert (repeats.low, repeats.high) == pytest.approx((0.3006, 0.9544), abs=1e-4)
    assert not is_inconsistent(repeats)
    assert is_inconsistent(compute_wilson_interval(0, 3))
    assert not is_inconsistent(compute_wilson_interval(0, 2))


def test_agreement_with_others_by_hand():
    agreement = summarize_agreement([(0, 0), (0, 1), (1, 1), (1, 1)])
    assert (agreement.share.value, agreement.chance, agreement.kappa) == (0.75, 0.5, 0.5)
    assert summarize_agreement([]).kappa is None
    assert summarize_agreement([(1, 1)]).kappa is None  # chance is 1


def test_the_others_are_never_the_worker_itself():
    votes = {"d1": (0, 1, 1), "d2": (0, 0, 1), "d3": (1, 0, 2), "d4": (1, None, None)}
    answers = [
        judged(worker, docno, grade)
        for docno, grades in votes.items()
        for worker, grade in zip("abc", grades, strict=True)
    ]
    others = compare_with_others(answers)
    # a: d1 against 1 1 (no), d2 against 0 1 (tie), d3 tie, d4 alone; c: d1 against 0 1 …
    assert [(others[w].share.successes, others[w].share.n) for w in "abc"] == [
        (0, 1), (0, 0), (0, 1),
    ]  # fmt: skip


def test_workers_get_their_alarms():
    rng = np.random.default_rng(7)
    settings = QualitySettings((0, 1, 2), StopRule(8, 0.6), TimeFloor(2, 1))
    answers = []
    truth = rng.integers(0, 3, 120)
    for worker in ("good1", "good2", "good3", "random", "line", "fast"):
        for at, grade in enumerate(truth):
            value = int(grade if rng.random() < 0.85 else rng.integers(0, 3))
            value = {"random": int(rng.integers(0, 3)), "line": 0}.get(worker, value)
            purpose, known = ("gold", int(grade)) if at % 5 == 0 else ("judge", None)
            answers.append(
                judged(
                    worker, f"d{at}", value, purpose=purpose, gold_grade=known,
                    seconds=1.0 if worker == "fast" else 9.0, characters=100,
                )
            )  # fmt: skip
    quality = measure_workers(answers, settings)
    codes = {name: [alarm.name for alarm in own.alarms] for name, own in quality.items()}
    assert [codes[name] for name in ("good1", "good2", "good3")] == [[], [], []]
    assert codes["fast"] == ["pace"]
    assert codes["line"] == ["gold", "line", "others"]
    assert codes["random"] == ["others"]
    assert quality["good1"].gold.n == 24
    assert quality["line"].balanced == pytest.approx(1 / 3)


def test_many_skips_are_an_alarm():
    settings = QualitySettings((0, 1), StopRule(3, 0.6), TimeFloor(0, 0))
    answers = [judged("a", f"d{at}", None if at % 2 else 0) for at in range(10)]
    quality = measure_workers(answers, settings)["a"]
    assert (quality.judged, quality.skipped) == (10, 5)
    assert [alarm.name for alarm in quality.alarms] == ["skips"]
    assert quality.alarms[0].evidence == "5 of 10 skipped"


def test_the_gold_alarm_says_what_the_rule_says():
    rule = StopRule(3, 0.6)
    clean = summarize_crowd_pace([], TimeFloor(0, 0))
    lines = check_straight_lining({"a": []}, (0, 1))["a"]
    nothing = compute_wilson_interval(0, 0)
    gold = compute_wilson_interval(0, 3)
    alone = summarize_agreement([])
    quality = WorkerQuality(3, 0, gold, None, clean, lines, nothing, alone)
    alarms = list_quality_alarms(rule, quality)
    assert [(a.title, a.evidence) for a in alarms] == [("Gold", "0 of 3 right, upper bound 0.56")]
