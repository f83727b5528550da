"""The figures of the verdict on a collection, from a campaign or from files."""

from __future__ import annotations

from common.statistics.estimate import nan_to_none
from evaluation.core.evaluate import TRUST_DEPTH
from evaluation.core.measures.family import Measure
from evaluation.core.measures.names import parse_measure
from evaluation.core.measures.titles import format_measure_title
from reliability.core.collection.inputs import PooledCollection
from reliability.core.collection.leave_one_group_out import score_without_group
from reliability.core.verdicts.reusability import CollectionFigures, measure_left_out_moves


def measure_collection(collection: PooledCollection, measure: Measure) -> CollectionFigures:
    """Every team with a contributing run left out in turn, by a measure for which higher is
    better (``can_rank_by``).
    """
    cut = measure_cut(measure)
    (trust,) = parse_measure(f"judged_{cut}")
    groups = collection.by_team
    both = [measure, trust]
    scores = collection.score(both)
    without = score_without_group(collection, both, scores, groups)
    names = {collection.names[at] for at in groups[collection.pool.runs].tolist()}
    moves = measure_left_out_moves(
        collection.tags,
        collection.teams,
        collection.by_topic(measure),
        scores[:, 0],
        without[:, 0],
    )
    shares, left_out = scores[collection.is_pooled, 1], without[collection.is_pooled, 1]
    return CollectionFigures(
        measure=format_measure_title(measure.name, over_topics=True),
        cut=cut,
        runs=len(collection.tags),
        teams=len(names),
        moves=[move for move in moves if move.team in names],
        judged=[nan_to_none(share) for share in shares],
        left_out=[nan_to_none(share) for share in left_out],
    )


def measure_cut(measure: Measure) -> int:
    """The cut-off of the measure, else that of judged@k with all scores."""
    cut = dict(measure.params).get("k")
    return cut if isinstance(cut, int) else TRUST_DEPTH
