"""People's grades of a sample of the frame, and the probabilities that it was drawn with."""

from dataclasses import dataclass

import numpy as np

from poolbench.estimation.frame import PoolFrame
from poolbench.evaluation.judgments import Floats, Ints


@dataclass(frozen=True, eq=False)
class JudgedSample:
    """``judged``: pairs of the frame; ``steps``: (judged, G), whether people's grade is g or
    more; ``pi``: inclusion probabilities of all pairs of the frame; ``strata``: the stratum of
    each, numbered through all topics and by rank in a topic (None: drawn from all together).
    ``skipped``: how many more were drawn but have no grade; ``pi`` allows for them.
    ``ended_by_grades``: topics of which grades decided how many pairs were judged.
    """

    frame: PoolFrame
    judged: Ints
    steps: Floats
    pi: Floats
    strata: Ints | None = None
    skipped: int = 0
    ended_by_grades: int = 0

    @property
    def chance(self) -> Floats:
        """π by judged pair."""
        return self.pi[self.judged]

    @property
    def inverse(self) -> Floats:
        """By judged pair: 1 / π − 1."""
        weight: Floats = 1 / self.chance - 1
        return weight

    def fill(self, chances: Floats) -> Floats:
        """People's grades where there are any, ``chances`` elsewhere."""
        q = chances.copy()
        q[self.judged] = self.steps
        return q


def build_sample(
    frame: PoolFrame, grades: Ints, pairs: Ints, pi: Floats, top: int, strata: Ints | None = None
) -> JudgedSample:
    """The sample ``pairs`` with probabilities ``pi``. ``grades`` by pair of the frame,
    below 0 without one: a drawn pair without a grade is left out, and the weights 1 / π of the
    others of its stratum are raised as much.
    """
    judged = np.sort(pairs[grades[pairs] >= 0])
    steps = (grades[judged][:, None] >= np.arange(1, top + 1)).astype(float)
    own = np.zeros(len(pi), np.int64) if strata is None else strata
    counts = (np.bincount(own[part], minlength=own.max(initial=0) + 1) for part in (judged, pairs))
    known, drawn = counts
    # A stratum without any grade keeps its probabilities: it has no weights.
    graded = np.where(known > 0, known / np.maximum(drawn, 1), 1.0)
    return JudgedSample(frame, judged, steps, pi * graded[own], strata, len(pairs) - len(judged))
