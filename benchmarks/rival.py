"""LARA (Takehi, Voorhees, Sakai, Soboroff, SIGIR 2025, arXiv 2411.06877), to compare with.

A machine gives chances of each grade. People judge, in batches, the pairs whose two likeliest
grades have the closest chances; a regression learned on their grades corrects the chances; every
other pair gets the likeliest grade. Written anew from the paper's outline, and from what the
authors' program (github RikiyaT/LARA, ``graded_algo.py``) does: there the count of judgments that
decides how much the regression counts for is never raised, so it never counts.
"""

import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.sampled_scores import JudgedCollection, simulate_machine
from poolbench.estimation.design import compute_influence_sizes, divide_prior
from poolbench.estimation.machines import MachineInput
from poolbench.evaluation.comparison.rankings import tau

BATCH = 32
PENALTY = 1.0
RELEASED_GROUPS = 3


def fill_as_described(
    chances: np.ndarray, grades: np.ndarray, number: int, seed: int
) -> np.ndarray:
    """Grades of all pairs after ``number`` judgments. ``chances``: (pairs, G + 1); ``grades``:
    people's, asked for only where they judge. Ties are broken by ``seed``.
    """
    lot = np.random.default_rng(seed).random(len(grades))
    judged = np.zeros(len(grades), bool)
    slopes, used = start_slopes(chances.shape[1]), chances
    while (left := number - int(judged.sum())) > 0:
        chosen = _choose(used, ~judged, lot, min(BATCH, left))
        judged[chosen] = True
        slopes = fit_slopes(chances[judged], grades[judged], slopes)
        used = apply_slopes(chances, slopes)
    return np.where(judged, grades, used.argmax(axis=1))


def fill_as_released(
    chances: np.ndarray, grades: np.ndarray, topics: np.ndarray, number: int, seed: int
) -> np.ndarray:
    """The same by what the program does: topics in three groups of about as many pairs take equal
    shares of the judgments, the chances stay the machine's.
    """
    rng = np.random.default_rng(seed)
    lot, sizes = rng.random(len(grades)), np.bincount(topics)
    group_of, held = np.zeros(len(sizes), np.int64), np.zeros(RELEASED_GROUPS, np.int64)
    for topic in rng.permutation(len(sizes)):
        group_of[topic] = held.argmin()
        held[group_of[topic]] += sizes[topic]
    judged = np.zeros(len(grades), bool)
    for group in range(RELEASED_GROUPS):
        share = number // RELEASED_GROUPS + (group < number % RELEASED_GROUPS)
        judged[_choose(chances, group_of[topics] == group, lot, share)] = True
    return np.where(judged, grades, chances.argmax(axis=1))


def _choose(chances: np.ndarray, free: np.ndarray, lot: np.ndarray, number: int) -> np.ndarray:
    places = np.flatnonzero(free)
    highest = np.sort(chances[places], axis=1)[:, -2:]
    order = np.lexsort((lot[places], np.round(highest[:, 1] - highest[:, 0], 12)))
    return places[order[:number]]


def start_slopes(grades: int) -> np.ndarray:
    """A regression that has learned nothing: (1 + grades, grades), for log chances."""
    return np.vstack([np.zeros(grades), np.eye(grades)])


def apply_slopes(chances: np.ndarray, slopes: np.ndarray) -> np.ndarray:
    """The regression's chances: softmax of a linear function of the log chances."""
    from scipy.special import softmax

    corrected: np.ndarray = softmax(_log(chances) @ slopes[1:] + slopes[0], axis=1)
    return corrected


