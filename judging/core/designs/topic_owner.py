"""One assessor a topic, the habit of TREC's ad hoc tracks."""

from __future__ import annotations

import numpy as np

from campaigns.core.cards import Card
from judging.core.designs.allocation import (
    LISTED,
    Allocation,
    ImpossibleDesignError,
    Parameters,
    PlanDesign,
    Workload,
    unassigned_allocation,
)


def allocate_topic_owner(work: Workload, parameters: Parameters, seed: int) -> Allocation:  # noqa: ARG001
    """One judgment a document. Raises ``ImpossibleError`` for a topic with two people."""
    shared = [
        topic for topic, who in zip(work.topics, work.people, strict=True) if len(set(who)) > 1
    ]
    if shared:
        more = f" and {len(shared) - LISTED} more" if len(shared) > LISTED else ""
        raise ImpossibleDesignError(
            f"A topic has one owner; more people are named for {', '.join(shared[:LISTED])}{more}.",
            "Name one person a topic, or choose overlap.",
        )
    return unassigned_allocation(np.ones(work.pairs, np.int64))


TOPIC_OWNER = PlanDesign(
    Card(
        name="topic-owner",
        title="Topic-owner",
        formula="1 judgment a document, all of a topic by its one owner",
        reading="One idea of relevance holds throughout a topic; agreement cannot be told.",
        source="The habit of TREC's ad hoc tracks, see Voorhees 2000.",
        range="judgments: one a document",
        edge_cases=(
            "A topic with two people is refused; a topic with nobody waits until it is assigned.",
        ),
        example="50 documents, 1 owner: 50 judgments.",
    ),
    (),
    lambda _: 1,
    allocate_topic_owner,
)
