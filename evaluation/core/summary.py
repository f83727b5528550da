"""The summary table of a run: four counts over all topics."""

from __future__ import annotations

from dataclasses import dataclass

from evaluation.core.batch import ScoringBatch
from evaluation.core.measures import counts


@dataclass(frozen=True)
class CountSummary:
    """Counts over the averaged topics: the topics and their documents."""

    topics: int
    retrieved: int
    relevant_retrieved: int
    relevant: int

    def rows(self) -> tuple[tuple[str, int], ...]:
        """The rows of the table: label and count."""
        return (
            ("Number of topics", self.topics),
            ("Documents retrieved over all topics", self.retrieved),
            ("Relevant documents retrieved over all topics", self.relevant_retrieved),
            ("Relevant documents over all topics as judged", self.relevant),
        )


def summarize_counts(batch: ScoringBatch) -> CountSummary:
    """The summary table statistics of Modern Information Retrieval, chapter 4.

    They are the sums of num_q, num_ret, num_rel_ret and num_rel.
    """
    return CountSummary(
        topics=len(batch),
        retrieved=int(counts.count_retrieved(batch).sum()),
        relevant_retrieved=int(counts.relevant_retrieved(batch).sum()),
        relevant=int(counts.count_relevant(batch).sum()),
    )
