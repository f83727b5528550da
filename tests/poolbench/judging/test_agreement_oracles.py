"""Coefficients of agreement against other people's code, on random judgments with holes."""

from __future__ import annotations

import warnings

import krippendorff
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import aggregate_raters, fleiss_kappa

from poolbench.judging.agreement.coefficient import Rows
from poolbench.judging.agreement.labels import MISSING, LabelTable
from poolbench.judging.agreement.panel import agreement_report
from poolbench.judging.agreement.registry import COEFFICIENTS
from tests.examples import examples
from tests.poolbench.judging.labelled import of, value

PAIRS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=30)
CELL = st.one_of(st.none(), st.integers(0, 3))
HOLES = st.integers(2, 5).flatmap(
    lambda n: st.lists(st.tuples(*[CELL] * n), min_size=2, max_size=25)
)
METRICS = ("nominal", "ordinal", "interval", "ratio")


@examples(100)
@given(PAIRS)
def test_kappas_are_those_of_scikit_learn(cells: list[tuple[int, int]]) -> None:
    first, second = (tuple(cell[side] for cell in cells) for side in (0, 1))
    for name, weights in (
        ("kappa", None),
        ("kappa-linear", "linear"),
        ("kappa-quadratic", "quadratic"),
    ):
        found = of(name, first, second, scale=(0, 1, 2, 3)).value
        if len({*first, *second}) == 1:
            assert found is None
            continue
        wanted = cohen_kappa_score(first, second, labels=[0, 1, 2, 3], weights=weights)
        assert found == pytest.approx(wanted, abs=1e-12)


@examples(100)
@given(st.lists(st.tuples(*[st.integers(0, 3)] * 4), min_size=2, max_size=20))
def test_fleiss_of_full_tables_is_that_of_statsmodels(units: list[tuple[int, ...]]) -> None:
    rows = tuple(zip(*units, strict=True))
    assume(len({grade for unit in units for grade in unit}) > 1)
    table, _ = aggregate_raters(np.array(units))
    assert value("fleiss", *rows) == pytest.approx(fleiss_kappa(table), abs=1e-12)


@examples(150)
@given(HOLES)
def test_alphas_of_tables_with_holes_are_those_of_krippendorff(
    units: list[tuple[int | None, ...]],
) -> None:
    rows: Rows = tuple(zip(*units, strict=True))
    matrix = np.array([[np.nan if g is None else g for g in row] for row in rows])
    compared = {g for unit in units if len([g for g in unit if g is not None]) > 1 for g in unit}
    for metric in METRICS:
        found = value(f"alpha-{metric}", *rows)
        if len(compared - {None}) < 2:
            assert found is None
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # 0/0 between 0 and 0 in ratio
            wanted = krippendorff.alpha(
                matrix, level_of_measurement=metric, value_domain=[0, 1, 2, 3]
            )
        assert found == pytest.approx(wanted, abs=1e-9), metric


@examples(100)
@given(HOLES)
def test_gwets_coefficients_of_tables_with_holes_are_those_of_his_formulas(
    units: list[tuple[int | None, ...]],
) -> None:
    """Gwet 2014, chapters 2 and 4, written out unit by unit."""
    rows: Rows = tuple(zip(*units, strict=True))
    given_ = [[g for g in unit if g is not None] for unit in units]
    assume(any(len(grades) > 1 for grades in given_))
    weights = {
        "ac1": lambda k, m: float(k == m),
        "ac2-linear": lambda k, m: 1 - abs(k - m) / 3,
        "ac2-quadratic": lambda k, m: 1 - (k - m) ** 2 / 9,
        "ac2-ordinal": lambda k, m: 1 - abs(k - m) * (abs(k - m) + 1) / 2 / 6,
    }
    for name, weight in weights.items():
        agreed = [
            sum(weight(a, b) for i, a in enumerate(u) for j, b in enumerate(u) if i != j)
            / (len(u) * (len(u) - 1))
            for u in given_
            if len(u) > 1
        ]
        judged = [u for u in given_ if u]
        shares = [sum(u.count(k) / len(u) for u in judged) / len(judged) for k in range(4)]
        whole = sum(weight(k, m) for k in range(4) for m in range(4))
        chance = whole / 12 * sum(p * (1 - p) for p in shares)
        observed = sum(agreed) / len(agreed)
        wanted = (observed - chance) / (1 - chance)
        assert of(name, *rows, scale=(0, 1, 2, 3)).value == pytest.approx(wanted, abs=1e-12), name


def test_a_report_has_the_values_of_each_two_assessors_alone() -> None:
    random = np.random.default_rng(4)
    grades = random.integers(0, 4, (5, 60)).astype(np.int32)
    grades[random.random(grades.shape) < 0.4] = MISSING
    pairs = tuple((str(at % 7), f"d{at}") for at in range(60))
    whole = LabelTable(tuple("ABCDE"), pairs, grades, (0, 1, 2, 3))
    report = agreement_report(whole, 2)
    for (a, b), row in report.pairs.items():
        alone = agreement_report(whole.select_assessors("ABCDE".index(a), "ABCDE".index(b)), 2)
        for name in COEFFICIENTS:
            assert row[name].value == pytest.approx(alone.means[name].value, abs=1e-12), name
            assert row[name].n == alone.pairs[a, b][name].n
