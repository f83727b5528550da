"""Every document by n assessors, first come first served among those assigned."""

from __future__ import annotations

import numpy as np

from poolbench.cards import Card
from poolbench.judging.designs.allocation import (
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
        title="n judgments per document",
        formula="n judgments per document, by any n of the assessors assigned to its topic",
        reading="Assessors take the next document as they come; none waits for another.",
        source="Poolbench; the usual overlap of annotation tools, made exact by slots.",
        range="judgments: n per document",
        edge_cases=(
            "A topic needs at least n assessors; a topic without assessors waits for assignment.",
            "With exactly n assessors per topic, each judges every document.",
            "With more than n, the shared documents depend on who works when.",
        ),
        example="50 documents, n = 3: 150 judgments.",
    ),
    (PER_PAIR,),
    lambda parameters: int(parameters["n"]),
    allocate_overlap,
)
