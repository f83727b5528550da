"""A campaign's runs in memory as pair codes, for rescoring after new judgments.

New judgments do not change rankings, only the index of each pair in the judgments. So rescoring
is one gather per run, and after one judgment one gather per topic.
"""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from poolbench.evaluation.batch import ScoringBatch
from poolbench.evaluation.judgments import Floats, Ints, JudgmentTable
from poolbench.evaluation.matching import apply_options, batch_from_places
from poolbench.evaluation.measures.family import Measure
from poolbench.evaluation.options import ScoringOptions
from poolbench.runs.pair_places import PairPlaces
from poolbench.runs.run_matrix import RunMatrix
from poolbench.runs.tables import group_starts


@dataclass(frozen=True, eq=False)
class WarmRuns:
    """Runs as pair codes. ``ranked[topic]`` is ``(codes, starts)`` of that topic in all runs:
    run ``i`` retrieved ``codes[starts[i]:starts[i + 1]]``, in rank order. If not ``stay``, topics
    are read from ``matrices`` each time.
    """

    matrices: Sequence[RunMatrix]
    stay: bool = True
    ranked: dict[str, tuple[NDArray[np.int32], Ints]] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.matrices)

    def of_topic(self, topic: str) -> tuple[NDArray[np.int32], Ints]:
        """All runs' rankings of ``topic``, concatenated; cached if they stay."""
        if topic in self.ranked:
            return self.ranked[topic]
        # Copied, so that no more than one matrix is in memory if they are read each time.
        parts = [retrieved_codes(matrix, topic).copy() for matrix in self.matrices]
        together = np.concatenate(parts) if parts else np.empty(0, np.int32)
        ranked = together, group_starts([len(part) for part in parts])
        if self.stay:
            self.ranked[topic] = ranked
        return ranked


def retrieved_codes(matrix: RunMatrix, topic: str) -> NDArray[np.int32]:
    """The codes that the run retrieved for ``topic``, in rank order."""
    # Topics ascend by code point; most runs have those of the others.
    at = bisect_left(matrix.topics, topic)
    if matrix.topics[at : at + 1] != (topic,):
        return matrix.pairs[:0]
    return matrix.pairs[matrix.starts[at] : matrix.starts[at + 1]]


def build_run_batch(
    matrix: RunMatrix, judged: JudgmentTable, places: PairPlaces, options: ScoringOptions
) -> ScoringBatch:
    """One run over the judged topics: one gather."""
    return batch_from_places(
        judged, matrix.topics, matrix.starts, places.take(matrix.pairs), options
    )


def score_topic(
    runs: WarmRuns,
    judged: JudgmentTable,
    places: PairPlaces,
    measures: Sequence[Measure],
    options: ScoringOptions,
    first: int = 0,
) -> Floats:
    """Values by run and measure for the single topic of ``judged``, after a new judgment.

    ``places`` less ``first`` is a pair's index in ``judged``, of the pairs of the topic; below 0 it
    has none.
    """
    (topic,) = judged.topics
    codes, starts = runs.of_topic(topic)
    ranked_places = places.take(codes) - first
    rows = np.flatnonzero(ranked_places >= 0)
    lengths = np.diff(starts)
    segment = np.repeat(np.arange(len(runs)), lengths)[rows]
    batch = ScoringBatch(
        judged=judged,
        topic_index=np.zeros(len(runs), np.int64),
        lengths=lengths,
        answered=lengths > 0,
        segment=segment,
        ranks=rows - starts[segment] + 1,
        judgment_index=ranked_places[rows].astype(np.int64),
        options=options,
    )
    cut = apply_options(batch)
    return np.stack([measure(cut) for measure in measures], axis=1)
