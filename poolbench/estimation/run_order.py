"""The order of runs: estimates drawn in towards what the calibration makes of each run.

A machine's error is largely common to all runs, a sample's is each run's own; so the order of runs
is taken from estimates drawn in to their regression on the scores by chances alone (James and
Stein; Fay and Herriot). Scores and intervals are never drawn in.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from poolbench.estimation.diagnostics.circularity import compute_team_excess
from poolbench.estimation.diagnostics.excess import LEAST_PAIRS, share_pairs
from poolbench.estimation.machines import MachineInput
from poolbench.estimation.remarks import Remark
from poolbench.estimation.sample import JudgedSample
from poolbench.evaluation.judgments import Floats

LEAST_RUNS = 4
"""Fewer runs have no slope: their estimates are drawn in to the mean difference."""
LEAST_GAIN = 0.01
"""Machines that bring less do not decide the order of runs (docs/decisions/0097)."""
NO_GAIN, FAVOURED = "order-no-gain", "order-favoured"
ORDER_CODES = NO_GAIN, FAVOURED
"""Codes of the remarks that say which runs are placed by their estimates alone."""


class DrawnOrder(NamedTuple):
    """Which runs are placed by estimates drawn in, (runs,); and, where not all are, why."""

    is_drawn: NDArray[np.bool_]
    remark: Remark | None = None


def choose_drawn_runs(
    sample: JudgedSample, machines: Sequence[MachineInput], gain: float, teams: Mapping[str, str]
) -> DrawnOrder:
    """All runs, or none where machines bring too little, or those of teams that none favours.

    ``teams``: the team of each run. A machine that favours one would lift its runs
    (docs/decisions/0106).
    """
    runs = sample.frame.runs
    if gain < LEAST_GAIN:
        text = (
            f"Machines make the errors less than {LEAST_GAIN:.0%} smaller. The order of runs is "
            "that of the estimates."
        )
        return DrawnOrder(np.zeros(len(runs), dtype=bool), Remark(NO_GAIN, text))
    by_machine = [(own.name, find_favoured_teams(sample, own, teams)) for own in machines]
    favoured = {team for _, names in by_machine for team in names}
    if not favoured:
        return DrawnOrder(np.ones(len(runs), dtype=bool))
    text = (
        "; ".join(f"{name} favours {', '.join(names)}" for name, names in by_machine if names)
        + ": documents of these teams get more than others of the same people’s grade. Their runs "
        "are placed by their estimates alone."
    )
    chosen = np.array([teams.get(run) not in favoured for run in runs])
    return DrawnOrder(chosen, Remark(FAVOURED, text, None, tuple(sorted(favoured))))


def find_favoured_teams(
    sample: JudgedSample, machine: MachineInput, teams: Mapping[str, str]
) -> tuple[str, ...]:
    """The teams with an alarm, most favoured first; nothing is said of too few shared pairs."""
    shared = share_pairs(sample, machine)
    if len(shared.pairs) < LEAST_PAIRS:
        return ()
    return tuple(each.team for each in compute_team_excess(shared, teams) if each.is_alarm)


def draw_in(means: Floats, expected: Floats, covariance: Floats) -> Floats:
    """``means`` drawn in: fit + λ · (means − fit), λ = max(0, 1 − tr(P V P) / |P means|²).

    ``expected``: by run, the mean score by chances without a correction. ``covariance``: (runs,
    runs), of the means. P projects on what the regression leaves.
    """
    runs = len(means)
    if runs < 2:
        return means
    ones = np.ones((runs, 1))
    offset = expected if runs < LEAST_RUNS else np.zeros(runs)
    known = ones if runs < LEAST_RUNS else np.column_stack([ones, expected])
    left = np.eye(runs) - known @ np.linalg.pinv(known)
    rest = left @ (means - offset)
    size = float(rest @ rest)
    share = max(0.0, 1 - float(np.trace(left @ covariance @ left)) / size) if size > 0 else 0.0
    drawn: Floats = means - (1 - share) * rest
    return drawn
