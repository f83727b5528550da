"""Bias, drift, pace, self-consistency and automatic assessors."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from poolbench.files.streams import read_bytes
from poolbench.judging.agreement.coefficient import DRAWS, Floats, Ints
from poolbench.judging.agreement.labels import MISSING, LabelTable, labels_from_qrels
from poolbench.judging.quality.automatic import compare_automatic_assessors, consensus_labels
from poolbench.judging.quality.bias import bias_by_assessor, drift_by_assessor, estimate_bias
from poolbench.judging.quality.formats import QUALITY_FORMATS
from poolbench.judging.quality.ordered_grades import (
    OrderedGrades,
    pace_by_assessor,
    untimed_judgments,
)
from poolbench.judging.quality.report import (
    CARDS,
    EVERYONE,
    JudgingRecord,
    quality_report,
    record_from_labels,
    self_consistency_by_assessor,
)
from poolbench.runs.qrels import read_qrels
from poolbench.statistics.draws import multinomial_counts
from tests.poolbench.judging.labelled import labels, read_folder


def said(
    given: dict[str, tuple[Ints, Floats]], *, seconds: Sequence[float] | None = None
) -> OrderedGrades:
    """The n-th judgment of each assessor is of the n-th pair; grades need not be whole."""
    lengths = [len(grades) for _, grades in given.values()]
    assessor = np.repeat(np.arange(len(given)), lengths)
    topic = np.concatenate([topics for topics, _ in given.values()])
    grade = np.concatenate([grades for _, grades in given.values()])
    n = len(grade)
    return OrderedGrades(
        tuple(given),
        tuple(str(at) for at in range(int(topic.max()) + 1)),
        tuple(sorted({int(one) for one in grade})),
        assessor,
        topic,
        np.concatenate([np.arange(length) for length in lengths]),
        grade,
        np.full(n, np.nan) if seconds is None else np.array(seconds, np.float64),
        np.ones(n, np.bool_),
    )


def test_bias_is_the_mean_distance_to_the_others() -> None:
    """The example of the card: 2, 1, 3 where the others' means are 1, 1.5, 2."""
    rows = ((2, 1, 3, 3), (1, 1, 2, None), (1, 2, None, None))
    found = bias_by_assessor(untimed_judgments(labels(*rows)))["A"]
    assert (found.value, found.n) == (pytest.approx(0.5), 3)
    assert found.why == "fewer than 5 topics"
    assert CARDS["bias"].example.endswith("0.5.")


def test_bias_of_two_is_the_same_with_the_sign_turned() -> None:
    random = np.random.default_rng(3)
    rows = tuple(tuple(row) for row in random.integers(0, 4, (2, 40)).tolist())
    found = bias_by_assessor(untimed_judgments(labels(*rows, topics=tuple("abcde" * 8))))
    assert found["A"].value == pytest.approx(-(found["B"].value or 0))
    assert found["A"].low == pytest.approx(-(found["B"].high or 0))


def test_the_interval_of_a_bias_is_that_of_topics_drawn_one_by_one() -> None:
    random = np.random.default_rng(5)
    grades = random.integers(0, 4, (3, 30))
    whole = labels(*map(tuple, grades.tolist()), topics=tuple("aabbccdeee" * 3))
    given = untimed_judgments(whole)
    found = estimate_bias(given, np.flatnonzero(given.assessor == 0))
    difference_from_others = grades[0] - grades[1:].mean(axis=0)
    values = [
        np.repeat(difference_from_others, weights[whole.topic_indices].astype(int)).mean()
        for weights in multinomial_counts(5, DRAWS)
    ]
    assert (found.low, found.high) == pytest.approx(tuple(np.quantile(values, [0.025, 0.975])))


def test_who_judged_alone_has_no_bias() -> None:
    found = bias_by_assessor(untimed_judgments(labels((1, None), (None, 2))))["B"]
    assert (found.value, found.reason) == (None, "no other assessor judged any of the pairs")


def drifting(slope: float, topics: int = 10, each: int = 10, noise: float = 0.0) -> OrderedGrades:
    """A moves away from B, who always says 1, by ``slope`` grades per 100 judgments."""
    n = topics * each
    truth = np.ones(n)
    moved = truth + slope * np.arange(n) / 100
    moved = moved + noise * np.random.default_rng(1).normal(size=n)
    topic = np.arange(n) // each
    return said({"A": (topic, moved), "B": (topic, truth)})


