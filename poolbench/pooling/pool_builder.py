"""Build a pool from a run listing and a spec; a budget split over topics adds up exactly."""

import heapq
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from poolbench.pooling.candidates import Floats, Ints, Mask, RunListing
from poolbench.pooling.method import DocumentSample, NextDocument
from poolbench.pooling.players import run_hash
from poolbench.pooling.run_listing import pack_docnos
from poolbench.pooling.session import PoolSession, PoolStep
from poolbench.pooling.tables import PoolTable
from poolbench.runs.hash_order import hash_order
from poolbench.runs.tables import group_starts


def split_budget(total: int, available: ArrayLike, topics: Sequence[str], seed: int) -> Ints:
    """How many of ``total`` judgments each topic gets; ``available`` counts its documents.

    All topics get the same number, at most what they have. What cannot be divided evenly goes
    one by one to topics with documents left, in seeded hash order. The sum is the smaller of
    ``total`` and the number of documents. Raises ``ValueError`` for a negative total. After the
    split of Lipani et al. 2017, which instead reduces the smallest topics to match the total.
    """
    if total < 0:
        raise ValueError("the budget must be 0 or more")
    room = np.asarray(available, np.int64)
    level = equal_share(total, room)
    shares = np.minimum(room, level)
    rest = min(total, int(room.sum())) - int(shares.sum())
    wanting = np.flatnonzero(room > level).tolist()
    shares[sorted(wanting, key=lambda at: hash_order(seed, topics[at], ""))[:rest]] += 1
    return shares


def equal_share(total: int, room: Ints) -> int:
    """The largest share per topic within ``total``, where smaller topics get all they have."""
    low, high = 0, int(room.max(initial=0))
    while low < high:
        middle = (low + high + 1) // 2
        if int(np.minimum(room, middle).sum()) <= total:
            low = middle
        else:
            high = middle - 1
    return low


COLUMNS = {
    "min_rank": np.int32, "contributors": np.int32, "priority": np.int32, "stratum": np.int32,
    "probability": np.float64,
}  # fmt: skip
Judge = Callable[[str, str], bool]
"""``(topic, docno)`` to whether the document is relevant."""


@dataclass(frozen=True)
class PoolBudget:
    """How many documents may be judged: in total, per topic, or without a limit."""

    total: int | None = None
    per_topic: int | None = None

    def topic_limits(self, listing: RunListing) -> Sequence[int | None]:
        """The limit of each topic of ``listing``; None: no limit."""
        if self.total is None:
            return [self.per_topic] * len(listing)
        sizes = np.diff(listing.starts)
        return [int(size) for size in split_budget(self.total, sizes, listing.topics, listing.seed)]


def start_sessions(
    listing: RunListing, steps: Sequence[PoolStep], budget: PoolBudget = PoolBudget()
) -> list[PoolSession]:
    """A session per topic, with everything selected that needs no judgments.

    With a global step and a total budget, each topic keeps to its share of the budget up to here
    and has no limit of its own afterwards: ``simulate_sessions`` enforces the total.
    """
    started, samples = [], draw_samples(listing, steps)
    for candidates, limit, sample in zip(
        listing, budget.topic_limits(listing), samples, strict=True
    ):
        session = PoolSession(candidates, steps, limit, sample)
        session.select_static()
        if is_shared(steps, budget):
            session.budget = len(candidates)
        started.append(session)
    return started


def draw_samples(listing: RunListing, steps: Sequence[PoolStep]) -> Sequence[DocumentSample | None]:
    """By topic, what a step draws from all topics at once; None without such a step."""
    drawing = [step for step in steps if step.method.draw is not None]
    if not drawing or drawing[0].method.draw is None:
        return [None] * len(listing)
    return drawing[0].method.draw(listing, drawing[0].values)


def is_shared(steps: Iterable[PoolStep], budget: PoolBudget) -> bool:
    """Whether the topics share one budget instead of having one each."""
    return budget.total is not None and any(step.is_global for step in steps)


Place = tuple[int, float, int]


def topic_priority(session: PoolSession, choice: NextDocument) -> Place:
    """The place of a topic, whose next document is ``choice``, in the queue of all topics: first
    those whose step does not compare topics, evenly, then by urgency; ties by seeded hash.
    """
    urgency = session.urgency()
    if urgency is not None:
        return 1, -urgency, run_hash(session.candidates, choice.run)
    of_topic = hash_order(session.candidates.seed, session.candidates.topic, "")
    return 0, len(session.selected), of_topic


