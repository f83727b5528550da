"""People's grades of a sample of the frame, and the probabilities that it was drawn with."""

from __future__ import annotations

from dataclasses import dataclass

from poolbench.estimation.frame import PoolFrame
from poolbench.evaluation.judgments import Floats, Ints


@dataclass(frozen=True, eq=False)
class JudgedSample:
    """``judged``: pairs of the frame; ``steps``: (judged, G), whether people's grade is g or
    more; ``pi``: inclusion probabilities of all pairs of the frame.
    """

    frame: PoolFrame
    judged: Ints
    steps: Floats
    pi: Floats

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
