"""How a run is scored: the choices beside the measures, and the gains of grades."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

PROFILE = "poolbench-1"
"""Name of these definitions: 64-bit scores, docno descending by code point in ties."""

TopicSet = Literal["judged", "common"]


@dataclass(frozen=True)
class Options:
    """``level``: lowest grade that is relevant. ``judged_only``: trec_eval's -J, drop
    documents without a judgment. ``max_per_topic``: trec_eval's -M, cut each ranking
    first. ``topics``: average over the topics of the qrels (trec_eval's -c), or over
    those in run and qrels. ``gains``: gain by grade; None, and grades it does not name,
    mean the grade itself. Grades below 0 have gain 0 always.
    """

    level: int = 1
    judged_only: bool = False
    max_per_topic: int | None = None
    topics: TopicSet = "judged"
    gains: Mapping[int, float] | None = None

    def __post_init__(self) -> None:
        if self.level < 1:
            raise ValueError("the relevance level is a grade of 1 or more")
        if self.max_per_topic is not None and self.max_per_topic < 1:
            raise ValueError("the number of documents per topic is 1 or more")
        if self.topics not in ("judged", "common"):
            raise ValueError("topics are 'judged' or 'common'")
        if any(not 0 <= gain < float("inf") for gain in (self.gains or {}).values()):
            raise ValueError("gains are finite numbers of 0 or more")

    def gain_of(self, grades: NDArray[np.int32]) -> NDArray[np.float64]:
        """The gain of each grade, same shape; unjudged documents gain nothing."""
        counted = np.maximum(grades, 0)
        if not self.gains:
            return counted.astype(np.float64)
        table = np.arange(int(counted.max(initial=0)) + 1, dtype=np.float64)
        for grade, gain in self.gains.items():
            if 0 <= grade < len(table):
                table[grade] = gain
        gained = table[counted]
        gained[grades < 0] = 0.0
        return gained

    def as_dict(self) -> dict[str, Any]:
        """The choices as plain values."""
        gains = {str(grade): gain for grade, gain in sorted((self.gains or {}).items())}
        return {
            "level": self.level,
            "gains": gains or "the grade",
            "judged_only": self.judged_only,
            "max_per_topic": self.max_per_topic,
            "topics": self.topics,
        }