def simulate_sessions(
    sessions: Sequence[PoolSession], judge: Judge, budget: PoolBudget = PoolBudget()
) -> Sequence[PoolSession]:
    """Run all sessions of a campaign to their end, judging each document at once by ``judge``."""
    if budget.total is None or not any(is_shared(session.steps, budget) for session in sessions):
        return [simulate_session(session, judge) for session in sessions]
    # A judgment affects its own topic only: the places of all others in the heap stay true.
    queue: list[tuple[Place, int, NextDocument]] = []
    waiting = list(range(len(sessions)))
    for session in sessions:
        judge_choices(session, session.selected, judge)
    for _ in range(budget.total - sum(len(session.selected) for session in sessions)):
        for at in waiting:
            if (choice := sessions[at].next()) is not None:
                heapq.heappush(queue, (topic_priority(sessions[at], choice), at, choice))
        if not queue:
            break
        _, at, choice = heapq.heappop(queue)
        sessions[at].select(choice)
        judge_choices(sessions[at], [choice], judge)
        waiting = [at]
    return sessions


def simulate_session(session: PoolSession, judge: Judge) -> PoolSession:
    """Run a ``session`` to its end within its own budget."""
    judge_choices(session, session.selected, judge)
    while (choice := session.next()) is not None:
        session.select(choice)
        judge_choices(session, [choice], judge)
    return session


def judge_choices(session: PoolSession, choices: Iterable[NextDocument], judge: Judge) -> None:
    candidates = session.candidates
    for choice in choices:
        session.judge(choice.doc, judge(candidates.topic, candidates.docnos[choice.doc]))


def build_pool_table(sessions: Iterable[PoolSession]) -> PoolTable:
    """The pool of the documents selected so far; topics without any are omitted. No session is
    kept, so that they may be made one after the other.
    """
    return join_pool_tables(build_topic_table(session) for session in sessions if session.selected)


def build_topic_table(session: PoolSession) -> PoolTable:
    """The pooled documents of one topic."""
    candidates = session.candidates
    selected = np.array([choice.doc for choice in session.selected], np.int64)
    order = np.argsort(selected)
    doc = selected[order]
    place = np.full(len(candidates), -1)
    place[doc] = np.arange(len(doc))
    entry = np.flatnonzero((place[candidates.doc] >= 0) & reachable_entries(session))
    row, run = place[candidates.doc[entry]], candidates.run[entry]
    by_row = np.argsort(row, kind="stable")  # entries are by run already
    min_rank = np.full(len(doc), np.iinfo(np.int32).max)
    np.minimum.at(min_rank, row, candidates.rank[entry])
    stratum, probability = sample_columns(session)
    return PoolTable(
        runs=candidates.runs,
        topics=(candidates.topic,),
        starts=group_starts([len(doc)]),
        docnos=pack_docnos([candidates.docnos.take(doc)]),
        min_rank=min_rank.astype(np.int32),
        bounds=group_starts(np.bincount(row, minlength=len(doc))),
        contributors=run[by_row].astype(np.int32),
        priority=(order + 1).astype(np.int32),
        stratum=stratum[doc].astype(np.int32),
        probability=probability[doc],
    )


def join_pool_tables(parts: Iterable[PoolTable]) -> PoolTable:
    """One table of ``parts``, which have some of its topics each, in their order."""
    tables = list(parts)
    runs, topics = tables[-1].runs if tables else (), [table.topics for table in tables]
    starts, bounds = ([np.diff(getattr(t, name)) for t in tables] for name in ("starts", "bounds"))
    docnos = [table.docnos for table in tables]
    columns = {name: [getattr(table, name) for table in tables] for name in COLUMNS}
    del tables  # so that the parts of a column are gone as soon as it is put together
    return PoolTable(
        runs=runs,
        topics=tuple(chain.from_iterable(topics)),
        starts=group_starts(join_columns(starts, np.int64)),
        docnos=pack_docnos(docnos),
        bounds=group_starts(join_columns(bounds, np.int64)),
        **{name: join_columns(columns.pop(name), kind) for name, kind in COLUMNS.items()},
    )


def reachable_entries(session: PoolSession) -> Mask:
    """The entries within reach of any step of the spec: they make a run a contributor."""
    candidates = session.candidates
    reach = np.zeros(len(candidates.runs), np.int64)
    for step in session.steps:
        if step.method.reach is None:
            return np.ones(len(candidates.rank), bool)
        reach = np.maximum(reach, step.method.reach(candidates, step.values))
    return candidates.rank <= reach[candidates.run]


def sample_columns(session: PoolSession) -> tuple[Ints, Floats]:
    """Stratum and inclusion probability of every document of the topic."""
    stratum = np.zeros(len(session.candidates), np.int64)
    probability = np.ones(len(session.candidates))
    if session.sample is not None:
        stratum[session.sample.frame] = session.sample.stratum
        probability[session.sample.frame] = session.sample.probability
    return stratum, probability


def join_columns(parts: Sequence[NDArray[Any]], kind: type[Any]) -> NDArray[Any]:
    return np.concatenate([np.empty(0, kind), *parts]).astype(kind, copy=False)
