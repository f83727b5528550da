"""A pool during judging, as arrays."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from poolbench.evaluation.judgments import Ints, Mask


@dataclass(frozen=True, eq=False)
class PoolState:
    """By document: ``topic``, an index of ``topics``; ``rank``; whether it is ``judged``, and
    ``relevant`` by its first judgment; and ``contributed``, documents × teams.
    """

    topics: tuple[str, ...]
    teams: tuple[str, ...]
    topic: Ints
    rank: Ints
    judged: Mask
    relevant: Mask
    contributed: Mask

    def count(self, mask: Mask) -> Ints:
        """The number of documents in ``mask``, by topic."""
        return np.bincount(self.topic[mask], minlength=len(self.topics))

    @cached_property
    def stages(self) -> tuple[Mask, Mask, Mask, Mask]:
        """All documents, those judged, relevant, and relevant and contributed by one team only."""
        is_unique = self.contributed.sum(axis=1) == 1
        every = np.ones_like(self.judged)
        return every, self.judged, self.relevant, self.relevant & is_unique
