"""The designs by name; balanced blocks have a module of their own."""

from collections import defaultdict

import numpy as np

from poolbench.cards import Card
from poolbench.files.faults import list_names
from poolbench.judging.designs.allocation import (
    MAX_LISTED,
    PER_PAIR,
    Allocation,
    DesignParameter,
    ImpossibleDesignError,
    Ints,
    Parameters,
    PlanDesign,
    Workload,
    block_allocation,
    draw_within_topics,
    require_assigned_people,
    unassigned_allocation,
)
from poolbench.judging.designs.blocks import BLOCKS


def allocate_topic_owner(work: Workload, parameters: Parameters, seed: int) -> Allocation:  # noqa: ARG001
    """One slot per document. Raises ``ImpossibleDesignError`` for a topic with two assessors."""
    shared = [
        topic for topic, who in zip(work.topics, work.assessors, strict=True) if len(set(who)) > 1
    ]
    if shared:
        raise ImpossibleDesignError(
            f"More than one assessor for {list_names(shared, MAX_LISTED)}.",
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
    allocate_topic_owner,
    max_judgments=lambda _: 1,
)


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
    lambda work, parameters, _: unassigned_allocation(
        np.full(work.pairs, int(parameters["n"]), np.int64)
    ),
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
    allocate_share,
    max_judgments=lambda parameters: int(parameters["n"]) if parameters["share"] else 1,
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
    allocate_round_robin,
    reserves=True,
)


DESIGNS: dict[str, PlanDesign] = {
    design.name: design for design in (TOPIC_OWNER, OVERLAP, SHARE, ROUND_ROBIN, BLOCKS)
}
