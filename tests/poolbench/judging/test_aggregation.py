"""Aggregation of crowd labels: by hand, another program's posteriors, properties, real crowds."""

import json
import math
from pathlib import Path

import numpy as np
import pytest

from poolbench.judging.aggregation.base import (
    TIE,
    UNDECIDED,
    AggregatedLabels,
    AggregationOptions,
    LabelMatrix,
    MissingGoldError,
    RepeatedLabelError,
    aggregate_labels,
    build_label_matrix,
    build_matrix_from_labels,
    compute_posterior,
    count_gold_from_matrix,
)
from poolbench.judging.aggregation.dawid_skene import sum_ordinal_logs
from poolbench.judging.aggregation.formats import AGGREGATION_FORMATS, describe_aggregation
from poolbench.judging.aggregation.glad import compute_glad_gain, compute_glad_posterior
from poolbench.judging.aggregation.mace import (
    WORTH,
    compute_mace_posterior,
    draw_start,
    fit_from_start,
)
from poolbench.judging.aggregation.registry import MODELS
from poolbench.judging.agreement.labels import build_labels
from poolbench.judging.agreement.registry import COEFFICIENTS
from poolbench.judging.policy_rules import CROWD_RULES, aggregate_votes
from tests.examples import ALL, take
from tests.poolbench.judging.crowd_files import read_crowd_labels
from tests.poolbench.judging.crowd_simulation import LEAST, simulate_crowd
from tests.poolbench.judging.labelled import compute_coefficient

FIXTURE = json.loads((Path(__file__).parent / "aggregation_fixture.json").read_text())
ABC = {"a": {"x": 1, "y": 1, "z": 1}, "b": {"x": 1, "y": 1, "z": 0}, "c": {"x": 0, "y": 0, "z": 0}}
"""The example of the cards."""
GOLD = {"x": (8, 8), "y": (1, 2), "z": (1, 2)}


def build(labels: dict[str, dict[str, int]], scale: tuple[int, ...] = ()) -> LabelMatrix:
    rows = ((("1", item), w, g) for item, votes in labels.items() for w, g in votes.items())
    return build_label_matrix(rows, scale)


def fit(name: str, matrix: LabelMatrix, **options: object) -> AggregatedLabels:
    options = {"gold": dict.fromkeys(matrix.workers, (3, 4)), **options}
    return aggregate_labels(MODELS[name], matrix, AggregationOptions(**options))


@pytest.fixture(scope="module")
def crowd() -> LabelMatrix:
    rows = ((("1", item), worker, grade) for item, worker, grade in FIXTURE["labels"])
    return build_label_matrix(rows)


@pytest.mark.parametrize("key", FIXTURE["posteriors"])
def test_posteriors_equal_those_of_another_program(key: str, crowd: LabelMatrix) -> None:
    wanted = FIXTURE["posteriors"][key]
    name = key.partition("/")[0]
    options = AggregationOptions(iterations=wanted["iterations"], tolerance=-1.0)
    if name == "mace":  # the other program's start
        start = (draw_start(0, len(crowd.workers), columns) for columns in (2, len(crowd.scale)))
        posterior = fit_from_start(crowd, options, *start).posterior
    else:
        posterior = aggregate_labels(MODELS[name], crowd, options).posterior
    np.testing.assert_allclose(posterior, wanted["rows"], rtol=0, atol=1e-6)


def test_majority_by_hand() -> None:
    result = fit("majority", build(ABC))
    np.testing.assert_allclose(result.posterior[:, 1], [1, 2 / 3, 0])
    np.testing.assert_allclose(result.entropy, [0, math.log2(3) - 2 / 3, 0], atol=1e-12)
    assert result.grades.tolist() == [1, 1, 0]
    np.testing.assert_allclose(result.accuracy, [8 / 9, 8 / 9, 7 / 9])


def test_weighted_majority_by_hand() -> None:
    matrix = build({"b": {"x": 0, "y": 1, "z": 1}})
    result = fit("weighted-majority", matrix, gold=GOLD)
    np.testing.assert_allclose(result.posterior, [[0.9, 0.1]])
    np.testing.assert_allclose(result.fit.quality, [0.9, 0.5, 0.5])


def test_a_worker_without_gold_gets_the_accuracy_of_all_gold_answers() -> None:
    result = fit("weighted-majority", build(ABC), gold={"x": (8, 8), "y": (1, 2), "old": (2, 2)})
    np.testing.assert_allclose(result.fit.quality, [0.9, 0.5, 12 / 14])


@pytest.mark.parametrize("gold", [{}, {"x": (0, 0)}])
def test_weighted_majority_needs_gold(gold: dict[str, tuple[int, int]]) -> None:
    with pytest.raises(MissingGoldError, match="needs gold"):
        fit("weighted-majority", build(ABC), gold=gold)


