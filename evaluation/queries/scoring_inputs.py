"""What scoring reads: measures and options of a campaign, judged pairs by their codes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from campaigns.core.run_matrix import RunMatrix
from campaigns.core.tables import QrelsTable, group_starts
from campaigns.errors import ActionRefused
from campaigns.models import Campaign
from campaigns.services import matrices
from evaluation.core.batch import ScoringBatch
from evaluation.core.evaluate import TRUST_DEPTH
from evaluation.core.judgments import JudgmentTable
from evaluation.core.matching import batch_from_places
from evaluation.core.measures.family import Measure
from evaluation.core.measures.names import UnknownMeasureError, parse_measures
from evaluation.core.measures.registry import DEFAULT_NAMES
from evaluation.core.options import ScoringOptions


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
        fix = "Remove them; `manage.py evaluate` prints them for files."
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


def withheld_topic_numbers(campaign: Campaign) -> frozenset[str]:
    return frozenset(campaign.topics.filter(withheld=True).values_list("number", flat=True))


def drop_topics(table: QrelsTable, dropped: frozenset[str]) -> QrelsTable:
    """The qrels without the topics ``dropped``."""
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


def places_of_pairs(campaign: Campaign, table: QrelsTable) -> NDArray[np.int32]:
    """The row of ``table`` for each code of the campaign's pair dictionary; -1: not in it."""
    return matrices.get_pair_dictionary(campaign).places(table)


def place_run(
    matrix: RunMatrix, judged: JudgmentTable, places: NDArray[np.int32], options: ScoringOptions
) -> ScoringBatch:
    """The run on the judged topics: one gather."""
    return batch_from_places(judged, matrix.topics, matrix.starts, places[matrix.pairs], options)
