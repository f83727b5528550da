"""Balanced blocks: every two assessors share at least m documents, so that agreement can be
computed for each pair of assessors.
"""

from collections.abc import Iterator

import numpy as np

from poolbench.cards import Card
from poolbench.files.faults import format_count
from poolbench.judging.designs.allocation import (
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
)


def iter_block_orbits(assessors: int, n: int) -> Iterator[tuple[list[tuple[int, ...]], int]]:
    """Endless orbits of blocks, each with the number of blocks that every two assessors share
    so far.

    The assessors are placed on a circle. A block of n of them, rotated by 0, 1, 2, …, gives an
    orbit: every assessor is in the same number of its blocks, and any two share as many blocks
    as any other two at the same distance. The next block is built greedily from the assessors
    that add most of the least covered distances.
    """
    met = np.zeros(assessors, np.int64)
    while True:
        block = [0]
        while len(block) < n:
            block.append(_choose_next_assessor(block, met, assessors))
        orbit = sorted(
            {tuple(sorted((p + turn) % assessors for p in block)) for turn in range(assessors)}
        )
        for blocked in orbit:
            if 0 in blocked:
                met[[p for p in blocked if p]] += 1
        yield orbit, int(met[1:].min())


def _choose_next_assessor(block: list[int], met: Ints, assessors: int) -> int:
    """The assessor to add: most distances at the minimum, then least covered, then first."""
    fewest = met[1:].min()
    within = {_circle_distance(a, b, assessors) for a in block for b in block}
    ranked = []
    for person in range(assessors):
        if person not in block:
            distances = [_circle_distance(person, other, assessors) for other in block]
            new_distances = {d for d in distances if met[d] == fewest} - within
            ranked.append((-len(new_distances), int(sum(met[d] for d in distances)), person))
    return min(ranked)[2]


def _circle_distance(first: int, second: int, assessors: int) -> int:
    return min((first - second) % assessors, (second - first) % assessors)


def build_blocks(assessors: int, n: int, shared: int, room: int) -> list[tuple[int, ...]]:
    """Blocks in which every two of the ``assessors`` share at least ``shared`` documents.

    Raises ``ImpossibleDesignError`` for more than ``room`` blocks, with what would fit.
    """
    blocks: list[tuple[int, ...]] = []
    fits = reached = 0
    source = iter_block_orbits(assessors, n)
    while reached < shared:
        orbit, reached = next(source)
        blocks += orbit
        if len(blocks) <= room:
            fits = reached
    if len(blocks) > room:
        most = f"Set at most {fits} shared documents" if fits else "Assign fewer assessors"
        raise ImpossibleDesignError(
            f"For every two of {assessors} assessors to share {format_count(shared, 'document')}, "
            f"{len(blocks):,} documents need {n} judgments each; the pool has {room:,}.",
            f"{most}, or freeze a larger pool.",
        )
    return blocks


def iter_top_up_blocks(
    blocks: list[tuple[int, ...]], assessors: int, n: int, count: int
) -> Iterator[Ints]:
    """``count`` further blocks of n: the least loaded assessors, ties to those who share least.

    Choosing the least loaded keeps all loads within 1 of each other, if they were before.
    """
    load, met = np.zeros(assessors, np.int64), np.zeros((assessors, assessors), np.int64)
    for block in blocks:
        load[list(block)] += 1
        met[np.ix_(block, block)] += 1
    heavy = len(blocks) * 2 + count * 2 + 1
    for _ in range(count):
        key = load * heavy
        chosen: list[int] = []
        for _ in range(n):
            person = int(key.argmin())
            chosen.append(person)
            key += met[person]
            key[person] = np.iinfo(np.int64).max // 2
        load[chosen] += 1
        met[np.ix_(chosen, chosen)] += 1
        yield np.array(chosen, np.int64)


def allocate_blocks(work: Workload, parameters: Parameters, seed: int) -> Allocation:
    n, shared, rest = (int(parameters[name]) for name in ("n", "shared", "rest"))
    people = shared_assessors(work, n)
    if rest > n:
        raise ImpossibleDesignError(
            f"{rest} judgments for the other documents exceed the {n} for documents in blocks.",
            f"Set at most {n} judgments for the other documents.",
        )
    rng = np.random.default_rng(seed)
    blocks = build_blocks(len(people), n, shared, work.pairs)
    drawn = draw_within_topics(work, len(blocks), rng)
    # In random order, so that two assessors share documents of many topics.
    in_blocks = [np.array(blocks[i], np.int64) for i in rng.permutation(len(blocks))]
    others = iter(list(iter_top_up_blocks(blocks, len(people), rest, work.pairs - len(blocks))))
    first = iter(in_blocks)
    chosen = [people[next(first) if block else next(others)] for block in drawn]
    return block_allocation(chosen)


def shared_assessors(work: Workload, n: int) -> Ints:
    require_assigned_people(work, n)
    if len({frozenset(who) for who in work.assessors}) > 1:
        raise ImpossibleDesignError(
            "Balanced blocks need the same assessors on every topic.",
            "Assign all assessors to all topics, or choose overlap.",
        )
    return np.array(work.assessors[0] if work.assessors else (), np.int64)


BLOCKS = PlanDesign(
    Card(
        name="blocks",
        title="Balanced blocks",
        formula="blocks of n assessors from cyclic orbits {b + t mod P}, t = 0 … P − 1, until "
        "every two of the P assessors share m documents; r judgments for each other document",
        reading="Every two assessors can be compared, with the fewest judgments.",
        source="Cyclic designs after Bose 1939 and John and Williams 1995; base blocks chosen "
        "greedily.",
        range="documents in blocks: m · P · (P − 1) / 2 for n = 2, which is minimal; for n > 2 "
        "at least m · P · (P − 1) / (n · (n − 1)); loads differ by at most 1",
        edge_cases=(
            "Documents in blocks are drawn with the plan's seed, proportionally from each topic.",
            "Other documents go to the least loaded assessors, ties to those who share least.",
            "Requires the same assessors on every topic.",
            "Rejected if the pool is too small; the message gives the largest possible m.",
        ),
        example="P = 8, n = 2, m = 10, N = 1,000: 280 documents twice, 720 once, 1,280 judgments, "
        "160 each. P = 7, n = 3, m = 1: the 7 blocks of the Fano plane.",
    ),
    (
        DesignParameter(
            "n", "Judgments per document", "Number of assessors who judge a document.", 2, 20, 2
        ),
        DesignParameter(
            "shared", "Shared documents", "Documents shared by every two assessors.", 1, 10_000, 10
        ),
        DesignParameter(
            "rest", "Judgments outside blocks", "Per document that is not in a block.", 1, 20, 1
        ),
    ),
    allocate_blocks,
    reserves=True,
)
