"""Scoring options other than the measures, and the gains of grades."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from poolbench.evaluation.profiles import POOLBENCH, Profile, get_profile

TopicSet = Literal["judged", "common"]
MAX_LEVEL = 10_000


@dataclass(frozen=True)
class ScoringOptions:
    """``level``: lowest relevant grade. ``judged_only``: trec_eval's -J, remove unjudged
    documents. ``max_per_topic``: trec_eval's -M, truncate each ranking first. ``topics``:
    average over the topics of the qrels (trec_eval's -c), or over those in both run and qrels;
    None: the default of the profile. ``leave_out_empty``: leave out topics without a relevant
    document. ``collection_size``: trec_eval's -N, number of documents in the collection.
    ``gains``: gain by grade; None, and grades not listed, have the grade as gain. Grades below 0
    always have gain 0. ``max_rel``: highest grade of the scale; None: that of ``gains``, or without
    it the highest in the qrels. ``profile``: a profile or its name.
    """

    level: int = 1
    judged_only: bool = False
    max_per_topic: int | None = None
    topics: TopicSet | None = None
    gains: Mapping[int, float] | None = None
    max_rel: int | None = None
    leave_out_empty: bool = False
    collection_size: int = 0
    profile: Profile = POOLBENCH

    def __post_init__(self) -> None:
        object.__setattr__(self, "profile", get_profile(self.profile))
        if self.topics is None:
            object.__setattr__(self, "topics", "judged" if self.profile.complete else "common")
        if not 1 <= self.level <= MAX_LEVEL:
            raise ValueError(
                f"the relevance level must be an integer between 1 and {MAX_LEVEL:,}, "
                f"not {self.level}"
            )
        if self.max_rel is not None and not self.level <= self.max_rel <= MAX_LEVEL:
            raise ValueError(
                "the highest grade must be an integer from the relevance level to "
                f"{MAX_LEVEL:,}, not {self.max_rel}"
            )
        if self.max_per_topic is not None and self.max_per_topic < 1:
            raise ValueError(
                f"the number of documents per topic must be at least 1, not {self.max_per_topic}"
            )
        if self.collection_size < 0:
            raise ValueError(f"the collection size must be at least 0, not {self.collection_size}")
        if self.topics not in ("judged", "common"):
            raise ValueError("topics must be 'judged' or 'common'")
        check_gains(self.gains or {})

    def gains_for(self, grades: NDArray[np.int32]) -> NDArray[np.float64]:
        """The gain of each grade, same shape; unjudged documents have gain 0."""
        return gains_for_grades(grades, self.gains)

    def as_dict(self) -> dict[str, Any]:
        """The options as plain values."""
        gains = {str(grade): gain for grade, gain in sorted((self.gains or {}).items())}
        bits = 32 if self.profile.single_precision else 64
        return {
            "profile": self.profile.name,
            "order": f"score descending ({bits}-bit), then docno descending by code point",
            "level": self.level,
            "gains": gains or "the grade",
            "judged_only": self.judged_only,
            "max_per_topic": self.max_per_topic,
            "topics": self.topics,
            "leave_out_empty": self.leave_out_empty,
            "collection_size": self.collection_size or None,
        }


def read_options(provenance: Mapping[str, Any]) -> ScoringOptions:
    """The level and gains in the provenance of scores."""
    gains = provenance["gains"] if isinstance(provenance["gains"], dict) else {}
    return ScoringOptions(
        level=provenance["level"], gains={int(grade): gain for grade, gain in gains.items()} or None
    )


def check_gains(gains: Mapping[int, float]) -> None:
    """Raises ``ValueError`` unless ``gains`` maps integer grades to finite gains of at least 0."""
    for grade, gain in gains.items():
        if not isinstance(grade, int | np.integer):
            raise ValueError(f"gains must be given by grade, an integer such as 1, not {grade!r}")
        if not isinstance(gain, int | float | np.number) or not 0 <= gain < float("inf"):
            raise ValueError(f"gains must be finite numbers of at least 0, not {gain!r}")


def gains_for_grades(
    grades: NDArray[np.int32], gains: Mapping[int, float] | None
) -> NDArray[np.float64]:
    """The gain of each grade by the table ``gains``; grades not listed have the grade as gain."""
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
