"""Convert rankings into a batch: which retrieved documents the qrels list, and at which ranks."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from poolbench.evaluation.batch import ScoringBatch
from poolbench.evaluation.judgments import Ints, JudgmentTable
from poolbench.evaluation.options import ScoringOptions
from poolbench.runs.tables import RunTable


class NoCommonTopicError(ValueError):
    """A run and qrels that have no topic in common."""


@dataclass(frozen=True, eq=False)
class MatchedRun:
    """What scores depend on: of each topic of the run how many documents it has, and of each
    document in the judgments its rank, from 1, and the index of its judgment.

    ``topics`` ascend by code point, and so do the documents by topic and rank. ``is_reordered``:
    see ``is_reordered_by_32_bits``; always false where scores are compared in 32 bits.
    """

    tag: str
    topics: tuple[str, ...]
    sizes: Ints
    ranks: Ints
    judgment_index: Ints
    is_reordered: bool = False


def batch_from_table(run: RunTable, judged: JudgmentTable, options: ScoringOptions) -> ScoringBatch:
    """One run against qrels, matched by docno; topics without qrels are left out."""
    return batch_from_match(judged, match_tables([run], judged, options), options)


def match_tables(
    pieces: Iterable[RunTable], judged: JudgmentTable, options: ScoringOptions
) -> MatchedRun:
    """One run in ``pieces`` of different topics, at least one, matched by docno."""
    if judged.index is None:
        raise ValueError("judgments created from arrays have no docnos to match with a run")
    matches: list[MatchedRun] = []
    single, is_reordered = options.profile.single_precision, False
    for piece in pieces:
        is_reordered = is_reordered or (
            not single and is_reordered_by_32_bits(piece, judged.topics)
        )
        run = in_single_precision(piece) if single else piece
        places = judged.index.find(run)
        matches.append(_match_places(run.tag, run.topics, run.starts, places))
    return replace(join_matches(matches, judged), is_reordered=is_reordered)


def join_matches(matches: Sequence[MatchedRun], judged: JudgmentTable) -> MatchedRun:
    """One run from ``matches`` of its pieces, at least one; they share no topic."""
    if len(matches) == 1:
        return matches[0]
    topics = [topic for match in matches for topic in match.topics]
    order = sorted(range(len(topics)), key=topics.__getitem__)
    sizes, ranks, listed = (
        np.concatenate([getattr(match, name) for match in matches])
        for name in ("sizes", "ranks", "judgment_index")
    )
    by_topic = np.argsort(judged.topic_index[listed], kind="stable")
    return MatchedRun(
        tag=matches[0].tag,
        topics=tuple(topics[at] for at in order),
        sizes=sizes[order],
        ranks=ranks[by_topic],
        judgment_index=listed[by_topic],
        is_reordered=any(match.is_reordered for match in matches),
    )


def _match_places(
    tag: str, topics: tuple[str, ...], starts: Ints, places: NDArray[np.int32]
) -> MatchedRun:
    """``places[starts[i]:starts[i + 1]]`` are the judgments of ``topics[i]`` by rank, or -1."""
    rows = np.flatnonzero(places >= 0)
    counts = np.diff(np.searchsorted(rows, starts))
    ranks = rows - np.repeat(starts[:-1], counts) + 1
    return MatchedRun(tag, topics, np.diff(starts), ranks, places[rows].astype(np.int64))


def check_common_topic(run: RunTable | MatchedRun, judged: JudgmentTable) -> None:
    """Raise ``NoCommonTopicError`` for a run that has other topics only."""
    if fault := describe_no_common_topic(run, judged.topics):
        raise NoCommonTopicError(f"run {run.tag}: {fault}")


def describe_no_common_topic(run: RunTable | MatchedRun, topics: Sequence[str]) -> str:
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
    return batch_from_match(judged, _match_places("", topics, starts, places), options)


def batch_from_match(
    judged: JudgmentTable, match: MatchedRun, options: ScoringOptions
) -> ScoringBatch:
    """The batch of a run whose places in ``judged`` are known."""
    place = {topic: index for index, topic in enumerate(judged.topics)}
    at = np.array([place.get(topic, -1) for topic in match.topics], np.int64)
    known = at >= 0
    lengths = np.zeros(len(judged.topics), np.int64)
    lengths[at[known]] = match.sizes[known]
    batch = ScoringBatch(
        judged=judged,
        topic_index=np.arange(len(judged.topics)),
        lengths=lengths,
        answered=lengths > 0,
        # A pair has one topic, so the index of a judgment determines the topic.
        segment=judged.topic_index[match.judgment_index],
        ranks=match.ranks,
        judgment_index=match.judgment_index,
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
    ties = _new_ties(run)
    judged = set(topics) if ties else set()
    for start, end in ties:
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
    same = scores[1:] == scores[:-1]
    same[run.starts[1:-1] - 1] = False
    rows = np.flatnonzero(same)
    if not len(rows):
        return []
    # Rows that tie with the next one; a tie ends where the next row is not one of them.
    breaks = np.flatnonzero(rows[1:] != rows[:-1] + 1) + 1
    firsts = np.concatenate(([0], breaks))
    is_finer = np.logical_or.reduceat(run.scores[rows + 1] != run.scores[rows], firsts)
    ends = np.append(firsts[1:], len(rows)) - 1
    return list(
        zip(rows[firsts][is_finer].tolist(), (rows[ends] + 2)[is_finer].tolist(), strict=True)
    )