def test_dawid_skene_by_hand() -> None:
    result = fit("dawid-skene", build(ABC), iterations=1)
    assert result.posterior[1, 1] == pytest.approx(8 / 9)
    assert (result.fit.iterations, result.fit.converged) == (1, False)


def test_one_coin_by_hand() -> None:
    result = fit("dawid-skene-one-coin", build(ABC), iterations=1)
    assert result.posterior[1, 1] == pytest.approx(640 / 668)
    np.testing.assert_allclose(result.fit.quality, [8 / 9, 8 / 9, 7 / 9])


def test_glad_by_hand() -> None:
    matrix = build({"b": {"x": 1, "y": 1, "z": 0}})
    posterior, likelihood = compute_glad_posterior(matrix, np.array([1.0, 1.0, 1.0, 0.0]))
    right = 1 / (1 + math.exp(-1))
    assert posterior[0, 1] == pytest.approx(right)
    total = (right**2 * (1 - right) + (1 - right) ** 2 * right) / 2
    assert likelihood == pytest.approx(math.log(total))


def test_the_gradient_of_glad_is_that_of_its_value() -> None:
    matrix = build(ABC, (0, 1, 2))
    given = np.linspace(0.1, 0.9, len(matrix))
    point = np.linspace(-0.5, 1.5, 6)
    _, gradient = compute_glad_gain(matrix, given, point)
    steps = np.eye(6) * 1e-6
    change = [
        (compute_glad_gain(matrix, given, point + s)[0]
         - compute_glad_gain(matrix, given, point - s)[0]) / 2e-6
        for s in steps
    ]  # fmt: skip
    np.testing.assert_allclose(gradient, change, atol=1e-6)


def test_mace_by_hand() -> None:
    matrix = build({"b": {"x": 1, "y": 1, "z": 0}})
    competence, habits = np.array([0.8, 0.8, 0.5]), np.full((3, 2), 0.5)
    posterior, likelihood = compute_mace_posterior(matrix, competence, habits)
    assert posterior[0, 1] == pytest.approx(0.2025 / 0.21)
    assert likelihood == pytest.approx(math.log(0.21 / 2))


def test_ordinal_by_hand() -> None:
    matrix = build({"b": {"x": 0, "y": 1}}, (0, 1, 2))
    posterior, _ = compute_posterior(np.log(1 / 3) + sum_ordinal_logs(matrix, np.ones(2)))
    ends, middle = 1 + math.exp(-1) + math.exp(-2), 1 + 2 * math.exp(-1)
    parts = np.array([math.exp(-1) / ends**2, math.exp(-1) / middle**2, math.exp(-3) / ends**2])
    np.testing.assert_allclose(posterior[0], parts / parts.sum())
    np.testing.assert_allclose(posterior[0], [0.531, 0.398, 0.072], atol=6e-4)


def test_far_errors_cost_more_where_grades_have_an_order() -> None:
    """All others call near 0 and far 3 alike; the same two workers are right about all else."""
    sure = {f"s{n}": dict.fromkeys("vwxyz", n % 4) for n in range(40)}
    matrix = build(sure | {"near": {"v": 0, "w": 0, "x": 1, "y": 1, "z": 1},
                           "far": {"v": 0, "w": 0, "x": 3, "y": 3, "z": 1}})  # fmt: skip
    posterior = fit("ordinal", matrix).posterior[matrix.items.index(("1", "far"))]
    assert posterior[1] == posterior.max()
    plain = fit("dawid-skene-one-coin", matrix).posterior[matrix.items.index(("1", "far"))]
    assert plain[1] < 0.5


@pytest.mark.parametrize("name", MODELS)
def test_posteriors_are_distributions_and_grades_their_best(name: str, crowd: LabelMatrix) -> None:
    result = fit(name, crowd)
    assert result.posterior.shape == (20, 3)
    np.testing.assert_allclose(result.posterior.sum(axis=1), 1)
    assert (result.posterior >= 0).all()
    assert (result.entropy >= 0).all()
    assert (result.entropy <= math.log2(3)).all()
    best = result.posterior.max(axis=1)
    given = result.posterior[np.arange(20), result.grades]
    assert (given >= best - TIE).all()


@pytest.mark.parametrize("name", MODELS)
def test_the_order_and_names_of_labels_do_not_matter(name: str, crowd: LabelMatrix) -> None:
    rows = [(("1", item), worker, grade) for item, worker, grade in FIXTURE["labels"]]
    rows = [(pair, f"{9 - int(worker[1])}", grade) for pair, worker, grade in rows]
    again = fit(name, build_label_matrix(rows[::-1]))
    tolerance = 1e-3 if name == "glad" else 1e-9
    np.testing.assert_allclose(again.posterior, fit(name, crowd).posterior, atol=tolerance)


