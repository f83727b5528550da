"""What adaptive methods share: runs as the arms of a bandit, and the counts of each."""

from collections.abc import Callable

import numpy as np

from poolbench.cards import Parameter
from poolbench.pooling.candidates import Floats, Ints, Mask, TopicCandidates, round_significant
from poolbench.pooling.method import EARLIER, AdaptivePlayer, NextDocument
from poolbench.runs.hash_order import hash_order, hash_orders

UPDATE = Parameter(
    "update",
    "Whether a judgment counts for `all` runs that list the document or only for its `own` run, "
    "the one that played it.",
    "all",
    ("all", "own"),
)
EARLIER_COUNTS = "Judgments of earlier steps count for every run that lists the document."
TIES = (
    "Ties between runs are drawn anew at every step, by a hash of the seed, the topic, the tag and "
    "the number of documents selected."
)
RANDOMNESS = "Draws depend on the seed, the topic and the number of documents selected."


class RunCounts:
    """By run: documents ``judged`` and ``relevant``; ``total`` judgments. ``update`` is ``all`` (a
    judgment counts for every run that lists the document) or ``own`` (for the run that played
    it). Each judgment first multiplies the counts of its runs by ``rate``; ``faded`` is what that
    leaves of 1.
    """

    def __init__(self, candidates: TopicCandidates, update: str, rate: float = 1.0) -> None:
        self.listed = candidates.rank_table > 0
        self.own = update == "own"
        self.rate = rate
        self.total = 0
        self.judged = np.zeros(len(candidates.runs))
        self.faded = np.ones(len(candidates.runs))
        self.relevant = np.zeros(len(candidates.runs))

    def credited_runs(self, choice: NextDocument) -> Mask:
        """The runs that a judgment counts for; for earlier steps, all that list the document."""
        if not self.own or choice.run == EARLIER:
            return self.listed[:, choice.doc]
        played = np.zeros(len(self.listed), bool)
        played[choice.run] = True
        return played

    def add(self, choice: NextDocument, relevant: bool) -> None:
        runs = self.credited_runs(choice)
        self.total += 1
        self.judged[runs] = self.rate * self.judged[runs] + 1
        self.faded[runs] *= self.rate
        self.relevant[runs] = self.rate * self.relevant[runs] + relevant

    def means(self) -> Floats:
        """By run: the posterior mean of Beta(1 + relevant, 1 + judged − relevant)."""
        return (1 + self.relevant) / (2 + self.judged)

    def shares(self) -> Floats:
        """By run: the share of relevant documents; infinite without judgments."""
        seen = self.judged > 0
        return np.where(seen, self.relevant / np.where(seen, self.judged, 1), np.inf)


class Bandit(AdaptivePlayer):
    """A player that takes the next document of the run with the highest ``value``, computed by
    run from the counts and, for randomness, the step. Ties are drawn anew at every step: in one
    order for the whole topic, a run that comes first would be played until it is exhausted.
    """

    def __init__(
        self,
        candidates: TopicCandidates,
        counts: RunCounts,
        value: Callable[[RunCounts, int], Floats],
    ) -> None:
        self.candidates = candidates
        self.counts = counts
        self.value = value

    def choose(self, available: Mask, step: int) -> NextDocument:
        runs = playable_runs(self.candidates, available)
        tied = list_highest(self.value(self.counts, step), runs)
        run = int(tied[np.argmin(self.tie_keys(tied, step))]) if len(tied) > 1 else int(tied[0])
        return NextDocument(next_open_document(self.candidates, run, available), run)

    def tie_keys(self, runs: Ints, step: int) -> Ints:
        """The seeded hash of each of ``runs`` at this step; the lowest is played."""
        # Spaces keep these apart from docnos and from ``run_hash``: tags contain none.
        names = [f" {self.candidates.runs[run]} {step}".encode() for run in runs.tolist()]
        return hash_orders(self.candidates.seed, self.candidates.topic, names)

    def observe(self, choice: NextDocument, relevant: bool) -> None:
        self.counts.add(choice, relevant)


def playable_runs(candidates: TopicCandidates, available: Mask) -> Mask:
    """The runs that list an available document."""
    # ``reduceat`` needs an entry even for a last run without any.
    marks = np.append(available[candidates.doc], False)
    return np.logical_or.reduceat(marks, candidates.bounds[:-1]) & (candidates.lengths > 0)


def next_open_document(candidates: TopicCandidates, run: int, available: Mask) -> int:
    """The highest-ranked available document of ``run``."""
    listed = candidates.ranking(run)
    return int(listed[np.argmax(available[listed])])


def run_hash(candidates: TopicCandidates, run: int) -> int:
    """The seeded hash of a run in this topic."""
    # The space keeps tags apart from docnos, which contain none.
    return hash_order(candidates.seed, candidates.topic, f" {candidates.runs[run]}")


def run_tie_hashes(candidates: TopicCandidates) -> Ints:
    """The seeded hash of each run, by which ties between runs are broken."""
    return np.array([run_hash(candidates, run) for run in range(len(candidates.runs))], np.int64)


def best_run(value: Floats, among: Mask, tie: Ints) -> int:
    """The index of the highest ``value`` marked ``among``; ties by the lowest ``tie``."""
    highest = list_highest(value, among)
    return int(highest[np.argmin(tie[highest])])


def list_highest(value: Floats, among: Mask) -> Ints:
    """The indices of the highest ``value`` marked ``among``; equal to rounding."""
    places = np.flatnonzero(among)
    rounded = round_significant(value[places])
    return np.asarray(places[rounded == rounded.max()])


def step_rng(candidates: TopicCandidates, step: int) -> np.random.Generator:
    """The random generator of a step: the same for the same seed, topic and step."""
    return np.random.default_rng([hash_order(candidates.seed, candidates.topic, ""), step])
