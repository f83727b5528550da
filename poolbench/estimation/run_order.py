"""The order of runs: estimates drawn in towards what the calibration makes of each run.

A machine's error is largely common to all runs, a sample's is each run's own; so the order of runs
is taken from estimates drawn in to their regression on the scores by chances alone (James and
Stein; Fay and Herriot). Scores and intervals are never drawn in.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

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
PLAIN_ORDER = NO_GAIN, FAVOURED
"""Codes of the remarks that say why the order of runs is that of the estimates."""


def explain_plain_order(
    sample: JudgedSample,
    machines: Sequence[MachineInput],
    gain: float | None,
    teams: Mapping[str, str],
) -> Remark | None:
    """Why ``machines`` do not decide the order of runs; None where they do, or there is none.

    ``teams``: the team of each run. A machine that favours one would lift it
    (docs/decisions/0106).
    """
    if gain is None:
        return None
    for machine in machines:
        if favoured := find_favoured_teams(sample, machine, teams):
            text = (
                f"{machine.name} favours {', '.join(favoured)}: it gives their documents more than "
                "others of the same people’s grade get. The order of runs is that of the estimates."
            )
            return Remark(FAVOURED, text, None, favoured)
    if gain < LEAST_GAIN:
        text = (
            f"Machines make the errors less than {LEAST_GAIN:.0%} smaller. The order of runs is "
            "that of the estimates."
        )
        return Remark(NO_GAIN, text)
    return None


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