@pytest.mark.parametrize("name", MODELS)
def test_one_grade_and_nothing_at_all(name: str) -> None:
    agreed = fit(name, build({"a": {"x": 2, "y": 2}, "b": {"x": 2}}))
    assert agreed.grades.tolist() == [2, 2]
    assert agreed.entropy.tolist() == [0, 0]
    nothing = aggregate_labels(MODELS[name], build({}), AggregationOptions(gold=GOLD))
    assert nothing.grades.tolist() == []
    assert nothing.mean_entropy is None


@pytest.mark.parametrize("name", MODELS)
def test_one_label_is_followed(name: str) -> None:
    result = fit(name, build({"a": {"x": 1}}, (0, 1)))
    assert result.grades.tolist() == [1]


@pytest.mark.parametrize(
    ("ties", "wanted"), [("lowest", [0, 1]), ("highest", [2, 1]), ("undecided", [UNDECIDED, 1])]
)
def test_ties_are_decided_by_their_rule(ties: str, wanted: list[int]) -> None:
    matrix = build({"a": {"x": 0, "y": 2}, "b": {"x": 1, "y": 1}})
    result = fit("majority", matrix, ties=ties)
    assert result.grades.tolist() == wanted
    assert result.ties.tolist() == [True, False]
    with pytest.raises(ValueError, match="ties must be one of"):
        fit("majority", matrix, ties="first")


@pytest.mark.parametrize("name", ["dawid-skene", "dawid-skene-one-coin"])
def test_the_likelihood_never_falls(name: str, crowd: LabelMatrix) -> None:
    fits = [fit(name, crowd, iterations=n, tolerance=-1.0).fit for n in range(1, 12)]
    steps = np.diff([model.log_likelihood for model in fits])
    assert (steps > -1e-7).all()


def test_a_fit_of_mace_is_nearly_the_best_of_its_starts(crowd: LabelMatrix) -> None:
    alone = [fit("mace", crowd, seed=seed, restarts=1).fit.log_likelihood for seed in range(10)]
    assert fit("mace", crowd).fit.log_likelihood > max(alone) - WORTH * len(crowd)


@pytest.mark.parametrize(("name", "size"), [*((name, 2) for name in MODELS), ("mace", 3)])
def test_workers_who_always_differ_are_tied_whatever_their_names(name: str, size: int) -> None:
    rows = [
        (("1", f"d{item}"), worker, (item + at) % size)
        for item in range(12)
        for at, worker in enumerate("zab"[:size])
    ]
    assert fit(name, build_label_matrix(rows)).ties.all()


def test_the_scale_is_of_what_may_be_chosen_not_of_what_occurs() -> None:
    """Three workers with 3 of 8 gold right: of two grades that is worse than chance, of four
    better.
    """
    votes = {("1", f"d{at}"): dict.fromkeys("xyz", grade) for at, grade in enumerate((1, 1, 1, 0))}
    rule, gold = CROWD_RULES["crowd:weighted-majority"], dict.fromkeys("xyz", (3, 8))
    turned = aggregate_votes(rule, votes, gold)
    assert [grade for grade, _ in turned.decisions.values()] == [0, 0, 0, 1]
    assert turned.aggregated.overruled.all()
    kept = aggregate_votes(rule, votes, gold, (-1, 0, 1, 2, 3))
    assert [grade for grade, _ in kept.decisions.values()] == [1, 1, 1, 0]
    assert not kept.aggregated.overruled.any()
    assert describe_aggregation(turned.aggregated)["overruled"] == 4


def test_labels_are_sorted_and_none_is_given_twice() -> None:
    rows = [(("2", "b"), "y", 3), (("1", "a"), "z", 0), (("2", "b"), "x", 0)]
    matrix = build_label_matrix(rows)
    assert matrix.items == (("1", "a"), ("2", "b"))
    assert (matrix.workers, matrix.scale) == (("x", "y", "z"), (0, 3))
    codes = np.stack([matrix.item_codes, matrix.worker_codes, matrix.label_codes])
    assert codes.tolist() == [[0, 1, 1], [2, 0, 1], [0, 0, 1]]
    again = [*rows, (("2", "b"), "y", 0)]
    with pytest.raises(RepeatedLabelError, match="y labeled topic 2 b twice"):
        build_label_matrix(again)
    with pytest.raises(ValueError, match=r"grades \[3\] are not on the scale"):
        build_label_matrix(rows, (0, 1))


