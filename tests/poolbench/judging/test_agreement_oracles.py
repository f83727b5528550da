"""Coefficients of agreement against other programs, published figures and real assessors."""

import warnings
from pathlib import Path

import krippendorff
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import aggregate_raters, fleiss_kappa

from poolbench.judging.agreement.krippendorff import EXAMPLE_C
from poolbench.judging.agreement.labels import MISSING, LabelTable
from poolbench.judging.agreement.panel import agreement_report
from poolbench.judging.agreement.registry import COEFFICIENTS
from poolbench.judging.agreement.report import AgreementReport
from tests.examples import examples
from tests.poolbench.judging.labelled import Rows, of, read_folder, value

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
def test_alphas_of_tables_with_holes_are_those_of_krippendorff(units):
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
def test_gwets_coefficients_of_tables_with_holes_are_those_of_his_formulas(units):
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


# Fleiss 1971 as usually reprinted: 10 subjects, 14 raters, ratings by category.
FLEISS_1971 = (
    (0, 0, 0, 0, 14), (0, 2, 6, 4, 2), (0, 0, 3, 5, 6), (0, 3, 9, 2, 0), (2, 2, 8, 1, 1),
    (7, 7, 0, 0, 0), (3, 2, 6, 3, 0), (2, 5, 3, 2, 2), (6, 5, 2, 1, 0), (0, 2, 2, 3, 7),
)  # fmt: skip
SKIN_CONDITION = ((10, 4, 1, 0), (5, 10, 12, 2), (2, 4, 12, 5), (0, 2, 6, 13))


def test_krippendorffs_example_c() -> None:
    wanted = {"nominal": 0.743, "ordinal": 0.815, "interval": 0.849, "ratio": 0.797}
    for metric, published in wanted.items():
        found = of(f"alpha-{metric}", *EXAMPLE_C)
        assert (round(found.value or 0, 3), found.n) == (published, 11), metric


def test_gwets_four_raters() -> None:
    """raw_4raters of the R package irrCAC, which is Krippendorff's example C."""
    wanted = {
        "ac1": 0.77544, "fleiss": 0.76117, "brennan-prediger": 0.77273, "alpha-nominal": 0.74342,
    }  # fmt: skip
    for name, published in wanted.items():
        assert value(name, *EXAMPLE_C) == pytest.approx(published, abs=5e-6), name


def test_fleiss_of_1971() -> None:
    subjects = [[grade for grade, n in enumerate(row) for _ in range(n)] for row in FLEISS_1971]
    rows = tuple(zip(*subjects, strict=True))
    assert (len(rows), len(rows[0])) == (14, 10)
    assert value("fleiss", *rows) == pytest.approx(0.2099, abs=5e-5)


def test_kappas_of_the_skin_condition_study() -> None:
    first, second = from_table(SKIN_CONDITION)
    assert len(first) == 88
    assert value("kappa", first, second) == pytest.approx(0.3449, abs=5e-5)
    assert value("kappa-linear", first, second) == pytest.approx(0.5082, abs=5e-5)


def test_high_agreement_and_low_prevalence_part_kappa_from_ac1() -> None:
    first, second = from_table(((90, 5), (5, 0)))
    found = of("kappa", first, second)
    assert found.prevalence == pytest.approx(0.05)
    assert value("percent", first, second) == pytest.approx(0.9)
    assert round(found.value or 0, 2) == -0.05
    assert round(value("alpha-nominal", first, second) or 0, 2) == -0.05
    assert round(value("ac1", first, second) or 0, 2) == 0.89


def from_table(table: tuple[tuple[int, ...], ...]) -> Rows:
    cells = [(i, j) for i, row in enumerate(table) for j, n in enumerate(row) for _ in range(n)]
    return tuple(tuple(cell[side] for cell in cells) for side in (0, 1))


@pytest.fixture(scope="module")
def eight(data_dir: Path) -> AgreementReport:
    return agreement_report(read_folder(data_dir / "dl19-eight-assessors" / "agreement-round"), 2)


def test_eight_assessors_agree_as_published(eight: AgreementReport) -> None:
    assert (len(eight.assessors), len(eight.pairs), eight.documents) == (8, 28, 188)
    overall = {name: round(c.value or 0, 3) for name, c in eight.overall.items()}
    means = {name: round(c.value or 0, 3) for name, c in eight.means.items()}
    assert (overall["percent"], means["percent"]) == (0.467, 0.467)
    assert (means["kappa"], means["kappa-linear"], means["kappa-quadratic"]) == (
        0.242, 0.377, 0.504,
    )  # fmt: skip
    assert (overall["overlap"], means["overlap"]) == (0.076, 0.391)
    assert overall["alpha-nominal"] == 0.228
    assert overall["alpha-ordinal"] == 0.453
    assert overall["alpha-interval"] == 0.488
    assert (overall["ac1"], overall["ac2-ordinal"]) == (0.308, 0.593)
    assert eight.means["kappa"].n == 28


def test_binary_kappa_of_the_eight_assessors(data_dir: Path) -> None:
    found = read_folder(data_dir / "dl19-eight-assessors" / "agreement-round")
    report = agreement_report(found, 2, binary=True)
    assert round(report.means["kappa"].value or 0, 3) == 0.391


@pytest.mark.parametrize(("part", "ordinal", "nominal"), [
    ("pilot-round-01", 0.5513, 0.2881), ("agreement-round", 0.4534, 0.2284),
    ("main", 0.4207, 0.2043),
])  # fmt: skip
def test_alphas_of_the_rounds_of_dl19(part, ordinal, nominal, data_dir):
    folder = data_dir / "dl19-eight-assessors" / part
    found = without(read_folder(folder), "ground-truth")
    report = agreement_report(found, 2)
    assert round(report.overall["alpha-ordinal"].value or 0, 4) == ordinal
    assert round(report.overall["alpha-nominal"].value or 0, 4) == nominal


def without(found: LabelTable, name: str) -> LabelTable:
    return found.select_assessors(
        *(row for row, other in enumerate(found.assessors) if other != name)
    )


@pytest.mark.parametrize(
    ("first", "second", "published"), [(1, 2, 0.380724), (5, 6, 0.468242), (7, 8, 0.337673)]
)
def test_kappas_of_the_pairs_of_dl19_are_means_over_topics(first, second, published, data_dir):
    whole = read_folder(data_dir / "dl19-eight-assessors" / "main")
    report = agreement_report(whole.select_assessors(first - 1, second - 1), 2, binary=True)
    mean = report.topic_means.means["kappa"]
    assert mean.value == pytest.approx(published, abs=5e-7)
    assert mean.low is not None
    assert mean.high is not None
    assert mean.low < published < mean.high
