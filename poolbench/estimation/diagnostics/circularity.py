"""Teams whose documents a machine gives more than pairs of the same people's grade get."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from poolbench.estimation.calibration import build_rank_features
from poolbench.estimation.diagnostics.excess import (
    ALPHA,
    SharedPairs,
    build_dummies,
    compute_error,
    estimate_value,
    find_p_values,
    fit_weighted,
)
from poolbench.evaluation.judgments import Floats
from poolbench.statistics.estimate import Estimate

FIRST = 10
LEAST_EXCESS = 0.05
"""In grades a document: a smaller excess is no alarm, however certain."""


@dataclass(frozen=True)
class TeamExcess:
    """``excess``: grades a document of the team's first ten beyond what other teams' documents of
    the same people's grades and ranks get; ``p`` that it is not above 0, by Holm over teams.
    """

    team: str
    runs: int
    excess: Estimate
    p: float
    is_alarm: bool


def compute_team_excess(shared: SharedPairs, teams: Mapping[str, str]) -> tuple[TeamExcess, ...]:
    """The teams by excess; none with fewer than two. ``teams``: the team of each run of the frame;
    a run without one is left out.
    """
    by_run = weigh_runs(shared)
    runs = shared.sample.frame.runs
    own = np.array([teams.get(run, "") for run in runs])
    names = sorted(set(own.tolist()) - {""})
    if len(names) < 2:
        return ()
    mean = np.column_stack([(own == name) / (own == name).sum() for name in names])
    others = (mean.sum(axis=1, keepdims=True) - mean) / (len(names) - 1)
    parts = by_run @ (mean - others)
    excess, errors = parts.sum(axis=0), np.atleast_1d(compute_error(parts))
    p = find_p_values(excess, errors, 1)
    rows = [
        TeamExcess(
            name,
            int((own == name).sum()),
            estimate_value(float(excess[at]), float(errors[at]), len(shared.pairs)),
            float(p[at]),
            bool(p[at] < ALPHA and excess[at] > LEAST_EXCESS),
        )
        for at, name in enumerate(names)
    ]
    return tuple(sorted(rows, key=lambda row: -(row.excess.value or 0.0)))


def weigh_runs(shared: SharedPairs) -> Floats:
    """(pairs, runs): what each pair adds to a run's mean excess over its first ten documents.

    The excess is what a regression of the machine's grades on people's and on the five features of
    ranks leaves. Not what the calibration leaves: every weak machine over-rates weak runs.
    """
    frame = shared.sample.frame
    ranks = build_rank_features(frame).columns[shared.pairs]
    columns = np.column_stack([build_dummies(shared.people), ranks])
    left = fit_weighted(
        columns, shared.machine.astype(float), shared.weight, np.zeros(columns.shape[1])
    ).left
    place = np.full(len(frame.topic_index), -1)
    place[shared.pairs] = np.arange(len(shared.pairs))
    rows = np.flatnonzero((frame.rank <= FIRST) & (place[frame.pair] >= 0))
    parts = np.zeros((len(shared.pairs), len(frame.runs)))
    at = place[frame.pair[rows]]
    amount = (left * shared.weight)[at] / (FIRST * len(frame.topics))
    np.add.at(parts, (at, frame.segment[rows] // len(frame.topics)), amount)
    return parts
