"""Coefficients of agreement against published examples, oracles and real assessors."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score

from campaigns.core.opening import read_bytes
from campaigns.core.qrels import qrels_from_rows, read_qrels
from judging.core.agreement.formats import json_text, table_text
from judging.core.agreement.labels import MISSING, Agreement, Labels, labels_from_qrels
from judging.core.agreement.page import page
from judging.core.agreement.registry import COEFFICIENTS
from judging.core.agreement.report import AgreementReport, agreement_report
from tests.conftest import REPOSITORY

EXAMPLES = [(c, *example) for c in COEFFICIENTS.values() for example in c.examples]
Rows = tuple[tuple[int | None, ...], ...]


def labels(*rows: tuple[int | None, ...], scale: tuple[int, ...] = ()) -> Labels:
    grades = [[MISSING if grade is None else grade for grade in row] for row in rows]
    pairs = tuple(("1", f"d{i:03}") for i in range(len(rows[0])))
    names = tuple("ABCDEFGH"[: len(rows)])
    return Labels(names, pairs, np.array(grades, np.int32), scale)


def value(name: str, *rows: tuple[int | None, ...], level: int = 1) -> float | None:
    return COEFFICIENTS[name].compute(labels(*rows), level).value


@pytest.mark.parametrize(("coefficient", "rows", "wanted"), EXAMPLES)
def test_examples_of_the_cards_hold(coefficient: Agreement, rows: Rows, wanted: float) -> None:
    assert coefficient.compute(labels(*rows), 1).value == pytest.approx(wanted, abs=1e-9)


def test_krippendorff_example_c_has_the_published_values() -> None:
    ((rows, nominal),) = COEFFICIENTS["alpha-nominal"].examples
    ((_, ordinal),) = COEFFICIENTS["alpha-ordinal"].examples
    assert (round(nominal, 3), round(ordinal, 3)) == (0.743, 0.815)
    assert COEFFICIENTS["alpha-nominal"].compute(labels(*rows), 1).n == 11


def test_kappas_of_the_skin_condition_study() -> None:
    table = [[10, 4, 1, 0], [5, 10, 12, 2], [2, 4, 12, 5], [0, 2, 6, 13]]
    cells = [(i, j) for i in range(4) for j in range(4) for _ in range(table[i][j])]
    first, second = (tuple(cell[side] for cell in cells) for side in (0, 1))
    assert len(cells) == 88
    assert value("kappa", first, second) == pytest.approx(0.3449, abs=5e-5)
    assert value("kappa-linear", first, second) == pytest.approx(0.5082, abs=5e-5)


GRADES = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=30)


@settings(max_examples=60, deadline=None)
@given(GRADES)
def test_kappas_are_those_of_scikit_learn(cells: list[tuple[int, int]]) -> None:
    first, second = (tuple(cell[side] for cell in cells) for side in (0, 1))
    seen = sorted({*first, *second})
    for name, weights in (("kappa", None), ("kappa-linear", "linear")):
        if len(seen) == 1:
            assert value(name, first, second) is None
        elif seen == list(range(len(seen))):
            wanted = cohen_kappa_score(first, second, weights=weights)
            assert value(name, first, second) == pytest.approx(wanted, abs=1e-12)


@settings(max_examples=60, deadline=None)
@given(GRADES, st.permutations([0, 1]))
def test_no_coefficient_depends_on_the_order_of_assessors(
    cells: list[tuple[int, int]], order: list[int]
) -> None:
    rows = [tuple(cell[side] for cell in cells) for side in (0, 1)]
    for name in COEFFICIENTS:
        straight, turned = value(name, *rows), value(name, *(rows[i] for i in order))
        assert straight == pytest.approx(turned, abs=1e-12)


@pytest.mark.parametrize(
    ("name", "rows", "reason"),
    [
        ("percent", ((1, None), (None, 1)), "no pair was judged"),
        ("kappa", ((1, None), (None, 1)), "no pair was judged"),
        ("kappa", ((1, 1), (1, 1)), "one and the same grade"),
        ("kappa-quadratic", ((2, 2), (2, 2)), "one and the same grade"),
        ("alpha-nominal", ((1, None), (None, 1)), "two or more"),
        ("alpha-ordinal", ((1, 1, 0), (1, 1, None)), "same grade"),
        ("alpha-ordinal", ((1, 0),), "two or more"),
        ("overlap", ((1, None), (None, 1)), "no pair was judged"),
        ("overlap", ((0, 0), (0, 0)), "called any pair relevant"),
    ],
)
def test_undefined_values_are_null_with_a_reason(name: str, rows: Rows, reason: str) -> None:
    found = COEFFICIENTS[name].compute(labels(*rows), 1)
    assert found.value is None
    assert reason in (found.reason or "")


def test_one_common_grade_given_by_one_assessor_is_chance_agreement() -> None:
    assert value("kappa", (1, 1, 1), (1, 1, 0)) == pytest.approx(0.0)
    assert value("percent", (1, 1, 1), (1, 1, 0)) == pytest.approx(2 / 3)


def test_overlap_of_three_assessors_at_a_level() -> None:
    rows = ((2, 1, 0, 2), (2, 2, 0, 1), (3, 0, 0, None))
    assert value("overlap", *rows, level=1) == pytest.approx(1 / 2)
    assert value("overlap", *rows, level=3) == 0.0


def test_negative_grades_are_no_judgments() -> None:
    first = qrels_from_rows([("1", "a", 1), ("1", "b", -1), ("2", "a", -2)])
    second = qrels_from_rows([("1", "a", 0), ("1", "b", 2)])
    made = labels_from_qrels({"x": first, "y": second})
    assert made.pairs == (("1", "a"), ("1", "b"))
    assert made.grades.tolist() == [[1, int(MISSING)], [0, 2]]
    assert made.scale == (0, 1, 2)


def test_grades_beyond_the_scale_are_refused() -> None:
    with pytest.raises(ValueError, match=r"\[3\] are not on the scale"):
        labels((0, 3), (0, 1), scale=(0, 1, 2))


@pytest.fixture(scope="module")
def eight(data_dir: Path) -> AgreementReport:
    folder = data_dir / "dl19-eight-assessors" / "agreement-round"
    paths = sorted(folder.iterdir())
    read = {path.name.split("-qrels")[0]: read_qrels(read_bytes(path)) for path in paths}
    return agreement_report(labels_from_qrels(read), 2)


def test_eight_assessors_agree_as_published(eight: AgreementReport) -> None:
    assert (len(eight.assessors), len(eight.pairs), eight.documents) == (8, 28, 188)
    overall = {name: round(c.value or 0, 4) for name, c in eight.overall.items()}
    assert (overall["alpha-ordinal"], overall["alpha-nominal"]) == (0.4534, 0.2284)
    assert round(overall["overlap"], 3) == 0.076
    means = {name: round(c.value or 0, 3) for name, c in eight.means.items()}
    assert means["percent"] == 0.467
    assert (means["kappa"], means["kappa-linear"], means["kappa-quadratic"]) == (
        0.242,
        0.377,
        0.504,
    )
    assert means["overlap"] == 0.391
    assert eight.means["kappa"].n == 28


def test_a_report_of_one_assessor_says_why_it_is_empty() -> None:
    report = agreement_report(labels((0, 1, 1)), 1)
    assert report.pairs == {}
    assert {c.reason for c in (*report.means.values(), *report.overall.values())} == {
        "agreement needs two assessors"
    }
    assert report.assessors[0].prevalence == pytest.approx(2 / 3)
    assert "null" in table_text(report)
    assert '"reason": "agreement needs two assessors"' in json_text(report)


def test_a_mean_leaves_undefined_pairs_out_and_says_so() -> None:
    report = agreement_report(labels((0, 1, None), (0, 1, None), (None, None, 1)), 1)
    assert (report.means["kappa"].value, report.means["kappa"].n) == (1.0, 1)
    assert report.means["kappa"].reason == "2 of 3 pairs of assessors are undefined"
    assert "A ~ C, kappa: no pair was judged by all of them" in table_text(report)


def test_the_page_of_agreement_is_up_to_date() -> None:
    assert (REPOSITORY / "docs" / "agreement.md").read_text() == page()
