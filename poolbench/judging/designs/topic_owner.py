"""One assessor per topic, as in TREC's ad hoc tracks."""

from __future__ import annotations

import numpy as np

from poolbench.cards import Card
from poolbench.judging.designs.allocation import (
    MAX_LISTED,
    Allocation,
    ImpossibleDesignError,
    Parameters,
    PlanDesign,
    Workload,
    unassigned_allocation,
)


def allocate_topic_owner(work: Workload, parameters: Parameters, seed: int) -> Allocation:  # noqa: ARG001
    """One slot per document. Raises ``ImpossibleDesignError`` for a topic with two assessors."""
    shared = [
        topic for topic, who in zip(work.topics, work.assessors, strict=True) if len(set(who)) > 1
    ]
    if shared:
        more = f" and {len(shared) - MAX_LISTED} more" if len(shared) > MAX_LISTED else ""
        raise ImpossibleDesignError(
            f"More than one assessor for {', '.join(shared[:MAX_LISTED])}{more}.",
            "Assign one assessor per topic, or choose overlap.",
        )
    return unassigned_allocation(np.ones(work.pairs, np.int64))


TOPIC_OWNER = PlanDesign(
    Card(
        name="topic-owner",
        title="One assessor per topic",
        formula="1 judgment per document; one assessor judges the whole topic",
        reading="One notion of relevance throughout a topic; agreement cannot be measured.",
        source="Practice of TREC's ad hoc tracks, see Voorhees 2000.",
        range="judgments: 1 per document",
        edge_cases=(
            "A topic has at most one assessor; a topic without assessors waits for assignment.",
        ),
        example="50 documents, 1 owner: 50 judgments.",
    ),
    (),
    lambda _: 1,
    allocate_topic_owner,
)
