"""Build a pool from a run listing and a spec."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from campaigns.core.tables import group_starts
from pooling.core.budget import split_budget
from pooling.core.candidates import Floats, Ints, Mask, RunListing
from pooling.core.method import NextDocument
from pooling.core.order import hash_order
from pooling.core.players import run_hash
from pooling.core.session import PoolSession, PoolStep
from pooling.core.tables import PoolTable

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
    and has no limit of its own afterwards: ``choose_next_in_any_topic`` enforces the total.
    """
    started = []
    for candidates, limit in zip(listing, budget.topic_limits(listing), strict=True):
        session = PoolSession(candidates, steps, limit)
        session.select_static()
        if is_shared(steps, budget):
            session.budget = len(candidates)
        started.append(session)
    return started


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


def choose_next_in_any_topic(
    sessions: Sequence[PoolSession], total: int
) -> tuple[PoolSession, NextDocument] | None:
    """The next document of all topics; None once ``total`` documents, or all, are selected."""
    if sum(len(session.selected) for session in sessions) >= total:
        return None
    pending = [(session, choice) for session in sessions if (choice := session.next())]
    return min(pending, key=lambda pair: topic_priority(*pair), default=None)


def simulate_sessions(
    sessions: Sequence[PoolSession], judge: Judge, budget: PoolBudget = PoolBudget()
) -> Sequence[PoolSession]:
    """Run all sessions of a campaign to their end, judging each document at once by ``judge``."""
    if budget.total is None or not any(is_shared(session.steps, budget) for session in sessions):
        return [simulate_session(session, judge) for session in sessions]
    # A judgment affects its own topic only, so the heap equals ``choose_next_in_any_topic``.
    queue: list[tuple[Place, int, NextDocument]] = []
    waiting = list(range(len(sessions)))
    for session in sessions:
        judge_selected(session, judge)
    for _ in range(budget.total - sum(len(session.selected) for session in sessions)):
        for at in waiting:
            if (choice := sessions[at].next()) is not None:
                heapq.heappush(queue, (topic_priority(sessions[at], choice), at, choice))
        if not queue:
            break
        _, at, choice = heapq.heappop(queue)
        select_and_judge(sessions[at], choice, judge)
        waiting = [at]
    return sessions


def simulate_session(session: PoolSession, judge: Judge) -> PoolSession:
    """Run a ``session`` to its end within its own budget."""
    judge_selected(session, judge)
    while (choice := session.next()) is not None:
        select_and_judge(session, choice, judge)
    return session


def judge_selected(session: PoolSession, judge: Judge) -> None:
    for choice in session.selected:
        session.judge(choice.doc, judge(session.candidates.topic, session_docno(session, choice)))


def select_and_judge(session: PoolSession, choice: NextDocument, judge: Judge) -> None:
    session.select(choice)
    session.judge(choice.doc, judge(session.candidates.topic, session_docno(session, choice)))


def session_docno(session: PoolSession, choice: NextDocument) -> str:
    return session.candidates.docnos[choice.doc]


def build_pool_table(sessions: Iterable[PoolSession]) -> PoolTable:
    """The pool of the documents selected so far; topics without any are omitted."""
    filled = [session for session in sessions if session.selected]
    parts = [topic_part(session) for session in filled]
    return PoolTable(
        runs=filled[0].candidates.runs if filled else (),
        topics=tuple(session.candidates.topic for session in filled),
        starts=group_starts([len(part.doc) for part in parts]),
        docnos=[docno for part in parts for docno in part.docnos],
        min_rank=join_columns([part.min_rank for part in parts], np.int32),
        bounds=group_starts(join_columns([part.contributor_counts for part in parts], np.int64)),
        contributors=join_columns([part.contributors for part in parts], np.int32),
        priority=join_columns([part.priority for part in parts], np.int32),
        stratum=join_columns([part.stratum for part in parts], np.int32),
        probability=join_columns([part.probability for part in parts], np.float64),
    )


@dataclass(frozen=True)
class TopicPart:
    """The pooled documents of one topic, docno ascending; ``contributor_counts``: their runs."""

    doc: Ints
    docnos: list[str]
    min_rank: Ints
    contributor_counts: Ints
    contributors: Ints
    priority: Ints
    stratum: Ints
    probability: Floats


def topic_part(session: PoolSession) -> TopicPart:
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
    return TopicPart(
        doc=doc,
        docnos=list(candidates.docnos.take(doc)),
        min_rank=min_rank,
        contributor_counts=np.bincount(row, minlength=len(doc)),
        contributors=run[by_row],
        priority=order + 1,
        stratum=stratum[doc],
        probability=probability[doc],
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
    return np.concatenate([np.empty(0, kind), *parts]).astype(kind)
