"""LARA with the same chances and effort, to compare estimates with."""

from pathlib import Path

import numpy as np
import pytest

from benchmarks.estimates import SEVEN
from benchmarks.rival import (
    apply_slopes,
    compute_kappa,
    fill_as_described,
    fill_as_released,
    fit_slopes,
    share_votes,
    simulate_chances,
    simulate_rival,
    size_by_chances,
    start_slopes,
)
from benchmarks.sampled_scores import (
    load_dl19,
    load_machine,
    load_text_scores,
    load_trec_covid,
    simulate_samples,
)

CHANCES = np.array([[0.9, 0.1], [0.52, 0.48], [0.3, 0.7], [0.55, 0.45], [0.1, 0.9], [0.2, 0.8]])
TOPICS = np.array([0, 0, 1, 1, 2, 2])


def test_people_judge_the_closest_chances_and_the_likeliest_grade_fills_the_rest() -> None:
    people = np.array([1, 1, 1, 1, 0, 0])
    # Of three groups, one topic each, one pair: the second, the fourth and the last.
    filled = fill_as_released(CHANCES, people, TOPICS, 3, 0)
    assert filled.tolist() == [0, 1, 1, 1, 1, 0]


def test_as_described_fills_what_people_did_not_judge() -> None:
    people = np.array([0, 1, 1, 0, 1, 1])
    assert fill_as_described(CHANCES, people, 0, 0).tolist() == [0, 0, 1, 0, 1, 1]
    assert fill_as_described(CHANCES, people, 1, 0)[1] == 1
    assert fill_as_described(CHANCES, 1 - people, 6, 0).tolist() == (1 - people).tolist()


def test_a_regression_learns_that_a_machine_has_it_the_wrong_way_round() -> None:
    chances = np.tile([[0.9, 0.1], [0.2, 0.8]], (20, 1))
    start = start_slopes(2)
    assert apply_slopes(chances, start) == pytest.approx(chances)
    corrected = apply_slopes(chances, fit_slopes(chances, np.tile([1, 0], 20), start))
    assert corrected.argmax(axis=1)[:2].tolist() == [1, 0]


def test_kappa_of_grades() -> None:
    assert compute_kappa(np.array([0, 0, 1, 1]), np.array([0, 1, 1, 1])) == pytest.approx(0.5)


@pytest.mark.full
@pytest.mark.parametrize("share", [0.05, 0.1, 0.2])
@pytest.mark.parametrize("name", ["DL19", "TREC-COVID"])
def test_estimates_are_closer_than_lara(data_dir: Path, name: str, share: float) -> None:
    if name == "DL19":
        collection = load_dl19(data_dir)
        machine = share_votes(collection, [load_machine(data_dir, collection, n) for n in SEVEN])
    else:
        collection = load_trec_covid(data_dir)
        machine = simulate_chances(collection, 0.4)
    sizes = size_by_chances(collection, machine)
    own = simulate_samples(collection, [machine], share, 10, sizes)
    rivals = [
        simulate_rival(collection, machine, share, 10, as_released=as_released)
        for as_released in (False, True)
    ]
    missed = {}
    for measure, scores in own.items():
        rmse, taus = zip(*(rival[measure] for rival in rivals), strict=True)
        lack = max(taus) - float(scores.drawn_tau.mean())
        cells = {
            "rmse": (scores.drawn_rmse / min(rmse), 1),
            "coverage lacks": (0.92 - scores.coverage, 0),
            "tau lacks": (lack, 0.05 if share == 0.05 else 0.03),
        }
        missed |= {(measure, name): value for name, (value, most) in cells.items() if value > most}
    assert missed == {}


@pytest.mark.full
def test_texts_alone_make_estimates_closer(data_dir: Path) -> None:
    collection = load_dl19(data_dir)
    texts = load_text_scores(data_dir, collection)
    alone = simulate_samples(collection, [], 0.2, 10)
    own = simulate_samples(collection, [], 0.2, 10, texts=texts)
    for measure in ("ndcg_cut_10", "P_10"):
        assert own[measure].rmse < 0.95 * alone[measure].rmse
        assert own[measure].coverage >= 0.93
