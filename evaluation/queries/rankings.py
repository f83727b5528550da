"""Rebuild the rankings behind a score set, for curves and bounds."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from campaigns.core.tables import QrelsTable
from campaigns.models import Run
from campaigns.services import matrices
from common.cache import Cache
from evaluation.core.batch import ScoringBatch
from evaluation.core.in_memory import build_run_batch
from evaluation.core.judgments import JudgmentTable
from evaluation.core.options import ScoringOptions
from evaluation.models import ScoreSet
from evaluation.queries.scoring_inputs import drop_topics, places_of_pairs
from judging.queries.judgments import qrels_table

_scored: Cache[tuple[object, ...], tuple[JudgmentTable, NDArray[np.int32]]] = Cache(8)
"""By score set and the number of the campaign's pairs; some 8 MB each for 129 runs."""


def rebuild_run_batch(score_set: ScoreSet, run: Run) -> ScoringBatch:
    """``run`` as it was scored: same judgments, topics, relevance level and gains."""
    pairs = len(matrices.get_pair_dictionary(score_set.campaign))
    # With the time of creation: a restored database reuses IDs.
    judged, places = _scored.get_or_compute(
        (score_set.pk, score_set.created_at, pairs), lambda: place_scored_qrels(score_set)
    )
    return build_run_batch(
        matrices.load_run_matrix(run), judged, places, options_from_provenance(score_set)
    )


def place_scored_qrels(score_set: ScoreSet) -> tuple[JudgmentTable, NDArray[np.int32]]:
    """The judgments, and the row of each code of the campaign's pairs in them."""
    table = scored_qrels(score_set)
    judged = JudgmentTable.from_arrays(
        table.topics, table.starts, table.grades, score_set.qrels.sha256
    )
    return judged, places_of_pairs(score_set.campaign, table)


def scored_qrels(score_set: ScoreSet) -> QrelsTable:
    """The qrels without the topics that were withheld when they were scored."""
    table = qrels_table(score_set.qrels)
    return drop_topics(table, frozenset(table.topics) - frozenset(score_set.topics))


def options_from_provenance(score_set: ScoreSet) -> ScoringOptions:
    """The scoring options in the provenance of the score set."""
    provenance = score_set.conditions
    gains = provenance["gains"] if isinstance(provenance["gains"], dict) else {}
    return ScoringOptions(
        level=provenance["level"], gains={int(grade): gain for grade, gain in gains.items()} or None
    )
