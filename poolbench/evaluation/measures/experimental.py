"""trec_eval's experimental measures of gain: G, binary G, NDCG at relevant documents and at R."""

from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np

from poolbench.evaluation.batch import ScoringBatch, safe_ratio, sum_by_place
from poolbench.evaluation.judgments import Floats, Ints
from poolbench.evaluation.measures.cumulated_gain import GAINS, GainVariant
from poolbench.evaluation.measures.family import MeasureFamily, WorkedExample
from poolbench.runs.tables import group_starts

Gains = tuple[tuple[int, float], ...]


@dataclass(frozen=True, eq=False)
class GainingRows:
    """``rows``: a batch of rows with gain only; and the ideal ranking of their topics."""

    rows: ScoringBatch

    @cached_property
    def gained(self) -> Floats:
        """The cumulated gain of the segment down to and including each row."""
        total = _cumulate_ratio(self.rows.gains)
        return total[1:] - total[self.rows.starts[self.rows.segment]]

    @cached_property
    def discounted(self) -> Floats:
        """The discounted gain of all rows before each one, over all segments."""
        return _cumulate_ratio(self.rows.gains / np.log2(1 + self.rows.ranks))

    def dcg(self, segment: Ints, rank: Ints) -> Floats:
        """The discounted gain of the first ``rank`` documents of ``segment``."""
        apart = 2 + max(int(self.rows.ranks.max(initial=0)), int(rank.max(initial=0)))
        keys = self.rows.segment * apart + self.rows.ranks
        last = np.searchsorted(keys, segment * apart + rank, side="right")
        return self.discounted[last] - self.discounted[self.rows.starts[segment]]

    @cached_property
    def falling(self) -> Floats:
        """The gains of the ideal ranking, by topic as in ``judged.starts``."""
        return self.rows.judged.falling_gains(self.rows.options.gains)[0]

    @cached_property
    def gainful(self) -> Ints:
        """Number of judged documents with gain, by judged topic."""
        return self.rows.judged.count(self.rows.options.gains_for(self.rows.judged.grades) > 0)

    @cached_property
    def ideal_discounted(self) -> Floats:
        ranks = self.rows.judged.falling_gains(self.rows.options.gains)[2]
        return _cumulate_ratio(self.falling / np.log2(1 + ranks))

    def ideal_dcg(self, topic: Ints, rank: Ints) -> Floats:
        """The discounted gain of the first ``rank`` documents of the ideal ranking."""
        return self._ideal(self.ideal_discounted, topic, rank)

    def ideal_cost(self, topic: Ints, rank: Ints) -> Floats:
        """The gain of the first ``rank`` documents of the ideal ranking, each at least 1."""
        beyond_1 = _cumulate_ratio(np.maximum(self.falling - 1, 0.0))
        return rank + self._ideal(beyond_1, topic, rank)

    def _ideal(self, cumulated: Floats, topic: Ints, rank: Ints) -> Floats:
        starts = self.rows.judged.starts
        last = np.minimum(starts[topic] + rank, starts[topic + 1])
        within: Floats = cumulated[last] - cumulated[starts[topic]]
        return within


def _cumulate_ratio(values: Floats) -> Floats:
    return np.concatenate(([0.0], np.cumsum(values)))


def _gaining(batch: ScoringBatch, gains: Gains) -> GainingRows:
    batch = GainVariant(gains=gains).apply(batch)
    return GainingRows(batch.select_rows(batch.gains > 0))


def normalised_gain(batch: ScoringBatch, *, gains: Gains = ()) -> Floats:
    gaining = _gaining(batch, gains)
    rows = gaining.rows
    cost = gaining.ideal_cost(batch.topic_index[rows.segment], rows.ranks)
    # The cost is never less than the gain, except for rounding of large gains.
    worth = rows.gains / np.log2(2 + np.maximum(cost - gaining.gained, 0.0))
    judged = batch.judged
    most = sum_by_place(judged.topic_index, gaining.falling, len(judged.topics))
    return safe_ratio(sum_by_place(rows.segment, worth, len(batch)), most[batch.topic_index])


def binary_gain(batch: ScoringBatch) -> Floats:
    hits = batch.hits
    others = batch.ranks[hits] - batch.relevant_at_hits
    return safe_ratio(batch.sums(1.0 / np.log2(2 + others), hits), batch.relevant)


def ndcg_at_relevant(batch: ScoringBatch, *, gains: Gains = ()) -> Floats:
    gaining = _gaining(batch, gains)
    rows = gaining.rows
    topic = batch.topic_index[rows.segment]
    here = gaining.dcg(rows.segment, rows.ranks) / gaining.ideal_dcg(topic, rows.ranks)
    wanted = gaining.gainful[batch.topic_index]
    missed = (wanted - np.diff(rows.starts)) * _ndcg_at_end(gaining)
    return safe_ratio(sum_by_place(rows.segment, here, len(batch)) + missed, wanted)


def _ndcg_at_end(gaining: GainingRows) -> Floats:
    topic = gaining.rows.topic_index
    dcg = gaining.dcg(np.arange(len(gaining.rows)), gaining.rows.lengths)
    return safe_ratio(dcg, gaining.ideal_dcg(topic, gaining.gainful[topic]))


