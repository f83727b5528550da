"""Exact bounds of recall, R-precision and the bpref family from open documents.

For each m, the value of the ranking with the first m of its open documents relevant and the
others not (the maximum for m), and with the last m (the minimum): the completions of
``EXCHANGES``, computed without constructing them.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np

from poolbench.evaluation.batch import safe_ratio
from poolbench.evaluation.completions import OPEN, CompletionRankings
from poolbench.evaluation.judgments import Floats, Ints
from poolbench.evaluation.scale import top_grade

AT_ONCE = 1 << 16


@dataclass(frozen=True, eq=False)
class CountedTopic:
    """The ranks (from 1) of relevant, of judged non-relevant and of open documents, and the
    number of relevant and judged non-relevant documents, retrieved or not."""

    relevant: Ints
    nonrelevant: Ints
    open: Ints
    all_relevant: int
    all_nonrelevant: int

    def among(self, ranks: Ints | int, many: Ints, last: bool) -> Ints:
        """Number of open documents down to ``ranks`` that are among the first ``many`` ones, or
        the last; broadcast shape."""
        reached = np.searchsorted(self.open, ranks, side="right")
        if last:
            return np.asarray(np.maximum(reached - (len(self.open) - many), 0))
        return np.asarray(np.minimum(reached, many))


Values = Callable[[CountedTopic, Ints, bool], Floats]
"""The value for each number of relevant documents among the open ones, the first or the last."""


def recall_bound(topic: CountedTopic, many: Ints, last: bool, *, k: int) -> Floats:
    known = np.count_nonzero(topic.relevant <= k)
    return safe_ratio(known + topic.among(k, many, last), topic.all_relevant + many)


def r_precision_bound(topic: CountedTopic, many: Ints, last: bool) -> Floats:
    wanted = topic.all_relevant + many
    known = np.searchsorted(topic.relevant, wanted, side="right")
    return safe_ratio(known + topic.among(wanted, many, last), wanted)


def bpref_bound(
    topic: CountedTopic, many: Ints, last: bool, *, c: int, form: str = "trec_eval"
) -> Floats:
    """The bpref family; ``c`` and ``form`` as in ``measures.bpref``."""
    relevant, others = topic.all_relevant + many, len(topic.open) - many
    seen = topic.all_nonrelevant if form == "trec_eval" else len(topic.nonrelevant)
    most = relevant + c
    bound = most if form == "textbook" else np.minimum(seen + others, most)
    above = np.searchsorted(topic.nonrelevant, topic.relevant)
    hits = topic.among(topic.relevant, many[:, None], last)
    others_above = above + np.searchsorted(topic.open, topic.relevant) - hits
    lost = np.minimum(others_above, most[:, None]).sum(axis=1) + _lost(topic, many, last, most)
    return safe_ratio(len(topic.relevant) + many - safe_ratio(lost, bound), relevant)


def _lost(topic: CountedTopic, many: Ints, last: bool, most: Ints) -> Ints:
    """Σ min(non-relevant above, ``most``) over the relevant ones of the open documents."""
    above = np.searchsorted(topic.nonrelevant, topic.open)
    summed = np.concatenate(([0], np.cumsum(above)))
    # Above the first ones no open document is non-relevant, above the last ones all others are.
    start = len(above) - many if last else np.zeros_like(many)
    end = start + many
    full = np.clip(np.searchsorted(above, most - start), start, end)
    return np.asarray(summed[full] - summed[start] + (full - start) * start + (end - full) * most)


def extreme_counts(topic: CountedTopic, values: Values) -> tuple[float, float]:
    """The minimum and the maximum value over all numbers of relevant documents."""
    low, high = np.inf, -np.inf
    for many in iter_counts(len(topic.open), len(topic.relevant)):
        low = min(low, float(values(topic, many, True).min()))
        high = max(high, float(values(topic, many, False).max()))
    return low, high


def iter_counts(count: int, width: int) -> Iterator[Ints]:
    """0 to ``count`` in chunks, so that an array of chunk × ``width`` stays small."""
    size = max(1, AT_ONCE // (width + 1))
    for start in range(0, count + 1, size):
        yield np.arange(start, min(start + size, count + 1))


def summarize_counted_topics(rankings: CompletionRankings) -> list[CountedTopic]:
    """The data of each segment for its bounds."""
    batch, level = rankings.batch, rankings.batch.options.level
    can_be = level <= top_grade(batch)
    topics = []
    for segment in range(len(batch)):
        ranked = rankings.ranking(segment)
        # Documents that cannot become relevant can only become non-relevant.
        ranked = ranked if can_be else np.where(ranked == OPEN, 0, ranked)
        judged = np.concatenate((ranked, rankings.missed_grades(segment)))
        topics.append(
            CountedTopic(
                relevant=np.flatnonzero(ranked >= level) + 1,
                nonrelevant=np.flatnonzero((ranked >= 0) & (ranked < level)) + 1,
                open=np.flatnonzero(ranked == OPEN) + 1,
                all_relevant=int(np.count_nonzero(judged >= level)),
                all_nonrelevant=int(np.count_nonzero((judged >= 0) & (judged < level))),
            )
        )
    return topics


VALUES: dict[str, Callable[..., Floats]] = {
    "recall": recall_bound,
    "Rprec": r_precision_bound,
    "bpref": partial(bpref_bound, c=0),
    "gm_bpref": partial(bpref_bound, c=0),
    "bpref-10": partial(bpref_bound, c=10),
}
"""By family; called with its parameters as well."""
