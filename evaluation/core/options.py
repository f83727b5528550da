"""How a run is scored: the choices beside the measures, and the gains of grades."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from evaluation.core.profiles import POOLBENCH, Profile, get_profile

TopicSet = Literal["judged", "common"]
MAX_LEVEL = 10_000


@dataclass(frozen=True)
class ScoringOptions:
    """``level``: lowest grade that is relevant. ``judged_only``: trec_eval's -J, drop
    documents without a judgment. ``max_per_topic``: trec_eval's -M, cut each ranking
    first. ``topics``: average over the topics of the qrels (trec_eval's -c), or over
    those in run and qrels; None stands for what the profile does. ``leave_out_empty``:
    topics without a relevant document are left out of everything. ``collection_size``:
    trec_eval's -N, documents in the collection. ``gains``: gain by grade; None, and
    grades it does not name, mean the grade itself. Grades below 0 have gain 0 always.
    ``profile``: a profile or the name of one.
    """

    level: int = 1
    judged_only: bool = False
    max_per_topic: int | None = None
    topics: TopicSet | None = None
    gains: Mapping[int, float] | None = None
    leave_out_empty: bool = False
    collection_size: int = 0
    profile: Profile = POOLBENCH

    def __post_init__(self) -> None:
        object.__setattr__(self, "profile", get_profile(self.profile))
        if self.topics is None:
            object.__setattr__(self, "topics", "judged" if self.profile.complete else "common")
        if not 1 <= self.level <= MAX_LEVEL:
            raise ValueError(f"the relevance level is a grade from 1 to {MAX_LEVEL:,}")
        if self.max_per_topic is not None and self.max_per_topic < 1:
            raise ValueError("the number of documents per topic is 1 or more")
        if self.collection_size < 0:
            raise ValueError("the number of documents in the collection is 0 or more")
        if self.topics not in ("judged", "common"):
            raise ValueError("topics are 'judged' or 'common'")
        check_gains(self.gains or {})

    def gains_for(self, grades: NDArray[np.int32]) -> NDArray[np.float64]:
        """The gain of each grade, same shape; unjudged documents gain nothing."""
        return gains_for_grades(grades, self.gains)

    def as_dict(self) -> dict[str, Any]:
        """The choices as plain values."""
        gains = {str(grade): gain for grade, gain in sorted((self.gains or {}).items())}
        return {
            "profile": self.profile.name,
            "order": describe_ranking_order(self.profile),
            "level": self.level,
            "gains": gains or "the grade",
            "judged_only": self.judged_only,
            "max_per_topic": self.max_per_topic,
            "topics": self.topics,
            "leave_out_empty": self.leave_out_empty,
            "collection_size": self.collection_size or None,
        }


def check_gains(gains: Mapping[int, float]) -> None:
    """Raises ``ValueError`` unless ``gains`` has finite gains of 0 or more by whole grade."""
    for grade, gain in gains.items():
        if not isinstance(grade, int | np.integer):
            raise ValueError(f"gains are by grade, a whole number such as 1, not {grade!r}")
        if not isinstance(gain, int | float | np.number) or not 0 <= gain < float("inf"):
            raise ValueError(f"gains are finite numbers of 0 or more, not {gain!r}")


def gains_for_grades(
    grades: NDArray[np.int32], gains: Mapping[int, float] | None
) -> NDArray[np.float64]:
    """The gain of each grade by the table ``gains``; grades it does not name gain themselves."""
    counted = np.maximum(grades, 0)
    if not gains:
        return counted.astype(np.float64)
    table = np.arange(int(counted.max(initial=0)) + 1, dtype=np.float64)
    for grade, gain in gains.items():
        if 0 <= grade < len(table):
            table[grade] = gain
    gained = table[counted]
    gained[grades < 0] = 0.0
    return gained


def describe_ranking_order(profile: Profile) -> str:
    """How documents are ranked, in words."""
    bits = 32 if profile.single_precision else 64
    return f"score descending ({bits}-bit), then docno descending by code point"
