"""Whether the judgments suffice for bpref: R and N by topic, and warnings.

bpref compares relevant documents with judged non-relevant ones. If few of these are known its
forms differ, and if there are none it only counts relevant documents retrieved.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain

import numpy as np

from evaluation.core.judgments import Ints, JudgmentTable, Mask
from evaluation.core.measures.bpref import MORE
from evaluation.core.measures.family import Measure

NAMED = 10
"""Maximum number of topics listed in a sentence."""


@dataclass(frozen=True, eq=False)
class BprefAdvice:
    """By judged topic: R ``relevant`` and N judged ``nonrelevant`` documents.

    ``c`` is 0 for bpref and 10 for bpref-10. A topic is ``blind`` if it has relevant documents
    and N = 0, and has ``few`` if 0 < N < R + c, so that the forms can differ.
    """

    name: str
    c: int
    topics: tuple[str, ...]
    relevant: Ints
    nonrelevant: Ints

    @property
    def blind(self) -> Mask:
        return np.greater(self.relevant, 0) & np.equal(self.nonrelevant, 0)

    @property
    def few(self) -> Mask:
        some = np.greater(self.relevant, 0) & np.greater(self.nonrelevant, 0)
        return some & np.less(self.nonrelevant, self.relevant + self.c)

    @property
    def is_uninformative(self) -> bool:
        """Whether no topic with a relevant document has a judged non-relevant document."""
        counting = self.relevant > 0
        return bool(counting.any() and self.blind[counting].all())

    @property
    def sentences(self) -> tuple[str, ...]:
        """The warnings to show with the scores; empty if all topics have enough."""
        sentences = [self._of_blind(), self._of_few(), self._of_empty()]
        return tuple(sentence for sentence in sentences if sentence)

    def _of_blind(self) -> str:
        if self.is_uninformative:
            return (
                f"{self.name} is uninformative: no topic has a document judged non-relevant, "
                "so it equals recall, whatever the order."
            )
        where = self._where(self.blind)
        return where and (
            f"{self.name} does not depend on the order in topics without a document judged "
            f"non-relevant (N = 0): {where}."
        )

    def _of_few(self) -> str:
        bound = f"R + {self.c}" if self.c else "R"
        where = self._where(self.few)
        return where and (
            f"{self.name} and {self.name}(form=textbook) can differ in topics with fewer "
            f"documents judged non-relevant than {bound} (N < {bound}): {where}."
        )

    def _of_empty(self) -> str:
        where = self._where(self.relevant == 0)
        return where and f"{self.name} is 0 in topics without a relevant document: {where}."

    def _where(self, mask: Mask) -> str:
        """``2 of 50 topics (301, 305)``; empty without a topic."""
        topics = [self.topics[index] for index in np.flatnonzero(mask).tolist()]
        more = f" and {len(topics) - NAMED:,} more" if len(topics) > NAMED else ""
        share = f"{len(topics):,} of {len(self.topics):,} topics"
        return f"{share} ({', '.join(topics[:NAMED])}{more})" if topics else ""


def advise_on_bpref(judged: JudgmentTable, level: int = 1, name: str = "bpref") -> BprefAdvice:
    """The advice on the measure ``name``, a key of ``bpref.MORE``, for ``judged``."""
    relevant, nonrelevant = judged.counts_at(level)
    return BprefAdvice(
        name=name,
        c=MORE[name],
        topics=judged.topics,
        relevant=relevant,
        nonrelevant=nonrelevant,
    )


def list_bpref_remarks(
    measures: Iterable[Measure], judged: JudgmentTable, level: int = 1
) -> list[str]:
    """The warnings for the ``measures`` of the bpref family, without duplicates."""
    requested = [(measure.family.name, _level(measure, level)) for measure in measures]
    sentences = [
        advise_on_bpref(judged, own, name).sentences for name, own in requested if name in MORE
    ]
    return list(dict.fromkeys(chain.from_iterable(sentences)))


def _level(measure: Measure, level: int) -> int:
    own = dict(measure.params).get("rel")
    return own if isinstance(own, int) else level
