"""All runs over all judged topics in memory, one gather a run."""

from collections.abc import Sequence

import numpy as np

from poolbench.evaluation.in_memory import WarmRuns, build_run_batch
from poolbench.evaluation.judgments import Floats, JudgmentTable
from poolbench.evaluation.measures.family import Measure
from poolbench.evaluation.options import ScoringOptions
from poolbench.runs.pair_places import PairPlaces


def score_all_runs(
    runs: WarmRuns,
    judged: JudgmentTable,
    places: PairPlaces,
    measures: Sequence[Measure],
    options: ScoringOptions,
) -> Floats:
    """Values by run, judged topic and measure; ``places`` are the pairs' indices in ``judged``.

    The topic set of ``options`` must be all judged topics, so that the shape is fixed.
    """
    scored = np.empty((len(runs), len(judged.topics), len(measures)))
    for at, matrix in enumerate(runs.matrices):
        batch = build_run_batch(matrix, judged, places, options)
        for column, measure in enumerate(measures):
            scored[at, :, column] = measure(batch)
    return scored
