"""When the judging of a topic ends: a rule over what was found so far."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pooling.core.session import StepLimit


@dataclass(frozen=True)
class StoppingCriteria:
    """A topic ends as soon as one of these holds; what is None never does. Counts are of
    documents that have a judgment, in the order of their first.

    ``documents`` are judged; ``relevant`` ones are found; ``no_relevant_in`` so many, one after
    another, none was relevant (cf. Losada, Parapar and Barreiro, "When to stop making relevance
    judgments?", JASIST 2019, told from memory).
    """

    documents: int | None = None
    relevant: int | None = None
    no_relevant_in: int | None = None

    def __bool__(self) -> bool:
        return any(limit is not None for limit in vars(self).values())

    def ends(self, outcomes: Sequence[bool]) -> bool:
        """Whether to stop after ``outcomes``, relevant or not, in the order of judgments."""
        if self.documents is not None and len(outcomes) >= self.documents:
            return True
        return StepLimit(self.no_relevant_in, self.relevant).is_reached(outcomes)

    def in_words(self) -> str:
        """Such as ``after 30 documents one after another without a relevant one``."""
        words = {
            "documents": "after {} judged documents",
            "relevant": "after {} relevant documents",
            "no_relevant_in": "after {} documents one after another without a relevant one",
        }
        given = [(words[name], limit) for name, limit in vars(self).items() if limit is not None]
        return ", or ".join(text.format(f"{limit:,}") for text, limit in given) or "never"
