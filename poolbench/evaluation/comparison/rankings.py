"""Rank correlations of two rankings, by name."""

from collections.abc import Mapping, Sequence

import numpy as np

from poolbench.evaluation.comparison.registry import CORRELATIONS
from poolbench.files.name_lists import choose_named
from poolbench.statistics.draws import Floats

Scores = Sequence[float] | Mapping[str, float]


def tau(first: Scores, second: Scores, kind: str = "tau-b") -> float:
    """The rank correlation of two rankings of the same runs.

    Parameters
    ----------
    first, second : sequence, or dict by run
        Scores, such as ``scores.to_frame()["AP"]``; dicts and Series are matched by run.
    kind : str
        ``"tau-b"`` (Kendall), ``"tau-ap"`` (``first`` is the reference), ``"tau-ap-a"`` and
        ``"tau-ap-b"`` for ties, ``"rho"`` (Spearman), ``"rbo-b"``, …

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If it is undefined, with the reason, or the two are not of the same runs.

    Examples
    --------
    >>> import poolbench as pb
    >>> pb.tau([0.4, 0.3, 0.2, 0.1], [0.3, 0.4, 0.2, 0.1])
    0.6666666666666666
    >>> round(pb.tau([4, 3, 2, 1], [3, 4, 2, 1], "tau-ap"), 4)
    0.3333
    """
    one, two = match_scores(first, second)
    estimate = choose_named(CORRELATIONS, kind, "rank correlation").of_scores(one, two)
    if estimate.value is None:
        raise ValueError(f"{kind} is undefined: {estimate.why}")
    return estimate.value


def match_scores(first: Scores, second: Scores) -> tuple[Floats, Floats]:
    """Two arrays in the same order of runs."""
    keyed = [dict(each.items()) for each in (first, second) if hasattr(each, "items")]
    if len(keyed) == 1:
        raise TypeError("pass two sequences, or two dicts by run")
    if keyed:
        if only := sorted(keyed[0].keys() ^ keyed[1].keys()):
            raise ValueError(f"runs that only one ranking has: {', '.join(map(str, only))}")
        first, second = list(keyed[0].values()), [keyed[1][run] for run in keyed[0]]
    if len(first) != len(second):
        raise ValueError(f"rankings of {len(first)} and {len(second)} runs")
    return np.asarray(first, np.float64), np.asarray(second, np.float64)
