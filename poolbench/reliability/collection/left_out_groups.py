"""What leaving out teams or kinds does to the places of their runs."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from poolbench.evaluation.comparison.compare import compare_all
from poolbench.evaluation.judgments import Floats, Ints, Mask

SMALL_MOVE = 0.05
"""The share of the runs by which a run may move: then its tau with the others is .9 or more."""
LOW = 0.1
"""The quantile over groups; of fewer than eleven it is the lowest."""


@dataclass(frozen=True)
class LeftOutGroups:
    """Each group with a contributing run left out in turn: these runs are scored without the
    unique documents of their group.

    By group: ``places``, the most that one of its runs moves among those of other groups, and
    ``judged``, the mean of judged@k. ``furthest`` moves most; ``allowed`` places are no move. Of
    ``different`` comparisons of these runs with significantly different ones of other groups
    (paired t test, Holm over all pairs, .05), ``crossed`` end the other way round.
    """

    places: Sequence[int] = ()
    judged: Sequence[float] = ()
    furthest: str = ""
    crossed: int = 0
    different: int = 0
    allowed: int = 1

    @property
    def moved(self) -> int:
        """Groups with a run that moves."""
        return sum(places > self.allowed for places in self.places)

    @property
    def moved_share(self) -> float:
        return self.moved / max(len(self.places), 1)

    @property
    def crossed_share(self) -> float:
        return self.crossed / max(self.different, 1)

    @property
    def low_judged(self) -> float:
        """Nine of ten groups have this much or more; 0 without a group."""
        return find_low_quantile(self.judged)


def find_low_quantile(values: Sequence[float]) -> float:
    """The value at ``LOW``, of two the lower; 0 of none."""
    return float(np.quantile(values, LOW, method="lower")) if len(values) else 0.0


def find_different_runs(tags: Sequence[str], by_topic: Floats) -> Mask:
    """Runs × runs: whether they differ significantly. ``by_topic`` is topics × runs."""
    different = np.zeros((len(tags), len(tags)), np.bool_)
    place = {tag: at for at, tag in enumerate(tags)}
    for row in compare_all(by_topic.T, tags, test="t", correction="holm").rows:
        different[place[row.first], place[row.second]] = row.different
    return different | different.T


def measure_left_out_groups(
    tags: Sequence[str],
    groups: Ints,
    pooled: Mask,
    different: Mask,
    scores: Floats,
    without: Floats,
    judged: Floats,
    fewer: Floats | None = None,
) -> LeftOutGroups:
    """All by run: its group; whether it contributed; ``different`` as ``find_different_runs``
    says; its score by all judgments, and score and judged@k without the unique documents of its
    group. Higher is better. Undefined scores do not move, undefined judged@k counts as 0. If
    groups are left out of a part of the judgments, ``fewer`` are the scores by that part.
    """
    others = (groups[:, None] != groups) & pooled[:, None]
    noise = 1e-9 * float(np.nanmax(np.abs(scores), initial=0.0))
    then = scores if fewer is None else fewer
    before, after = _order(scores - scores[:, None], noise), _order(then - without[:, None], noise)
    above = [((order > 0) & others).sum(axis=1) for order in (before, after)]
    places = np.abs(above[0] - above[1])
    compared = different & others
    members = [np.flatnonzero(pooled & (groups == group)) for group in np.unique(groups[pooled])]
    shares = np.nan_to_num(judged)
    return LeftOutGroups(
        places=[int(places[runs].max()) for runs in members],
        judged=[float(shares[runs].mean()) for runs in members],
        furthest=tags[int(places.argmax())] if places.any() else "",
        crossed=int(np.count_nonzero(compared & (before != after))),
        different=int(np.count_nonzero(compared)),
        allowed=max(1, int(SMALL_MOVE * len(tags))),
    )


def _order(differences: Floats, noise: float) -> Floats:
    """1, 0 or -1; 0 where undefined."""
    signs: Floats = np.sign(np.where(np.abs(differences) <= noise, 0.0, np.nan_to_num(differences)))
    return signs
