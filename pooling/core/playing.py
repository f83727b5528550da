"""What adaptive methods share: runs as arms that are played, and what was seen of each."""

from __future__ import annotations

import numpy as np

from pooling.core.candidates import Candidates, Floats, Ints, Mask, significant
from pooling.core.method import EARLIER, Choice
from pooling.core.order import hash_order


class Counts:
    """By run: documents ``judged`` and ``relevant``. ``update`` is ``all`` (a judgment counts for
    every run that lists the document) or ``own`` (for the run that played it).
    """

    def __init__(self, candidates: Candidates, update: str) -> None:
        self.listed = candidates.rank_of > 0
        self.own = update == "own"
        self.judged = np.zeros(len(candidates.runs))
        self.relevant = np.zeros(len(candidates.runs))

    def runs_of(self, choice: Choice) -> Mask:
        """The runs that a judgment counts for; of earlier steps, all that list the document."""
        if not self.own or choice.run == EARLIER:
            return self.listed[:, choice.doc]
        played = np.zeros(len(self.listed), bool)
        played[choice.run] = True
        return played

    def add(self, choice: Choice, relevant: bool) -> None:
        runs = self.runs_of(choice)
        self.judged[runs] += 1
        self.relevant[runs] += relevant


def playable(candidates: Candidates, open: Mask) -> Mask:  # noqa: A002
    """The runs that list a document which is open."""
    found = np.zeros(len(candidates.runs), bool)
    found[candidates.run[open[candidates.doc]]] = True
    return found


def next_of(candidates: Candidates, run: int, open: Mask) -> int:  # noqa: A002
    """The best document of ``run`` that is open."""
    listed = candidates.list_of(run)
    return int(listed[np.argmax(open[listed])])


def tie_of_runs(candidates: Candidates) -> Ints:
    """The place of each run in seeded hash order, which decides between equal runs."""
    # A tag is no docno: the blank keeps the two apart.
    keys = [hash_order(candidates.seed, candidates.topic, f" {tag}") for tag in candidates.runs]
    places = np.empty(len(keys), np.int64)
    places[np.argsort(np.array(keys, np.int64), kind="stable")] = np.arange(len(keys))
    return places


def best(value: Floats, among: Mask, tie: Ints) -> int:
    """The place of the highest ``value`` marked ``among``; of equal ones the first by ``tie``."""
    rounded = np.where(among, significant(value), -np.inf)
    highest = np.flatnonzero(rounded == rounded.max())
    return int(highest[np.argmin(tie[highest])])


def chance(candidates: Candidates, step: int) -> np.random.Generator:
    """The source of chance of one step: the same for the same seed, topic and step."""
    return np.random.default_rng([hash_order(candidates.seed, candidates.topic, ""), step])