def test_drift_is_the_slope_in_grades_per_hundred_judgments() -> None:
    found = drift_by_assessor(drifting(0.7))["A"]
    assert found.slope.value == pytest.approx(0.7)
    assert found.slope.n == 100
    blocks = [(block.first, block.last, block.n) for block in found.blocks]
    assert blocks == [(1, 20, 20), (21, 40, 20), (41, 60, 20), (61, 80, 20), (81, 100, 20)]
    assert [block.value for block in found.blocks] == pytest.approx(
        [0.7 * (9.5 + 20 * at) / 100 for at in range(5)]
    )


def test_drift_counts_the_judgments_that_cannot_be_compared() -> None:
    """B judged every other document of A's: the slope is that on A's own places."""
    n = 60
    moved = np.arange(n) * 0.5 / 100
    given = said({"A": (np.arange(n) // 10, moved), "B": (np.arange(n) // 10, np.zeros(n))})
    kept = np.flatnonzero((given.assessor == 0) | (given.pair % 2 == 0))
    columns = ("assessor", "topic", "pair", "grade", "seconds", "ordered")
    half = replace(given, **{name: getattr(given, name)[kept] for name in columns})
    found = drift_by_assessor(half)["A"]
    assert (found.slope.value, found.slope.n) == (pytest.approx(0.5), 30)
    assert [(block.first, block.last) for block in found.blocks][::4] == [(1, 11), (49, 59)]


def test_drift_is_that_of_least_squares_with_noise() -> None:
    given = drifting(-0.5, noise=0.4)
    found = drift_by_assessor(given)["A"].slope
    own = given.assessor == 0
    wanted = np.polyfit(np.arange(100) / 100, given.difference_from_others[own], 1)[0]
    assert found.value == pytest.approx(wanted)
    assert found.low is not None
    assert found.high is not None
    assert found.low < wanted < found.high


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        (drifting(1.0, topics=1, each=19), "fewer than 20"),
        (untimed_judgments(labels((1, 2), (1, 1))), "order of the judgments is unknown"),
    ],
)
def test_drift_is_undefined_with_a_reason(given: OrderedGrades, reason: str) -> None:
    found = drift_by_assessor(given)["A"]
    assert (found.slope.value, found.blocks) == (None, ())
    assert reason in (found.slope.reason or "")


def test_pace_is_the_median_by_grade_and_counts_the_hasty() -> None:
    grades = np.array([0.0, 0, 1, 1, 1])
    given = said({"A": (np.zeros(5, int), grades)}, seconds=[0.4, 3, 2, 4, 60])
    found = pace_by_assessor(given)["A"]
    assert (found.overall.median, found.overall.n, found.hasty) == (3.0, 5, 1)
    assert {grade: it.median for grade, it in found.by_grade.items()} == {0: 1.7, 1: 4.0}
    unknown = pace_by_assessor(said({"A": (np.zeros(2, int), np.array([0.0, 1]))}))["A"]
    assert (unknown.overall.median, unknown.hasty) == (None, 0)
    assert unknown.overall.reason == "no active seconds were recorded"


def test_consistency_compares_first_grades_with_repeats() -> None:
    repeats = [("ann", "1", 2, 2), ("ann", "1", 0, 0), ("ann", "2", 1, 0), ("bob", "1", 1, 1)]
    found = self_consistency_by_assessor(repeats, (0, 1, 2), 1)
    assert set(found) == {EVERYONE, "ann", "bob"}
    assert found["ann"]["percent"].value == pytest.approx(2 / 3)
    assert found["ann"]["kappa"].value == pytest.approx(1 - (1 / 3) / (1 - 1 / 3))
    assert (found["bob"]["kappa"].value, found["bob"]["kappa"].n) == (None, 1)
    assert found["bob"]["kappa"].reason
    assert (found[EVERYONE]["percent"].value, found[EVERYONE]["percent"].n) == (0.75, 4)
    assert self_consistency_by_assessor([], (0, 1), 1) == {}


def test_consensus_is_the_lower_middle_grade() -> None:
    rows = ((0, 3, 1, None, None), (2, 1, 1, 2, None), (None, 2, 0, None, None))
    found = consensus_labels(labels(*rows))
    assert found.grades[0].tolist() == [0, 2, 1, 2, int(MISSING)]


def test_an_automatic_assessor_is_compared_with_consensus_and_with_each_person() -> None:
    """The example of the card: people 0, 2 and 1, 2; a model with 0, 1."""
    people, machine = labels((0, 2), (1, 2)), labels((0, 1), names="M")
    found = compare_automatic_assessors(people, machine, 1)["M"]
    assert found.consensus["percent"].value == 0.5
    assert {who: row["percent"].value for who, row in found.people.items()} == {"A": 0.5, "B": 0.0}
    assert (found.bias.value, found.bias.n, found.judged) == (pytest.approx(-0.75), 2, 2)


def test_an_automatic_assessor_alone_has_nothing_to_be_compared_with() -> None:
    people = labels((0, None), (1, None))
    machine = LabelTable(("M",), (("1", "x"),), np.array([[1]], np.int32), (0, 1))
    found = compare_automatic_assessors(people, machine, 1)["M"]
    assert found.bias.reason == "no human assessor judged any of the pairs"
    assert (found.consensus["kappa"].value, found.consensus["kappa"].n) == (None, 0)
    nobody = LabelTable((), (), np.zeros((0, 0), np.int32), (0, 1))
    assert compare_automatic_assessors(nobody, machine, 1)["M"].people == {}


def test_automatic_assessors_are_never_among_the_people() -> None:
    people, machine = labels((0, 2, 1), (1, 2, 1)), labels((2, 0, 0), names="M")
    alone = quality_report(record_from_labels(people), 1)
    beside = quality_report(JudgingRecord(people, untimed_judgments(people), (), machine), 1)
    assert alone.bias == beside.bias
    assert set(beside.bias) == {"A", "B"}
    assert set(beside.automatic) == {"M"}


def test_the_report_is_plain_and_has_no_holes() -> None:
    people, machine = labels((0, 2, 1), (1, 2, 1)), labels((2, 0, 0), names="M")
    record = JudgingRecord(people, untimed_judgments(people), [("A", "1", 2, 2)], machine)
    report = quality_report(record, 1)
    told = json.loads(json.dumps(report.as_dict(), allow_nan=False))
    assert [row["name"] for row in told["assessors"]] == ["A", "B"]
    assert told["assessors"][0]["drift"]["slope"]["reason"]
    assert told["assessors"][1]["consistency"] is None
    assert told["automatic"][0]["people"][1]["name"] == "B"
    text = QUALITY_FORMATS["table"](report)
    assert "M ~ consensus" in text
    assert "all assessors, drift: the order" in text
    assert "A, bias, interval: fewer than 5 topics" in text
    assert "A, self-consistency, kappa: all judgments of both assessors have the same grade" in text


def test_the_table_says_why_automatic_assessors_have_no_figure() -> None:
    people, machine = labels((0, None), (1, None)), labels((None, 1), names="M")
    text = QUALITY_FORMATS["table"](
        quality_report(JudgingRecord(people, untimed_judgments(people), (), machine), 1)
    )
    assert "M ~ consensus, kappa: no pair was judged by all compared assessors" in text


def test_machines_and_people_of_dl19(data_dir: Path) -> None:
    """Cohen's kappa of seven models with NIST: .124 to .227, as recorded beside the data."""
    files = sorted((data_dir / "llm-judges-dl19").glob("*.gz"))
    read = {path.name: read_qrels(read_bytes(path)) for path in files}
    truth = read_qrels(read_bytes(next((data_dir / "trec-dl19-passage").glob("*qrels*"))))
    people, machines = labels_from_qrels({"nist": truth}), labels_from_qrels(read)
    found = compare_automatic_assessors(people, machines, 2)
    kappas = sorted(it.people["nist"]["kappa"].value or 0 for it in found.values())
    assert (len(kappas), round(kappas[0], 3), round(kappas[-1], 3)) == (7, 0.124, 0.227)
    assert all(it.consensus == it.people["nist"] for it in found.values())


def test_biases_of_the_eight_assessors_sum_to_nothing(data_dir: Path) -> None:
    found = read_folder(data_dir / "dl19-eight-assessors" / "agreement-round")
    values = [it.value or 0 for it in bias_by_assessor(untimed_judgments(found)).values()]
    assert sum(values) == pytest.approx(0, abs=1e-9)
    wanted = found.grades.mean(axis=1) - found.grades.mean()
    assert values == pytest.approx((wanted * 8 / 7).tolist())


@pytest.mark.parametrize(("topics", "printed", "hint"), [(4, False, False), (6, True, True)])
def test_intervals_of_assessor_quality_need_five_topics(topics, printed, hint):
    random, topic = np.random.default_rng(3), np.repeat(np.arange(topics), 25)
    given_ = said({name: (topic, random.integers(0, 4, len(topic)) * 1.0) for name in "ABC"})
    report = quality_report(JudgingRecord(labels((0,)), given_), 1)
    for found in (*report.bias.values(), *(drift.slope for drift in report.drift.values())):
        assert (found.low is not None, found.is_hint) == (printed, hint)
        assert (found.why == "fewer than 5 topics") is not printed
    assert ("hint: interval from fewer than 10 topics" in QUALITY_FORMATS["table"](report)) is hint
