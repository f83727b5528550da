"""Documents dealt out in turn, each slot to a named assessor."""

from __future__ import annotations

from collections import defaultdict

import numpy as np

from poolbench.cards import Card
from poolbench.judging.designs.allocation import (
    PER_PAIR,
    Allocation,
    Ints,
    Parameters,
    PlanDesign,
    Workload,
    block_allocation,
    require_assigned_people,
)


def allocate_round_robin(work: Workload, parameters: Parameters, seed: int) -> Allocation:  # noqa: ARG001
    """The next n assessors in turn for each document; topics with the same assessors form one
    deal.
    """
    n = int(parameters["n"])
    require_assigned_people(work, n)
    dealt: dict[tuple[int, ...], int] = defaultdict(int)
    blocks: list[Ints] = []
    for size, who in zip(work.sizes, work.assessors, strict=True):
        turn = dealt[who] + np.arange(size * n)
        dealt[who] = (dealt[who] + size * n) % len(who)
        blocks += list(np.array(who, np.int64)[turn % len(who)].reshape(size, n))
    return block_allocation(blocks)


ROUND_ROBIN = PlanDesign(
    Card(
        name="round-robin",
        title="Round-robin",
        formula="document i of a deal goes to assessors i·n, i·n + 1, …, i·n + n − 1, modulo "
        "the number of assessors",
        reading="Every assessor gets the same number of documents, known from the start.",
        source="Poolbench.",
        range="judgments: n per document; loads within a deal differ by at most 1",
        edge_cases=(
            "Topics with the same assessors form one deal; every topic needs an assessor.",
            "With n ≥ 2 some assessors share many documents, and others none.",
            "Use balanced blocks to compare every two assessors.",
            "Documents that an assessor does not judge wait, or are reassigned.",
        ),
        example="5 documents, 3 assessors, n = 1: 2, 2 and 1 judgments.",
    ),
    (PER_PAIR,),
    lambda parameters: int(parameters["n"]),
    allocate_round_robin,
    reserves=True,
)