def test_a_table_of_labels_gives_the_same_matrix() -> None:
    rows = [(("2", "b"), "y", 3), (("1", "a"), "z", 0), (("2", "b"), "x", 0)]
    table = build_labels({(worker, pair): grade for pair, worker, grade in rows})
    matrix, wanted = build_matrix_from_labels(table), build_label_matrix(rows)
    for name in ("items", "workers", "scale"):
        assert getattr(matrix, name) == getattr(wanted, name)
    for name in ("item_codes", "worker_codes", "label_codes"):
        assert getattr(matrix, name).tolist() == getattr(wanted, name).tolist()
    gold = {("2", "b"): 3, ("1", "a"): 1}
    assert count_gold_from_matrix(matrix, gold) == {"x": (0, 1), "y": (1, 1), "z": (0, 1)}


def test_reports_are_rounded_and_name_undecided_pairs() -> None:
    matrix = build({"a": {"x": 0, "y": 1}, "b": {"x": 1, "y": 1, "z": 0}})
    result = fit("majority", matrix, ties="undecided")
    lines = AGGREGATION_FORMATS["csv"](result).splitlines()
    assert lines[2:] == [
        "topic,docno,grade,tie,labels,entropy,p_0,p_1",
        "1,a,,1,2,1.0,0.5,0.5",
        "1,b,1,0,3,0.9183,0.3333,0.6667",
    ]
    lines = AGGREGATION_FORMATS["csv"](result, None, "workers").splitlines()
    assert lines[2:] == ["worker,labels,accuracy,quality", "x,2,0.5833,", "y,2,0.5833,",
                         "z,1,0.3333,"]  # fmt: skip
    text = AGGREGATION_FORMATS["table"](result, 1)
    assert "undecided" in text
    assert "1      b" not in text
    data = json.loads(AGGREGATION_FORMATS["json"](result))
    assert data["by_pair"][1]["posterior"] == {"0": 0.3333, "1": 0.6667}


def test_models_beat_the_majority_on_simulated_crowds() -> None:
    """2,000 items with 3 of 30 workers, 4 of them spammers; the benchmark has ten seeds."""
    gains: dict[str, list[float]] = {name: [] for name in LEAST}
    for seed in range(2 if ALL else 1):
        crowd = simulate_crowd(seed)
        for name, values in gains.items():
            share = crowd.accuracy(aggregate_labels(MODELS[name], crowd.matrix, crowd.options))
            base = crowd.accuracy(aggregate_labels(MODELS["majority"], crowd.matrix))
            values.append(share - base)
    for name, least in LEAST.items():
        assert np.mean(gains[name]) > least, (name, gains[name])


def test_spammers_are_recognised() -> None:
    crowd = simulate_crowd(0)
    for name in ("dawid-skene-one-coin", "mace", "glad", "ordinal"):
        result = aggregate_labels(MODELS[name], crowd.matrix, crowd.options)
        assert result.fit.quality is not None
        worst = np.argsort(result.fit.quality)[:4]
        assert sorted(crowd.matrix.workers[at] for at in worst) == list(crowd.spammers), name


@pytest.mark.parametrize(("scale", "alpha"), [("3P", 0.055986), ("2P", 0.124453)])
def test_workers_of_a_crowd_hardly_agree(data_dir: Path, scale: str, alpha: float) -> None:
    """The notes of the data say .056 and .125; a plain loop over the files gives .1245 as well."""
    labels = read_crowd_labels(data_dir / "nyt-crowd" / f"crowd-{scale}-Doc-NoHigh.tsv")
    assert int(labels.judged.sum()) == 1800
    assert len({topic for topic, _ in labels.pairs}) == 10
    assert (len(labels.pairs), int(labels.judged.sum(axis=0).min())) == (120, 15)
    value = compute_coefficient(COEFFICIENTS["alpha-ordinal"], labels, 1).value
    assert value == pytest.approx(alpha, abs=1e-6)


@pytest.mark.parametrize("scale", take(["3P", "2P"], 2))
def test_models_differ_on_a_crowd_that_hardly_agrees(data_dir: Path, scale: str) -> None:
    """15 labels a pair leave the majority unsure; models of workers are sure, and not of the
    same grades.
    """
    labels = read_crowd_labels(data_dir / "nyt-crowd" / f"crowd-{scale}-Doc-NoHigh.tsv")
    matrix = build_matrix_from_labels(labels)
    base = aggregate_labels(MODELS["majority"], matrix)
    assert base.mean_entropy is not None
    assert base.mean_entropy > 0.6
    for name in ("dawid-skene", "dawid-skene-one-coin", "mace", "ordinal"):
        result = aggregate_labels(MODELS[name], matrix)
        assert result.mean_entropy is not None
        assert result.mean_entropy < 0.75 * base.mean_entropy, name
        assert 0 < int((result.grades != base.grades).sum()) < 80, name