def ndcg_at_changes(batch: ScoringBatch, *, gains: Gains = ()) -> Floats:
    gaining = _gaining(batch, gains)
    segment, rank = _changes(gaining)
    at = gaining.dcg(segment, rank) / gaining.ideal_dcg(batch.topic_index[segment], rank)
    # After the last change trec_eval adds one more point, at the end of a longer ranking.
    longer = batch.lengths > gaining.gainful[batch.topic_index] + 1
    points = np.bincount(segment, minlength=len(batch)) + longer
    summed = sum_by_place(segment, at, len(batch)) + np.where(longer, _ndcg_at_end(gaining), 0.0)
    return np.where(batch.relevant > 0, safe_ratio(summed, points), 0.0)


def _changes(gaining: GainingRows) -> tuple[Ints, Ints]:
    """``(segment, rank)`` of the last document of each positive gain in the ideal rankings."""
    judged, topics = gaining.rows.judged, gaining.rows.topic_index
    next_gain = np.append(gaining.falling[1:], 0.0)
    next_gain[judged.starts[1:] - 1] = 0.0
    places = np.flatnonzero((gaining.falling > 0) & (gaining.falling != next_gain))
    starts = group_starts(np.bincount(judged.topic_index[places], minlength=len(judged.topics)))
    sizes = np.diff(starts)[topics]
    segment = np.repeat(np.arange(len(topics)), sizes)
    within = np.arange(len(segment)) - group_starts(sizes)[segment]
    place = places[starts[topics][segment] + within]
    return segment, place - judged.starts[topics[segment]] + 1


_EXPERIMENTAL = "trec_eval {name}, experimental since 2008."
_EDGES = (
    "The relevance level is not used: every grade above 0 has gain.",
    "A topic without any gain: the value is 0.",
)
_RANKED, _JUDGED = (2, 0, 1, None), (2, 1, 0)

_graded = partial(MeasureFamily, parameters=(GAINS,), suffix="gains", together=True, group="graded")
BIN_G = MeasureFamily(
    name="binG",
    title="Binary G",
    formula="1/R · Σ over retrieved relevant documents of 1 / log2(2 + others above)",
    reading="Rewards relevant documents with few non-relevant documents above them.",
    source=_EXPERIMENTAL.format(name="binG"),
    edge_cases=(
        "R = 0: the value is 0.",
        "“Others” are all documents that are not relevant, judged or not.",
    ),
    compute=binary_gain,
    examples=(
        WorkedExample((1, 0, 1), (1, 1, 0), 0.8154648767857288, "(1/log2 2 + 1/log2 3) / 2"),
    ),
)

G = _graded(
    name="G",
    title="Normalized gain G",
    formula="Σ gain(r) / log2(2 + cost(r) − gained(r)) / Σ ideal gain; gained(r): the gains "
    "down to rank r; cost(r): those of the ideal ranking, each at least 1",
    reading="Sum of the gains, each discounted by how far the ranking has fallen behind the "
    "ideal one at that rank.",
    source=_EXPERIMENTAL.format(name="G"),
    edge_cases=_EDGES,
    compute=normalised_gain,
    examples=(
        WorkedExample(
            (0, 2, 1),
            _JUDGED,
            0.6309297535714575,
            "(2/log2(2 + 3 − 2) + 1/log2(2 + 4 − 3)) / (2 + 1)",
        ),
        WorkedExample(
            (1, 0, 2),
            _JUDGED,
            0.5981973151785931,
            "(1/log2(2 + 3 − 1) + 3/log2(2 + 5 − 4)) / (3 + 1)",
            "G_1=1,2=3",
        ),
    ),
)

_worked = partial(WorkedExample, _RANKED, _JUDGED)
NDCG_REL = _graded(
    name="ndcg_rel",
    title="NDCG averaged at the relevant documents",
    formula="mean over judged documents with a gain of NDCG at their rank, or at the end "
    "of the ranking for those not retrieved",
    reading="NDCG at the rank of each relevant document, averaged as in average precision.",
    source=_EXPERIMENTAL.format(name="ndcg_rel"),
    edge_cases=_EDGES,
    compute=ndcg_at_relevant,
    examples=(
        _worked(0.9751172083949178, "(2/2 + (2 + 1/2) / (2 + 1/log2 3)) / 2"),
        _worked(0.9598603945740938, "(1/1 + (1 + 1/2) / (1 + 1/log2 3)) / 2", "ndcg_rel_1=1,2=1"),
    ),
)

R_NDCG = _graded(
    name="Rndcg",
    title="NDCG averaged where the ideal gain changes",
    formula="mean of NDCG at the ranks where the ideal ranking passes to a lower gain, and "
    "at the end of a ranking that goes on for more than one document",
    reading="NDCG at ranks that are comparable across topics, as R-precision is for precision.",
    source=_EXPERIMENTAL.format(name="Rndcg"),
    edge_cases=(
        "R = 0: the value is 0; otherwise the relevance level is not used.",
        "There is no change between grades that have the same gain.",
        "A ranking that ends earlier is evaluated by the gain it has accumulated.",
    ),
    compute=ndcg_at_changes,
    examples=(
        _worked(
            0.9034739834072347,
            "at ranks 1, 2 and the end: (2/2 + 2 / (2 + 1/log2 3) + 2.5 / (2 + 1/log2 3)) / 3",
        ),
        _worked(
            0.766433990956823,
            "at rank 2 and the end: (1 / (1 + 1/log2 3) + 1.5 / (1 + 1/log2 3)) / 2",
            "Rndcg_1=1,2=1",
        ),
    ),
)
