"""What the judgments let bpref say: R and N by topic, and words of warning.

bpref compares relevant documents with judged non-relevant ones. Where few of these are
known its forms differ, and where there is none it only counts what was retrieved.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain

import numpy as np

from evaluation.core.judgments import Ints, Judged, Mask
from evaluation.core.measures.bpref import MORE
from evaluation.core.measures.family import Measure

NAMED = 10
"""How many topics a sentence names."""


@dataclass(frozen=True, eq=False)
class BprefAdvice:
    """By topic of the judgments: R ``relevant`` and N judged ``nonrelevant`` documents.

    ``c`` is 0 for bpref and 10 for bpref-10. A topic is ``blind`` where it has relevant
    documents and N = 0, and has ``few`` where 0 < N < R + c, so that forms can differ.
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
        """Whether no topic that counts has a judged non-relevant document."""
        counting = self.relevant > 0
        return bool(counting.any() and self.blind[counting].all())

    @property
    def sentences(self) -> tuple[str, ...]:
        """What to tell beside the numbers; nothing where all topics have enough."""
        sentences = [self._of_blind(), self._of_few(), self._of_empty()]
        return tuple(sentence for sentence in sentences if sentence)

    def _of_blind(self) -> str:
        if self.is_uninformative:
            return (
                f"{self.name} is uninformative here: no topic has a document judged "
                "non-relevant, so that it is the share of the relevant documents retrieved "
                "(recall), whatever their order."
            )
        where = self._where(self.blind)
        return where and (
            f"{self.name} says nothing of the order where no document is judged non-relevant "
            f"(N = 0): {where}."
        )

    def _of_few(self) -> str:
        bound = f"R + {self.c}" if self.c else "R"
        where = self._where(self.few)
        return where and (
            f"{self.name} and {self.name}(form=textbook) can differ where fewer documents are "
            f"judged non-relevant than {bound} (N < {bound}): {where}."
        )

    def _of_empty(self) -> str:
        where = self._where(self.relevant == 0)
        return where and f"Without a relevant document {self.name} is 0: {where}."

    def _where(self, mask: Mask) -> str:
        """``2 of 50 topics (301, 305)``; empty without a topic."""
        topics = [self.topics[index] for index in np.flatnonzero(mask).tolist()]
        more = f" and {len(topics) - NAMED:,} more" if len(topics) > NAMED else ""
        share = f"{len(topics):,} of {len(self.topics):,} topics"
        return f"{share} ({', '.join(topics[:NAMED])}{more})" if topics else ""


def advise_on_bpref(judged: Judged, level: int = 1, name: str = "bpref") -> BprefAdvice:
    """What is to be told of the measure ``name``, a key of ``bpref.MORE``, on ``judged``."""
    relevant, nonrelevant = judged.counts_at(level)
    return BprefAdvice(
        name=name,
        c=MORE[name],
        topics=judged.topics,
        relevant=relevant,
        nonrelevant=nonrelevant,
    )


def list_bpref_remarks(measures: Iterable[Measure], judged: Judged, level: int = 1) -> list[str]:
    """The sentences for those of ``measures`` that are of the bpref family, each once."""
    requested = [(measure.family.name, _level(measure, level)) for measure in measures]
    sentences = [
        advise_on_bpref(judged, own, name).sentences for name, own in requested if name in MORE
    ]
    return list(dict.fromkeys(chain.from_iterable(sentences)))


def _level(measure: Measure, level: int) -> int:
    own = dict(measure.params).get("rel")
    return own if isinstance(own, int) else level
