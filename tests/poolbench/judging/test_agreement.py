"""Coefficients of agreement: their cards, their edges, the report they make."""

import json
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from poolbench.judging.agreement.formats import AGREEMENT_FORMATS
from poolbench.judging.agreement.gwet import gwet_ordinal_weights
from poolbench.judging.agreement.labels import labels_from_qrels
from poolbench.judging.agreement.panel import agreement_report
from poolbench.judging.agreement.registry import COEFFICIENTS
from poolbench.runs.qrels import qrels_from_rows
from tests.examples import examples
from tests.poolbench.judging.labelled import Rows, compute_coefficient, labels, of, value

EXAMPLES = [(c, *example) for c in COEFFICIENTS.values() for example in c.examples]
GRADES = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=30)


@pytest.mark.parametrize(("coefficient", "rows", "wanted"), EXAMPLES)
def test_examples_of_the_cards_hold(coefficient, rows, wanted):
    found = compute_coefficient(coefficient, labels(*rows), 1)
    assert found.value == pytest.approx(wanted, abs=1e-9)


def test_every_coefficient_has_an_example() -> None:
    assert {coefficient.name for coefficient, *_ in EXAMPLES} == set(COEFFICIENTS)


@examples(60)
@given(GRADES, st.permutations([0, 1]))
def test_no_coefficient_depends_on_the_order_of_assessors(cells, order):
    rows = [tuple(cell[side] for cell in cells) for side in (0, 1)]
    for name in COEFFICIENTS:
        straight, turned = value(name, *rows), value(name, *(rows[i] for i in order))
        assert straight == pytest.approx(turned, abs=1e-12)


@examples(40)
@given(GRADES)
def test_perfect_agreement_is_1_or_undefined(cells: list[tuple[int, int]]) -> None:
    row = tuple(cell[0] for cell in cells)
    for name in COEFFICIENTS:
        assert value(name, row, row) in (None, pytest.approx(1.0))
    if len(set(row)) > 1:
        assert None not in [value(name, row, row) for name in COEFFICIENTS]


@examples(40)
@given(GRADES)
def test_of_two_assessors_fleiss_is_scott_and_ac2_with_two_grades_is_ac1(cells):
    rows = tuple(tuple(cell[side] for cell in cells) for side in (0, 1))
    assert value("fleiss", *rows) == pytest.approx(value("scott", *rows), abs=1e-12)
    binary = tuple(tuple(int(grade > 1) for grade in row) for row in rows)
    plain = of("ac1", *binary, scale=(0, 1)).value
    for name in ("ac2-linear", "ac2-quadratic", "ac2-ordinal"):
        assert of(name, *binary, scale=(0, 1)).value == pytest.approx(plain, abs=1e-12)


def test_ordinal_weights_are_those_of_gwet() -> None:
    """Gwet 2014, table 3.5: 1 − C(|k − l| + 1, 2) / C(q, 2)."""
    q = 5
    wanted = [[1 - comb(abs(k - m) + 1, 2) / comb(q, 2) for m in range(q)] for k in range(q)]
    assert gwet_ordinal_weights(tuple(range(q))) == pytest.approx(np.array(wanted))
    # Steps of the scale count, not the grades' own values.
    assert gwet_ordinal_weights((0, 1, 7, 8, 9)) == pytest.approx(np.array(wanted))


@pytest.mark.parametrize(
    ("name", "rows", "reason"),
    [
        ("percent", ((1, None), (None, 1)), "no pair was judged"),
        ("kappa", ((1, None), (None, 1)), "no pair was judged"),
        ("kappa", ((1, 1), (1, 1)), "judgments of both assessors have the same grade"),
        ("kappa-quadratic", ((2, 2), (2, 2)), "judgments of both assessors have the same grade"),
        ("scott", ((2, 2), (2, 2)), "all judgments have the same grade"),
        ("fleiss", ((2, 2), (2, 2), (None, 2)), "all judgments have the same grade"),
        ("fleiss", ((2, None), (None, 2)), "two or more"),
        ("ac1", ((1, 1), (1, 1)), "only one grade"),
        ("ac2-ordinal", ((1, 1), (1, 1)), "only one grade"),
        ("brennan-prediger", ((1, 1), (1, 1)), "only one grade"),
        ("brennan-prediger", ((0, None), (None, 1)), "two or more"),
        ("alpha-nominal", ((1, None), (None, 1)), "two or more"),
        ("alpha-ordinal", ((1, 1, 0), (1, 1, None)), "same grade"),
        ("alpha-interval", ((1, 1, 0), (1, 1, None)), "same grade"),
        ("alpha-ratio", ((0, 0, 1), (0, 0, None)), "same grade"),
        ("alpha-ordinal", ((1, 0),), "two or more"),
        ("overlap", ((1, None), (None, 1)), "no pair was judged"),
        ("overlap", ((0, 0), (0, 0)), "assessors judged is relevant"),
    ],
)
def test_undefined_values_are_null_with_a_reason(name: str, rows: Rows, reason: str) -> None:
    found = of(name, *rows)
    assert found.value is None
    assert reason in (found.reason or "")


def test_one_grade_of_a_wider_scale_is_full_agreement_by_what_asks_the_scale_alone() -> None:
    for name in ("ac1", "ac2-linear", "brennan-prediger"):
        assert of(name, (1, 1), (1, 1), scale=(0, 1, 2)).value == pytest.approx(1.0)


