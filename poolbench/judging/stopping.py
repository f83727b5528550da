"""Stopping rules: when the judging of a topic is complete."""

from collections.abc import Sequence
from dataclasses import dataclass

from poolbench.pooling.session import StepLimit


@dataclass(frozen=True)
class StoppingCriteria:
    """A topic is complete as soon as one criterion is met; None: not used. Counts are of judged
    documents, in the order of their first judgment.

    After ``documents`` judged; after ``relevant`` relevant ones; after ``no_relevant_in``
    consecutive ones without a relevant one (cf. Losada, Parapar and Barreiro, "When to stop
    making relevance judgments?", JASIST 2019, cited from memory).
    """

    documents: int | None = None
    relevant: int | None = None
    no_relevant_in: int | None = None

    def __bool__(self) -> bool:
        return any(limit is not None for limit in vars(self).values())

    @property
    def reads_grades(self) -> bool:
        """Whether grades, and not only their number, decide when a topic is complete."""
        return self.relevant is not None or self.no_relevant_in is not None

    def ends(self, outcomes: Sequence[bool]) -> bool:
        """Whether to stop after ``outcomes`` (relevant or not), in the order of judging."""
        if self.documents is not None and len(outcomes) >= self.documents:
            return True
        return StepLimit(self.no_relevant_in, self.relevant).is_reached(outcomes)

    def in_words(self) -> str:
        """For example ``after 30 consecutive documents without a relevant one``."""
        phrases = {
            "documents": "after {} judged documents",
            "relevant": "after {} relevant documents",
            "no_relevant_in": "after {} consecutive documents without a relevant one",
        }
        limits = [(phrases[name], limit) for name, limit in vars(self).items() if limit is not None]
        return ", or ".join(text.format(f"{limit:,}") for text, limit in limits) or "never"
