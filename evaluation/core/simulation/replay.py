"""One pool spec replayed with one seed: what would have been judged, in which order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from evaluation.core.judgments import Ints, Mask
from evaluation.core.simulation.finished_campaign import FinishedCampaign
from pooling.core.candidates import RunListing
from pooling.core.order import hash_order
from pooling.core.pool_builder import is_shared, simulate_sessions, start_sessions
from pooling.core.spec import PoolSpec

NEVER = np.iinfo(np.int64).max


@dataclass(frozen=True, eq=False)
class Replay:
    """The judgments of all topics, in order. Every topic advances alike: round by round the
    next document of each topic, topics of a round in seeded hash order; but where the topics have
    one queue, its order is kept.

    By judgment: ``topic``, a place in the topics of the qrels; ``row`` of the qrels, -1 for a
    hole, a document without a grade, which counts as not relevant; and ``relevant``.
    """

    topic: Ints
    row: Ints
    relevant: Mask

    def __len__(self) -> int:
        return len(self.row)

    def judged_at(self, pairs: int) -> Ints:
        """By row of the qrels, of which there are ``pairs``: after how many judgments it is
        judged, from 1; ``NEVER`` where it is not.
        """
        at = np.full(pairs, NEVER)
        graded = np.flatnonzero(self.row >= 0)
        at[self.row[graded]] = graded + 1
        return at

    def needed(self, wanted: int) -> int | None:
        """Judgments until ``wanted`` relevant documents are found; None if they never are."""
        found = np.flatnonzero(self.relevant)
        return int(found[wanted - 1]) + 1 if wanted <= len(found) else None

    def of_topic(self, topic: int) -> Replay:
        mine = self.topic == topic
        return Replay(self.topic[mine], self.row[mine], self.relevant[mine])


def replay_spec(spec: PoolSpec, listing: RunListing, finished: FinishedCampaign) -> Replay:
    """``spec`` with the seed of ``listing``, each document judged at once by the qrels."""
    rows = finished.rows_of(listing)
    log: list[str] = []

    def judge(topic: str, docno: str) -> bool:
        log.append(topic)
        return (topic, docno) in finished.relevant_pairs

    found = start_sessions(listing, spec.steps, spec.budget)
    begun = [len(session.selected) for session in found]
    simulate_sessions(found, judge, spec.budget)
    judged = [
        rows[start + np.array([choice.doc for choice in session.selected], np.int64)]
        for start, session in zip(listing.starts[:-1].tolist(), found, strict=True)
    ]
    rounds = [np.arange(len(each)) for each in judged]
    if is_shared(spec.steps, spec.budget):
        of = np.array(log)
        for topic, first, each in zip(listing.topics, begun, rounds, strict=True):
            # What was given before anything was judged comes first, and in rounds all the same.
            each[first:] = np.flatnonzero(of == topic)[first:]
    return order_replay(judged, rounds, listing, finished)


def order_replay(
    judged: Sequence[Ints], rounds: Sequence[Ints], listing: RunListing, finished: FinishedCampaign
) -> Replay:
    """``judged`` has the rows of each topic of ``listing``, ``rounds`` when they are judged."""
    of = np.repeat(np.arange(len(judged)), [len(rows) for rows in judged])
    turn = np.array([hash_order(listing.seed, topic, "") for topic in listing.topics], np.int64)
    order = np.lexsort((turn[of], np.concatenate(rounds)))
    row = np.concatenate(judged)[order]
    number = {topic: at for at, topic in enumerate(finished.qrels.topics)}
    place = np.array([number[topic] for topic in listing.topics], np.int64)
    relevant: Mask = (row >= 0) & finished.relevant[row]
    return Replay(place[of][order], row, relevant)
