"""A share of the documents judged by n assessors, the others by one."""

from __future__ import annotations

import numpy as np

from poolbench.cards import Card
from poolbench.judging.designs.allocation import (
    PER_PAIR,
    Allocation,
    DesignParameter,
    Parameters,
    PlanDesign,
    Workload,
    draw_within_topics,
    unassigned_allocation,
)


def allocate_share(work: Workload, parameters: Parameters, seed: int) -> Allocation:
    # Round half up: round() would round half to even.
    target = int(np.floor(parameters["share"] * work.pairs + 0.5))
    drawn = draw_within_topics(work, target, np.random.default_rng(seed))
    return unassigned_allocation(np.where(drawn, int(parameters["n"]), 1).astype(np.int64))


SHARE = PlanDesign(
    Card(
        name="share",
        title="Partial overlap",
        formula="n judgments for ⌊s · N + ½⌋ of the N documents, 1 for the others; drawn with the "
        "plan's seed, from each topic its share to within 1",
        reading="Agreement is measured on a sample of the pool, for little more than judging it "
        "once.",
        source="Poolbench.",
        range="judgments: N + ⌊s · N + ½⌋ · (n − 1)",
        edge_cases=(
            "s = 0 is overlap 1, s = 1 is overlap n.",
            "The same seed draws the same documents; assessors do not see which.",
        ),
        example="N = 50, s = 0.2, n = 3: 10 documents three times, 40 once, 70 judgments.",
    ),
    (
        PER_PAIR,
        DesignParameter(
            "share",
            "Share judged n times",
            "Share of documents with n judgments, from 0 to 1; the others get one.",
            0,
            1,
            0.2,
            is_integer=False,
        ),
    ),
    lambda parameters: int(parameters["n"]) if parameters["share"] else 1,
    allocate_share,
)
