"""One pool spec replayed with one seed: the judgments in order."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from poolbench.evaluation.judgments import Ints, Mask
from poolbench.pooling.candidates import RunListing
from poolbench.pooling.pool_builder import is_shared, simulate_sessions, start_sessions
from poolbench.pooling.spec import PoolSpec
from poolbench.reliability.simulation.finished_campaign import FinishedCampaign
from poolbench.runs.hash_order import hash_order

NEVER = np.iinfo(np.int64).max


@dataclass(frozen=True, eq=False)
class Replay:
    """The judgments of all topics, in order: in rounds of one document per topic, topics of a
    round in seeded hash order; one queue over all topics keeps its own order.

    By judgment: ``topic``, an index of the topics of the qrels; ``row`` of the qrels, -1 for a
    hole, a document without a grade, which counts as non-relevant; and ``relevant``.
    """

    topic: Ints
    row: Ints
    relevant: Mask

    def __len__(self) -> int:
        return len(self.row)

    def judged_at(self, pairs: int) -> Ints:
        """By row of the qrels, of which there are ``pairs``: the number of its judgment, from 1,
        or ``NEVER``.
        """
        at = np.full(pairs, NEVER)
        graded = np.flatnonzero(self.row >= 0)
        at[self.row[graded]] = graded + 1
        return at

    def judgments_needed(self, count: int) -> int | None:
        """Judgments until ``count`` relevant documents are found; None if never."""
        ranks = np.flatnonzero(self.relevant)
        return int(ranks[count - 1]) + 1 if count <= len(ranks) else None

    def for_topic(self, topic: int) -> "Replay":
        mine = self.topic == topic
        return Replay(self.topic[mine], self.row[mine], self.relevant[mine])


def replay_spec(spec: PoolSpec, listing: RunListing, finished: FinishedCampaign) -> Replay:
    """``spec`` with the seed of ``listing``; the qrels judge each document immediately."""
    rows = finished.find_qrels_rows(listing)
    log: list[str] = []

    def judge(topic: str, docno: str) -> bool:
        log.append(topic)
        return (topic, docno) in finished.relevant_pairs

    sessions = start_sessions(listing, spec.steps, spec.budget)
    initial = [len(session.selected) for session in sessions]
    simulate_sessions(sessions, judge, spec.budget)
    judged = [
        rows[start + np.array([choice.doc for choice in session.selected], np.int64)]
        for start, session in zip(listing.starts[:-1].tolist(), sessions, strict=True)
    ]
    rounds = [np.arange(len(each)) for each in judged]
    if is_shared(spec.steps, spec.budget):
        topics = np.array(log)
        for topic, first, each in zip(listing.topics, initial, rounds, strict=True):
            # Documents selected before the first judgment come first, in rounds.
            each[first:] = np.flatnonzero(topics == topic)[first:]
    return order_replay(judged, rounds, listing, finished)


def order_replay(
    judged: Sequence[Ints], rounds: Sequence[Ints], listing: RunListing, finished: FinishedCampaign
) -> Replay:
    """``judged`` has the qrels rows of each topic of ``listing``, ``rounds`` their rounds."""
    topic_places = np.repeat(np.arange(len(judged)), [len(rows) for rows in judged])
    turn = np.array([hash_order(listing.seed, topic, "") for topic in listing.topics], np.int64)
    order = np.lexsort((turn[topic_places], np.concatenate(rounds)))
    row = np.concatenate(judged)[order]
    number = {topic: at for at, topic in enumerate(finished.qrels.topics)}
    place = np.array([number[topic] for topic in listing.topics], np.int64)
    relevant: Mask = (row >= 0) & finished.relevant[row]
    return Replay(place[topic_places][order], row, relevant)
