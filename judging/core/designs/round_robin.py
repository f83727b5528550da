"""Documents dealt out in turn, each judgment for a named person."""

from __future__ import annotations

from collections import defaultdict

import numpy as np

from campaigns.core.cards import Card
from judging.core.designs.allocation import (
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
    """The next n people in turn for each document; topics of the same people are one deal."""
    n = int(parameters["n"])
    require_assigned_people(work, n)
    dealt: dict[tuple[int, ...], int] = defaultdict(int)
    blocks: list[Ints] = []
    for size, who in zip(work.sizes, work.people, strict=True):
        turn = dealt[who] + np.arange(size * n)
        dealt[who] = (dealt[who] + size * n) % len(who)
        blocks += list(np.array(who, np.int64)[turn % len(who)].reshape(size, n))
    return block_allocation(blocks)


ROUND_ROBIN = PlanDesign(
    Card(
        name="round-robin",
        title="Round-robin",
        formula="document i of a deal goes to the people i·n, i·n + 1, …, i·n + n − 1, counted "
        "modulo their number",
        reading="Everybody gets the same number of documents, known from the start.",
        source="Poolbench.",
        range="judgments: n a document; loads of the people of a deal differ by 1 at most",
        edge_cases=(
            "Topics with the same people are one deal; a topic with nobody is refused.",
            "With n ≥ 2 the same people meet again and again, and others never.",
            "Where everybody is to meet everybody, take balanced blocks.",
            "A share that somebody does not do waits for them, or is reassigned.",
        ),
        example="5 documents, 3 people, n = 1: 2, 2 and 1 judgments.",
    ),
    (PER_PAIR,),
    lambda parameters: int(parameters["n"]),
    allocate_round_robin,
    reserves=True,
)
