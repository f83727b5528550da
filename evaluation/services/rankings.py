"""The rankings behind a score set, laid out to be looked at again: for curves and bounds."""

from __future__ import annotations

from campaigns.core.tables import QrelsTable
from campaigns.models import Run
from campaigns.services import matrices
from evaluation.core.batch import Batch
from evaluation.core.judged import Judged
from evaluation.core.options import Options
from evaluation.core.warm import run_batch
from evaluation.models import ScoreSet
from evaluation.services.scoring import places_of_pairs, without
from judging.queries.judgments import qrels_table


def ranking_of(score_set: ScoreSet, run: Run) -> Batch:
    """``run`` as it was scored: the same judgments, topics, level and gains."""
    table = judgments_of(score_set)
    judged = Judged.from_arrays(table.topics, table.starts, table.grades, score_set.qrels.sha256)
    places = places_of_pairs(score_set.campaign, table)
    return run_batch(matrices.matrix_of(run), judged, places, options_told(score_set))


def judgments_of(score_set: ScoreSet) -> QrelsTable:
    """The release without the topics that were withheld when it was scored."""
    table = qrels_table(score_set.qrels)
    return without(table, frozenset(table.topics) - frozenset(score_set.topics))


def options_told(score_set: ScoreSet) -> Options:
    """The options that the conditions of the score set state."""
    told = score_set.conditions
    gains = told["gains"] if isinstance(told["gains"], dict) else {}
    return Options(
        level=told["level"], gains={int(grade): gain for grade, gain in gains.items()} or None
    )