def test_a_grade_that_nobody_gave_counts_for_chance_where_the_scale_is_known() -> None:
    rows = ((0, 1, 1, 0), (0, 1, 0, 0))
    assert of("brennan-prediger", *rows, scale=(0, 1)).value == pytest.approx(1 - 0.25 / (1 / 2))
    assert of("brennan-prediger", *rows, scale=(0, 1, 2)).value == pytest.approx(1 - 0.25 / (2 / 3))
    for name in ("kappa", "scott", "fleiss", "alpha-ordinal", "overlap"):
        wider = of(name, *rows, scale=(0, 1, 2)).value
        assert wider == pytest.approx(of(name, *rows).value), name


def test_one_common_grade_given_by_one_assessor_is_chance_agreement() -> None:
    assert value("kappa", (1, 1, 1), (1, 1, 0)) == pytest.approx(0.0)
    assert value("percent", (1, 1, 1), (1, 1, 0)) == pytest.approx(2 / 3)


def test_overlap_of_three_assessors_at_a_level() -> None:
    rows = ((2, 1, 0, 2), (2, 2, 0, 1), (3, 0, 0, None))
    assert value("overlap", *rows, level=1) == pytest.approx(1 / 2)
    assert value("overlap", *rows, level=3) == 0.0


def test_prevalence_is_that_of_the_judgments_that_are_compared() -> None:
    rows = ((2, 0, 0, 2), (1, 0, 2, None), (1, 0, None, None))
    found = of("alpha-nominal", *rows, level=1)
    assert (found.n, found.prevalence) == (3, pytest.approx(4 / 8))


def test_negative_grades_are_no_judgments() -> None:
    first = qrels_from_rows([("1", "a", 1), ("1", "b", -1), ("2", "a", -2)])
    second = qrels_from_rows([("1", "a", 0), ("1", "b", 2)])
    made = labels_from_qrels({"x": first, "y": second})
    assert made.pairs == (("1", "a"), ("1", "b"))
    assert made.judged.tolist() == [[True, False], [True, True]]
    assert made.scale == (0, 1, 2)


def test_grades_beyond_the_scale_are_refused() -> None:
    with pytest.raises(ValueError, match=r"\[3\] are not on the scale"):
        labels((0, 3), (0, 1), scale=(0, 1, 2))


def test_labels_beside_others_keep_their_pairs() -> None:
    people, machine = labels((0, 1), (1, 1)), labels((2, None, 1), names="M")
    both = people.combine_with(machine)
    assert (both.assessors, both.scale) == (("A", "B", "M"), (0, 1, 2))
    assert both.pairs == (("1", "d000"), ("1", "d001"), ("1", "d002"))
    assert both.judged.tolist() == [[True, True, False]] * 2 + [[True, False, True]]


def test_a_report_of_one_assessor_says_why_it_is_empty() -> None:
    report = agreement_report(labels((0, 1, 1)), 1)
    assert report.pairs == report.by_topic == {}
    assert {c.reason for c in (*report.means.values(), *report.overall.values())} == {
        "agreement needs at least two assessors"
    }
    assert report.assessors[0].prevalence == pytest.approx(2 / 3)
    assert "null" in AGREEMENT_FORMATS["table"](report)
    assert json.loads(AGREEMENT_FORMATS["json"](report))["overall"]["percent"]["value"] is None


def test_a_mean_leaves_undefined_pairs_out_and_says_so() -> None:
    report = agreement_report(labels((0, 1, None), (0, 1, None), (None, None, 1)), 1)
    assert (report.means["kappa"].value, report.means["kappa"].n) == (1.0, 1)
    assert report.means["kappa"].reason == "2 of 3 pairs of assessors are undefined"
    assert "A ~ C: no pair was judged by both" in AGREEMENT_FORMATS["table"](report)


def test_the_report_counts_grades_of_two_against_each_other_and_by_topic() -> None:
    rows = ((0, 1, 1, 2, 2, None), (0, 1, 2, 2, None, 1))
    report = agreement_report(labels(*rows, topics=("1", "1", "1", "2", "2", "3")), 1)
    assert report.confusion["A", "B"] == [[1, 0, 0], [0, 1, 1], [0, 0, 1]]
    assert list(report.by_topic) == ["1", "2", "3"]
    first, last = report.by_topic["1"].means["percent"], report.by_topic["3"].means["percent"]
    assert (first.value, first.n) == (pytest.approx(2 / 3), 1)
    assert (last.value, last.reason) == (None, "undefined for all pairs of assessors")
    over = report.by_topic["3"].overall["alpha-nominal"]
    assert (over.value, over.reason) == (None, "no pair was judged by two or more assessors")
    mean = report.topic_means.means["percent"]
    assert (mean.value, mean.n) == (pytest.approx(5 / 6), 2)
    assert mean.reason == "1 of 3 topics are undefined"


def test_the_table_says_why_there_is_no_mean_over_topics() -> None:
    rows = ((0, 1, 0), (0, 1, 1))
    told = AGREEMENT_FORMATS["table"](agreement_report(labels(*rows, topics=("1", "2", "3")), 1))
    assert "mean over topics, kappa: 2 of 3 topics are undefined" in told
    assert "mean over topics, kappa, interval: fewer than 5 topics" in told


def test_binary_cuts_the_grades_at_the_level() -> None:
    rows = ((0, 1, 2, 3), (1, 1, 3, 0))
    report = agreement_report(labels(*rows), 2, binary=True)
    assert report.confusion["A", "B"] == [[2, 0], [1, 1]]
    assert (report.scale, report.level) == ((0, 1), 2)
    assert [a.relevant for a in report.assessors] == [2, 1]
    assert report.overall["percent"].value == pytest.approx(3 / 4)
