"""From a listing and a spec to a pool."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from campaigns.core.tables import starts_of
from pooling.core.budget import split
from pooling.core.candidates import Floats, Ints, Listing, Mask
from pooling.core.session import Session, Step
from pooling.core.tables import PoolTable

Judge = Callable[[str, str], bool]
"""``(topic, docno)`` to whether it is relevant."""


@dataclass(frozen=True)
class Budget:
    """How many documents may be judged: of all topics together, of each, or as many as come."""

    total: int | None = None
    per_topic: int | None = None

    def of(self, listing: Listing) -> Sequence[int | None]:
        """The limit of each topic of ``listing``."""
        if self.total is None:
            return [self.per_topic] * len(listing)
        sizes = np.diff(listing.starts)
        return [int(size) for size in split(self.total, sizes, listing.topics, listing.seed)]


def sessions(listing: Listing, steps: Sequence[Step], budget: Budget = Budget()) -> list[Session]:
    """A session for each topic, with all given that needs no judgment."""
    started = []
    for candidates, limit in zip(listing, budget.of(listing), strict=True):
        session = Session(candidates, steps, limit)
        session.give_listed()
        started.append(session)
    return started


def simulated(session: Session, judge: Judge) -> Session:
    """``session`` to its end, each document judged at once by ``judge``."""
    topic, docnos = session.candidates.topic, session.candidates.docnos
    for given in session.given:
        session.judge(given.doc, judge(topic, docnos[given.doc]))
    while (choice := session.next()) is not None:
        session.give(choice)
        session.judge(choice.doc, judge(topic, docnos[choice.doc]))
    return session


def pool_of(found: Iterable[Session]) -> PoolTable:
    """The pool of what ``found`` has given so far; topics without a document are left out."""
    filled = [session for session in found if session.given]
    parts = [part_of(session) for session in filled]
    return PoolTable(
        runs=filled[0].candidates.runs if filled else (),
        topics=tuple(session.candidates.topic for session in filled),
        starts=starts_of([len(part.doc) for part in parts]),
        docnos=[docno for part in parts for docno in part.docnos],
        min_rank=joined([part.min_rank for part in parts], np.int32),
        bounds=starts_of(joined([part.brought for part in parts], np.int64)),
        contributors=joined([part.contributors for part in parts], np.int32),
        priority=joined([part.priority for part in parts], np.int32),
        stratum=joined([part.stratum for part in parts], np.int32),
        probability=joined([part.probability for part in parts], np.float64),
    )


@dataclass(frozen=True)
class Part:
    """The pooled documents of one topic, docno ascending; ``brought`` counts their runs."""

    doc: Ints
    docnos: list[str]
    min_rank: Ints
    brought: Ints
    contributors: Ints
    priority: Ints
    stratum: Ints
    probability: Floats


def part_of(session: Session) -> Part:
    candidates = session.candidates
    given = np.array([choice.doc for choice in session.given], np.int64)
    order = np.argsort(given)
    doc = given[order]
    place = np.full(len(candidates), -1)
    place[doc] = np.arange(len(doc))
    entry = np.flatnonzero((place[candidates.doc] >= 0) & within_reach(session))
    row, run = place[candidates.doc[entry]], candidates.run[entry]
    by_row = np.argsort(row, kind="stable")  # entries are by run already
    min_rank = np.full(len(doc), np.iinfo(np.int32).max)
    np.minimum.at(min_rank, row, candidates.rank[entry])
    stratum, probability = sampled(session)
    return Part(
        doc=doc,
        docnos=list(candidates.docnos.take(doc)),
        min_rank=min_rank,
        brought=np.bincount(row, minlength=len(doc)),
        contributors=run[by_row],
        priority=order + 1,
        stratum=stratum[doc],
        probability=probability[doc],
    )


def within_reach(session: Session) -> Mask:
    """The entries that some step of the spec looks at: they make a run a contributor."""
    candidates = session.candidates
    reach = np.zeros(len(candidates.runs), np.int64)
    for step in session.steps:
        if step.method.reach is None:
            return np.ones(len(candidates.rank), bool)
        reach = np.maximum(reach, step.method.reach(candidates, step.values))
    return candidates.rank <= reach[candidates.run]


def sampled(session: Session) -> tuple[Ints, Floats]:
    """Stratum and inclusion probability of every document of the topic."""
    stratum = np.zeros(len(session.candidates), np.int64)
    probability = np.ones(len(session.candidates))
    if session.sample is not None:
        stratum[session.sample.frame] = session.sample.stratum
        probability[session.sample.frame] = session.sample.probability
    return stratum, probability


def joined(parts: Sequence[NDArray[Any]], kind: type[Any]) -> NDArray[Any]:
    return np.concatenate([np.empty(0, kind), *parts]).astype(kind)
