"""Every document by n assessors, whoever of those assigned to the topic comes first."""

from __future__ import annotations

import numpy as np

from campaigns.core.cards import Card
from judging.core.designs.allocation import (
    PER_PAIR,
    Allocation,
    Parameters,
    PlanDesign,
    Workload,
    unassigned_allocation,
)


def allocate_overlap(work: Workload, parameters: Parameters, seed: int) -> Allocation:  # noqa: ARG001
    return unassigned_allocation(np.full(work.pairs, int(parameters["n"]), np.int64))


OVERLAP = PlanDesign(
    Card(
        name="overlap",
        title="Overlap n",
        formula="n judgments a document, by any n of the people assigned to its topic",
        reading="Nobody waits for an absent colleague: whoever asks next gets the next document.",
        source="Poolbench; the usual overlap of annotation tools, made exact by slots.",
        range="judgments: n a document",
        edge_cases=(
            "A topic with fewer than n people is refused; with nobody it waits.",
            "With exactly n people a topic everybody judges everything.",
            "With more than n, who shares how much with whom depends on who works when.",
        ),
        example="50 documents, n = 3: 150 judgments.",
    ),
    (PER_PAIR,),
    lambda parameters: int(parameters["n"]),
    allocate_overlap,
)
