"""The values that are compared: one array of runs × topics per measure."""

from collections import Counter
from collections.abc import Sequence

import numpy as np

from poolbench.evaluation.evaluate import ScoredRun
from poolbench.evaluation.judgments import Floats
from poolbench.evaluation.measures.family import Measure


def is_comparable(measure: Measure) -> bool:
    """Whether ``measure`` has a numeric value by topic."""
    return not (measure.family.summary_only or measure.family.text)


def values_by_measure(scores: Sequence[ScoredRun]) -> dict[str, Floats]:
    """Runs × topics for each comparable measure of the first run, by its name.

    The topics are the union over the runs, in order of first appearance; NaN if a run does not
    have the topic or the measure is undefined. All runs must have the same measures.
    """
    topics = list(dict.fromkeys(topic for run in scores for topic in run.topics))
    place = {topic: column for column, topic in enumerate(topics)}
    measures = scores[0].measures if scores else ()
    cube = np.full((len(measures), len(scores), len(topics)), np.nan)
    for row, run in enumerate(scores):
        cube[:, row, [place[topic] for topic in run.topics]] = run.values.T
    comparable = [(n, measure) for n, measure in enumerate(measures) if is_comparable(measure)]
    return {measure.name: cube[number] for number, measure in comparable}


def unique_run_tags(tags: Sequence[str], places: Sequence[str]) -> tuple[str, ...]:
    """The run tags, with the file name appended to tags shared by several runs."""
    times = Counter(tags)
    pairs = zip(tags, places, strict=True)
    return tuple(f"{tag} ({place})" if times[tag] > 1 else tag for tag, place in pairs)
