"""Convert rankings into a batch: which retrieved documents the qrels list, and at which ranks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from poolbench.evaluation.batch import ScoringBatch
from poolbench.evaluation.judgments import Ints, JudgmentTable
from poolbench.evaluation.options import ScoringOptions
from poolbench.runs.tables import RunTable


class NoCommonTopicError(ValueError):
    """A run and qrels that have no topic in common."""


def batch_from_table(run: RunTable, judged: JudgmentTable, options: ScoringOptions) -> ScoringBatch:
    """One run against qrels, matched by docno; topics without qrels are left out."""
    if judged.index is None:
        raise ValueError("judgments created from arrays have no docnos to match with a run")
    run = in_single_precision(run) if options.profile.single_precision else run
    return batch_from_places(judged, run.topics, run.starts, judged.index.find(run), options)


def check_common_topic(run: RunTable, judged: JudgmentTable) -> None:
    """Raise ``NoCommonTopicError`` for a run that has other topics only."""
    if fault := describe_no_common_topic(run, judged.topics):
        raise NoCommonTopicError(f"run {run.tag}: {fault}")


def describe_no_common_topic(run: RunTable, topics: Sequence[str]) -> str:
    """Why ``run`` cannot be scored on the ``topics`` of qrels: it has others only. Empty if it can;
    an empty run or empty qrels can.
    """
    if not (run.topics and topics) or not set(run.topics).isdisjoint(topics):
        return ""
    own, judged = _format_first(run.topics), _format_first(topics)
    return (
        f"no topic in common with the qrels (topics of the run: {own}; of the qrels: {judged}). "
        "Use the qrels of the run's topics, with the same topic IDs"
    )


def _format_first(topics: Sequence[str]) -> str:
    return ", ".join([*topics[:3], *(["…"] if len(topics) > 3 else [])])


def batch_from_places(
    judged: JudgmentTable,
    topics: tuple[str, ...],
    starts: Ints,
    places: NDArray[np.int32],
    options: ScoringOptions,
) -> ScoringBatch:
    """One run as indices in ``judged`` (-1: not listed), in rank order, by its own topics.

    ``places[starts[i]:starts[i + 1]]`` is the ranking of ``topics[i]``. The options are applied
    in the order ``max_per_topic``, ``judged_only``, topic set.
    """
    rows = np.flatnonzero(places >= 0)
    listed = places[rows].astype(np.int64)
    # A pair has one topic, so the index of a judgment determines the topic.
    topic_index = judged.topic_index[listed]
    place = {topic: index for index, topic in enumerate(judged.topics)}
    at = np.array([place.get(topic, -1) for topic in topics], np.int64)
    known = at >= 0
    lengths, first = np.zeros((2, len(judged.topics)), np.int64)
    lengths[at[known]] = np.diff(starts)[known]
    first[at[known]] = starts[:-1][known]
    batch = ScoringBatch(
        judged=judged,
        topic_index=np.arange(len(judged.topics)),
        lengths=lengths,
        answered=lengths > 0,
        segment=topic_index,
        ranks=rows - first[topic_index] + 1,
        judgment_index=listed,
        options=options,
    )
    return apply_options(batch)


def apply_options(batch: ScoringBatch) -> ScoringBatch:
    """``batch`` after its options are applied."""
    options = batch.options
    if options.max_per_topic is not None:
        batch = batch.cut(options.max_per_topic)
    if options.judged_only:
        batch = batch.condensed()
    selected = np.ones(len(batch), np.bool_) if options.topics == "judged" else batch.answered
    if options.leave_out_empty:
        selected = selected & (batch.relevant > 0)
    return batch if selected.all() else select_segments(batch, selected)


def select_segments(batch: ScoringBatch, selected: NDArray[np.bool_]) -> ScoringBatch:
    """``batch`` with only the segments in ``selected``."""
    rows = selected[batch.segment]
    renumbered = np.cumsum(selected) - 1
    return replace(
        batch,
        topic_index=batch.topic_index[selected],
        lengths=batch.lengths[selected],
        answered=batch.answered[selected],
        segment=renumbered[batch.segment[rows]],
        ranks=batch.ranks[rows],
        judgment_index=batch.judgment_index[rows],
    )


def in_single_precision(run: RunTable) -> RunTable:
    """``run`` in the order of its scores as 32-bit numbers.

    Rounding preserves the order of scores and can only create ties, so only tied documents move:
    docno descending.
    """
    order = np.arange(len(run))
    for start, end in _new_ties(run):
        docnos = run.docnos[start:end]
        order[start:end] = start + np.array(
            sorted(range(end - start), key=docnos.__getitem__, reverse=True)
        )
    if (order == np.arange(len(run))).all():
        return run
    return replace(run, docnos=run.docnos.take(order), scores=run.scores[order])


def is_reordered_by_32_bits(run: RunTable, topics: Sequence[str]) -> bool:
    """Whether scores that tie only as 32-bit numbers change the ranking of one of ``topics``."""
    judged = set(topics)
    for start, end in _new_ties(run):
        topic = run.topics[int(np.searchsorted(run.starts, start, side="right")) - 1]
        docnos = run.docnos[start:end]
        if topic in judged and docnos != sorted(docnos, reverse=True):
            return True
    return False


def _new_ties(run: RunTable) -> list[tuple[int, int]]:
    """Ranges within one topic that are tied as 32-bit numbers but not as 64-bit ones."""
    if not len(run):
        return []
    with np.errstate(over="ignore"):  # above 3.4e38 a 32-bit score is infinite
        scores = run.scores.astype(np.float32)
    first = np.zeros(len(run), np.bool_)
    first[run.starts[:-1]] = True
    steps = first | np.concatenate(([True], scores[1:] != scores[:-1]))
    finer = ~steps & np.concatenate(([False], run.scores[1:] != run.scores[:-1]))
    bounds = np.append(np.flatnonzero(steps), len(run))
    group = np.unique(np.cumsum(steps)[finer] - 1)
    return [(int(bounds[g]), int(bounds[g + 1])) for g in group]
