"""What scoring reads: measures and options of a campaign, judged pairs by their codes.

From them the rankings behind a score set are built again, for curves and bounds.
"""

from collections.abc import Iterable, Sequence
from typing import TypeAlias

import numpy as np

from campaigns.errors import ActionRefused
from campaigns.models import Campaign, CampaignTask, Run
from campaigns.queries.tasks import load_judged_before
from campaigns.services import matrices
from evaluation.models import ScoreSet
from judging.models import Qrels
from judging.queries.judgments import qrels_table
from poolbench.cache import Cache
from poolbench.evaluation.batch import ScoringBatch
from poolbench.evaluation.evaluate import TRUST_DEPTH
from poolbench.evaluation.in_memory import build_run_batch
from poolbench.evaluation.judgments import JudgmentTable
from poolbench.evaluation.measures.family import Measure
from poolbench.evaluation.measures.names import UnknownMeasureError, parse_measures
from poolbench.evaluation.measures.registry import DEFAULT_NAMES
from poolbench.evaluation.options import ScoringOptions, read_options
from poolbench.runs.pair_places import PairPlaces
from poolbench.runs.residual import remove_judged_pairs
from poolbench.runs.tables import QrelsTable, group_starts

SHOWN_MEASURES = ("ndcg_cut_10", "map", "bpref", "bpref-10", "P_10", "recall_1000")
"""What tables show first."""


def measures_to_score(campaign: Campaign, names: Sequence[str]) -> tuple[Measure, ...]:
    """The requested measures, else the campaign's, else the default ones; always with judged@k,
    which scores cannot be interpreted without.
    """
    requested = names or campaign.measures or DEFAULT_NAMES
    try:
        measures = parse_measures([*requested, f"judged_{TRUST_DEPTH}"])
    except UnknownMeasureError as error:
        fix = "See docs/measures.md for all measures and their names."
        raise ActionRefused("unknown-measure", str(error), fix) from error
    if texts := [measure.name for measure in measures if measure.family.text]:
        fix = "Remove them; `poolbench evaluate` prints them for files."
        raise ActionRefused(
            "text-measure", f"Measures without a numeric value: {', '.join(texts)}.", fix
        )
    return measures


def scoring_options(campaign: Campaign) -> ScoringOptions:
    gains = dict(campaign.grades.values_list("value", "gain"))
    if campaign.relevance_level < 1:
        raise ActionRefused(
            "bad-level",
            f"Relevance level {campaign.relevance_level} makes every judged document relevant.",
            "Set a relevance level of at least 1 in the settings.",
        )
    return ScoringOptions(level=campaign.relevance_level, gains=gains)


def withheld_topic_numbers(campaign: Campaign, task: CampaignTask | None = None) -> frozenset[str]:
    """The topics without scores: withheld ones, and those that ``task`` does not have."""
    if task is None:
        return frozenset(campaign.topics.filter(withheld=True).values_list("number", flat=True))
    numbers = frozenset(campaign.topics.values_list("number", flat=True))
    return numbers.difference(task.list_topic_numbers())


def select_qrels(
    table: QrelsTable, dropped: frozenset[str], task: CampaignTask | None
) -> QrelsTable:
    """The qrels that score the runs of ``task``: without the topics ``dropped``, and without what
    earlier rounds have judged.
    """
    table = drop_topics(table, dropped)
    before = load_judged_before(task)
    return table if before is None else remove_judged_pairs(table, before)


def drop_topics(table: QrelsTable, dropped: frozenset[str]) -> QrelsTable:
    remaining = [index for index, topic in enumerate(table.topics) if topic not in dropped]
    if len(remaining) == len(table.topics):
        return table
    is_remaining = np.isin(
        np.repeat(np.arange(len(table.topics)), np.diff(table.starts)), remaining
    )
    rows = np.flatnonzero(is_remaining)
    return QrelsTable(
        topics=tuple(table.topics[index] for index in remaining),
        starts=group_starts(np.diff(table.starts)[remaining]),
        docnos=table.docnos.take(rows),
        grades=table.grades[rows],
    )


Placed: TypeAlias = tuple[JudgmentTable, PairPlaces]
_placed: Cache[tuple[object, ...], Placed] = Cache(8)
"""By qrels, topics, round and the state of the campaign's pairs; some 8 MB each for 129 runs, at
most 16 MB and 8 bytes for each judged pair."""


def rebuild_run_batch(score_set: ScoreSet, run: Run) -> ScoringBatch:
    """``run`` as it was scored: same judgments, topics, relevance level and gains."""
    judged, places = get_placed_qrels(score_set.qrels, score_set.task, topics=score_set.topics)
    return build_run_batch(
        matrices.load_run_matrix(run), judged, places, options_from_provenance(score_set)
    )


def get_placed_qrels(
    qrels: Qrels,
    task: CampaignTask | None,
    *,
    topics: Iterable[str] | None = None,
    dropped: Iterable[str] = (),
) -> Placed:
    """The judgments of ``topics`` (None: all) without those ``dropped`` that score the runs of
    ``task``, and the rows of the campaign's pairs in them; cached.
    """
    chosen = None if topics is None else frozenset(topics)
    without, dictionary = frozenset(dropped), matrices.get_pair_dictionary(qrels.campaign)

    def place() -> Placed:
        table = qrels_table(qrels)
        others = frozenset[str]() if chosen is None else frozenset(table.topics) - chosen
        table = select_qrels(table, without | others, task)
        judged = JudgmentTable.from_arrays(table.topics, table.starts, table.grades, qrels.sha256)
        return judged, dictionary.places(table)

    # With the time of creation: a restored database reuses IDs.
    before = task.judged_before if task else None
    key = qrels.pk, qrels.frozen_at, chosen, without, before, dictionary.identity
    return _placed.get_or_compute(key, place)


def options_from_provenance(score_set: ScoreSet) -> ScoringOptions:
    return read_options(score_set.conditions)