def fit_slopes(chances: np.ndarray, grades: np.ndarray, start: np.ndarray) -> np.ndarray:
    """A multinomial logistic regression, with a ridge towards the machine's own chances."""
    from scipy.optimize import minimize
    from scipy.special import log_softmax

    x = np.column_stack([np.ones(len(grades)), _log(chances)])
    own, rows = start_slopes(chances.shape[1]), np.arange(len(grades))

    def lose(flat: np.ndarray) -> tuple[float, np.ndarray]:
        slopes = flat.reshape(own.shape)
        logs = log_softmax(x @ slopes, axis=1)
        left = np.exp(logs)
        left[rows, grades] -= 1
        away = slopes - own
        away[0] = 0
        loss = -logs[rows, grades].sum() + PENALTY / 2 * (away**2).sum()
        return float(loss), (x.T @ left + PENALTY * away).ravel()

    found = minimize(lose, start.ravel(), jac=True, method="L-BFGS-B", options={"maxiter": 50})
    fitted: np.ndarray = found.x.reshape(own.shape)
    return fitted


def _log(chances: np.ndarray) -> np.ndarray:
    logs: np.ndarray = np.log(np.clip(chances, 0.01, 1))
    return logs


def share_votes(collection: JudgedCollection, machines: list[MachineInput]) -> MachineInput:
    """One machine of several: the share of each grade among them, with half a vote a grade."""
    votes = np.array([machine.grades for machine in machines])
    counts = (votes[..., None] == np.arange(collection.top + 1)).sum(axis=0) + 0.5
    chances = counts / counts.sum(axis=1, keepdims=True)
    return MachineInput("votes", chances.argmax(axis=1), chances)


def simulate_chances(collection: JudgedCollection, kappa: float, seed: int = 7) -> MachineInput:
    """Seven simulated machines vote; each is as good as it takes for the most frequent grade to
    have ``kappa`` with people (found by halving).
    """
    low, high = 0.0, kappa
    for _ in range(12):
        own = (low + high) / 2
        machines = [simulate_machine(collection, own, seed + n) for n in range(7)]
        machine = share_votes(collection, machines)
        if compute_kappa(machine.grades, collection.grades) < kappa:
            low = own
        else:
            high = own
    return replace(machine, name=f"kappa {kappa}")


def compute_kappa(one: np.ndarray, other: np.ndarray) -> float:
    """Cohen's kappa of two lists of grades."""
    n = len(one)
    counts, others = Counter(one.tolist()), Counter(other.tolist())
    expected = sum(counts[grade] * others[grade] for grade in counts) / n**2
    return float(((one == other).mean() - expected) / (1 - expected))


def list_chances(machine: MachineInput) -> np.ndarray:
    if machine.chances is None:
        raise ValueError(f"{machine.name} gives no chances")
    return machine.chances


def size_by_chances(collection: JudgedCollection, machine: MachineInput) -> np.ndarray:
    """z of the pairs, by the machine's chance that they are relevant."""
    prior = 0.1 + 0.6 * list_chances(machine)[:, collection.level :].sum(axis=1)
    steps = divide_prior(prior, collection.top, collection.level)
    measures = list(collection.measures.values())
    return compute_influence_sizes(collection.frame, prior, steps, measures)


def score_grades(collection: JudgedCollection, grades: np.ndarray) -> dict[str, np.ndarray]:
    """By measure, the means of the runs by ``grades`` of all pairs."""
    steps = (grades[:, None] >= np.arange(1, collection.top + 1)).astype(float)
    return {
        name: measure.compute(collection.frame, steps).values.mean(axis=1)
        for name, measure in collection.measures.items()
    }


def simulate_rival(
    collection: JudgedCollection,
    machine: MachineInput,
    share: float,
    samples: int,
    *,
    as_released: bool,
) -> dict[str, tuple[float, float]]:
    """By measure: the root mean square error over runs and repetitions, and mean tau."""
    chances, grades = list_chances(machine), collection.grades
    rows = list[dict[str, np.ndarray]]()
    number = round(share * len(grades))
    for seed in range(samples):
        if as_released:
            topics = collection.frame.topic_index
            filled = fill_as_released(chances, grades, topics, number, seed)
        else:
            filled = fill_as_described(chances, grades, number, seed)
        rows.append(score_grades(collection, filled))
    return {
        name: (
            float(np.sqrt(np.mean([(row[name] - truth) ** 2 for row in rows]))),
            float(np.mean([tau(row[name].tolist(), truth.tolist()) for row in rows])),
        )
        for name, truth in collection.truth.items()
    }
