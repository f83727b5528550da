"""Balanced blocks: every two assessors share at least m documents, so that each cell of the
agreement table can be told.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from campaigns.core.cards import Card
from judging.core.designs.allocation import (
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


def iter_block_orbits(crew: int, n: int) -> Iterator[tuple[list[tuple[int, ...]], int]]:
    """Orbits of blocks without end, each with how many blocks every two people share by then.

    The people stand in a circle. A block of n of them, turned by 0, 1, 2, … places, gives an
    orbit: everybody is in equally many of its blocks, and two people share as many as any
    other two at the same distance. The next block is put together one by one from whoever
    adds most distances that have been met least.
    """
    met = np.zeros(crew, np.int64)
    while True:
        block = [0]
        while len(block) < n:
            block.append(_next_of(block, met, crew))
        orbit = sorted({tuple(sorted((p + turn) % crew for p in block)) for turn in range(crew)})
        for blocked in orbit:
            if 0 in blocked:
                met[[p for p in blocked if p]] += 1
        yield orbit, int(met[1:].min())


def _next_of(block: list[int], met: Ints, crew: int) -> int:
    """Who joins ``block``: the most distances at the minimum, then the least met, then first."""
    least = met[1:].min()
    within = {_apart(a, b, crew) for a in block for b in block}
    ranked = []
    for person in range(crew):
        if person not in block:
            distances = [_apart(person, other, crew) for other in block]
            fresh = {d for d in distances if met[d] == least} - within
            ranked.append((-len(fresh), int(sum(met[d] for d in distances)), person))
    return min(ranked)[2]


def _apart(first: int, second: int, crew: int) -> int:
    """The distance of two people in the circle."""
    return min((first - second) % crew, (second - first) % crew)


def build_blocks(crew: int, n: int, shared: int, room: int) -> list[tuple[int, ...]]:
    """Blocks in which every two of ``crew`` people share ``shared`` documents or more.

    Raises ``ImpossibleError`` if they are more than ``room``, telling what would fit.
    """
    blocks: list[tuple[int, ...]] = []
    fits = reached = 0
    source = iter_block_orbits(crew, n)
    while reached < shared:
        orbit, reached = next(source)
        blocks += orbit
        if len(blocks) <= room:
            fits = reached
    if len(blocks) > room:
        most = f"Ask for {fits} at most" if fits else "Ask for fewer people"
        raise ImpossibleDesignError(
            f"For every two of {crew} assessors to share {shared} documents, {len(blocks):,} "
            f"documents must be judged by {n} each; there are {room:,}.",
            f"{most}, or take a larger pool.",
        )
    return blocks


def iter_top_up_blocks(
    blocks: list[tuple[int, ...]], crew: int, n: int, count: int
) -> Iterator[Ints]:
    """``count`` blocks of n more: of the least loaded, those who share least so far.

    Taking the least loaded keeps all loads within 1, if they were so before.
    """
    load, met = np.zeros(crew, np.int64), np.zeros((crew, crew), np.int64)
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
            f"The other documents would get {rest} judgments, those of the blocks {n}.",
            f"Give the others {n} at most.",
        )
    rng = np.random.default_rng(seed)
    blocks = build_blocks(len(people), n, shared, work.pairs)
    drawn = draw_within_topics(work, len(blocks), rng)
    # At random, so that what two people share lies in many topics.
    in_blocks = [np.array(blocks[i], np.int64) for i in rng.permutation(len(blocks))]
    others = iter(list(iter_top_up_blocks(blocks, len(people), rest, work.pairs - len(blocks))))
    first = iter(in_blocks)
    chosen = [people[next(first) if block else next(others)] for block in drawn]
    return block_allocation(chosen)


def shared_assessors(work: Workload, n: int) -> Ints:
    require_assigned_people(work, n)
    if len({frozenset(who) for who in work.people}) > 1:
        raise ImpossibleDesignError(
            "Balanced blocks mix the same people in every topic.",
            "Assign everyone to every topic, or choose overlap and give topics to pairs.",
        )
    return np.array(work.people[0] if work.people else (), np.int64)


def documents_needed(crew: int, n: int, shared: int) -> int:
    """How many documents the blocks take; no design does with fewer than
    shared · crew · (crew − 1) / (n · (n − 1)).
    """
    count = 0
    for orbit, reached in iter_block_orbits(crew, n):
        count += len(orbit)
        if reached >= shared:
            break
    return count


BLOCKS = PlanDesign(
    Card(
        name="blocks",
        title="Balanced blocks",
        formula="blocks of n people from cyclic orbits {b + t mod P}, t = 0 … P − 1, until every "
        "two of the P people share m documents; r judgments for each of the other documents",
        reading="Every pair of assessors can be compared, for the least judging.",
        source="Cyclic designs after Bose 1939 and John and Williams 1995; base blocks chosen "
        "greedily.",
        range="documents in blocks: m · P · (P − 1) / 2 for n = 2, the least there is; for n > 2 "
        "at least m · P · (P − 1) / (n · (n − 1)); loads of all differ by 1 at most",
        edge_cases=(
            "The documents of the blocks are drawn by the plan's seed, from each topic its part.",
            "The others go to the least loaded, among them to those who share least.",
            "The people are the same in every topic; otherwise the plan is refused.",
            "A pool that is too small is refused with the largest m that fits.",
        ),
        example="P = 8, n = 2, m = 10, N = 1,000: 280 documents twice, 720 once, 1,280 judgments, "
        "160 each. P = 7, n = 3, m = 1: the 7 blocks of the Fano plane.",
    ),
    (
        DesignParameter(
            "n", "Judgments a document", "How many assessors judge a document.", 2, 20, 2
        ),
        DesignParameter(
            "shared", "Shared by every two", "Documents that every two share.", 1, 10_000, 10
        ),
        DesignParameter(
            "rest", "Judgments for the rest", "For documents outside of blocks.", 1, 20, 1
        ),
    ),
    lambda parameters: int(parameters["n"]),
    allocate_blocks,
    reserves=True,
)
