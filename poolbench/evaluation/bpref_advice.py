"""Whether the judgments suffice for bpref: R and N by topic, and warnings.

bpref compares relevant documents with judged non-relevant ones. If a topic has few of the latter,
the forms of bpref differ; if it has none, bpref only counts the relevant documents retrieved.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain

import numpy as np

from poolbench.evaluation.judgments import Ints, JudgmentTable, Mask
from poolbench.evaluation.measures.bpref import EXTRA_NONRELEVANT
from poolbench.evaluation.measures.family import Measure
from poolbench.files.faults import list_names
from poolbench.files.natural_sort import sort_naturally

MAX_LISTED = 10
"""Maximum number of topics listed in a sentence."""


@dataclass(frozen=True, eq=False)
class BprefAdvice:
    """By judged topic: R ``relevant`` and N judged ``nonrelevant`` documents.

    ``c`` is 0 for bpref and 10 for bpref-10. Masks of topics with relevant documents: ``blind``,
    N = 0, so the order does not matter; ``few``, 0 < N < R + c, so the forms can differ.
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
    def warnings(self) -> tuple[str, ...]:
        """One sentence each, to show with the scores; empty if all topics have enough."""
        warnings = [self._explain_recall(), self._explain_forms(), self._explain_zeros()]
        return tuple(warning for warning in warnings if warning)

    def _explain_recall(self) -> str:
        if self.is_uninformative:
            return (
                f"{self.name} is uninformative: no topic has a document judged non-relevant, "
                "so it equals recall, whatever the order."
            )
        share = self._format_share(self.blind)
        return share and (
            f"{self.name} does not depend on the order in topics without a document judged "
            f"non-relevant (N = 0): {share}."
        )

    def _explain_forms(self) -> str:
        bound = f"R + {self.c}" if self.c else "R"
        share = self._format_share(self.few)
        return share and (
            f"{self.name} and {self.name}(form=textbook) can differ in topics with fewer "
            f"documents judged non-relevant than {bound} (N < {bound}): {share}."
        )

    def _explain_zeros(self) -> str:
        share = self._format_share(self.relevant == 0)
        return share and f"{self.name} is 0 in topics without a relevant document: {share}."

    def _format_share(self, mask: Mask) -> str:
        """``2 of 50 topics (301, 305)``; empty without a topic."""
        topics = sort_naturally(self.topics[index] for index in np.flatnonzero(mask).tolist())
        share = f"{len(topics):,} of {len(self.topics):,} topics"
        return f"{share} ({list_names(topics, MAX_LISTED)})" if topics else ""


def advise_on_bpref(judged: JudgmentTable, level: int = 1, name: str = "bpref") -> BprefAdvice:
    """R, N and warnings for ``judged`` and the measure ``name``, a key of ``EXTRA_NONRELEVANT``."""
    relevant, nonrelevant = judged.counts_at(level)
    return BprefAdvice(
        name=name,
        c=EXTRA_NONRELEVANT[name],
        topics=judged.topics,
        relevant=relevant,
        nonrelevant=nonrelevant,
    )


def list_bpref_warnings(
    measures: Iterable[Measure], judged: JudgmentTable, level: int = 1
) -> list[str]:
    """The warnings for those ``measures`` that are forms of bpref, without duplicates."""
    requested = [(measure.family.name, _level(measure, level)) for measure in measures]
    warnings = [
        advise_on_bpref(judged, rel, name).warnings
        for name, rel in requested
        if name in EXTRA_NONRELEVANT
    ]
    return list(dict.fromkeys(chain.from_iterable(warnings)))


def _level(measure: Measure, level: int) -> int:
    rel = dict(measure.params).get("rel")
    return rel if isinstance(rel, int) else level
