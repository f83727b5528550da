"""Automatic assessors compared with human assessors, and kept apart from them."""

from dataclasses import dataclass

import numpy as np

from poolbench.cards import Card
from poolbench.judging.agreement.coefficient import divide_or_default, iter_confusion_tables
from poolbench.judging.agreement.labels import MISSING, LabelTable
from poolbench.judging.agreement.panel import compare_label_sets
from poolbench.judging.agreement.report import Row
from poolbench.judging.quality.bias import bootstrap_estimate, mean_from_sums, undefined_estimate
from poolbench.statistics.estimate import Estimate

CONSENSUS = "consensus"
NO_PEOPLE = "no human assessor judged any of the pairs"


@dataclass(frozen=True)
class AutomaticQuality:
    """One automatic assessor: every coefficient against the human consensus and against each
    human assessor; ``bias`` is the mean of its grade minus the mean human grade.
    """

    judged: int
    consensus: Row
    people: dict[str, Row]
    bias: Estimate


def compare_automatic_assessors(
    people: LabelTable, automatic: LabelTable, level: int
) -> dict[str, AutomaticQuality]:
    """The comparison of each automatic assessor, by name."""
    if not len(automatic.assessors):
        return {}
    both = people.combine_with(automatic)
    n = len(people.assessors)
    persons = both.select_assessors(*range(n))
    own = both.select_assessors(*range(n, len(both.assessors)))
    consensus = consensus_labels(persons)
    stacked = np.vstack([consensus.grades, persons.grades])
    names = (*consensus.assessors, *persons.assessors)
    against = LabelTable(names, persons.pairs, stacked, persons.scale)
    tables = np.stack(list(iter_confusion_tables(own, against)))
    rows = compare_label_sets(tables, both.scale, level)
    width = n + 1
    qualities = {}
    for at, name in enumerate(own.assessors):
        mine = rows[at * width : (at + 1) * width]
        qualities[name] = AutomaticQuality(
            int(own.judged[at].sum()),
            mine[0],
            dict(zip(persons.assessors, mine[1:], strict=True)),
            _bias(persons, own.select_assessors(at)),
        )
    return qualities


def consensus_labels(people: LabelTable) -> LabelTable:
    """One row: the median human grade of each pair, the lower of two middle grades."""
    counts = people.judged.sum(axis=0)
    ordered = np.sort(np.where(people.judged, people.grades, np.iinfo(np.int32).max), axis=0)
    middle = np.maximum(counts - 1, 0) // 2
    grades = np.full((1, len(people.pairs)), MISSING, np.int32)
    if len(people.assessors):
        grades[0] = np.where(counts > 0, ordered[middle, np.arange(len(middle))], MISSING)
    return LabelTable((CONSENSUS,), people.pairs, grades, people.scale)


def _bias(people: LabelTable, automatic: LabelTable) -> Estimate:
    counts = people.judged.sum(axis=0)
    both = automatic.judged[0] & (counts > 0)
    if not both.any():
        return undefined_estimate(NO_PEOPLE)
    total = np.where(people.judged, people.grades, 0).sum(axis=0)
    differences = (automatic.grades[0] - divide_or_default(total, counts))[both]
    topics = people.topic_indices[both]
    parts = [np.bincount(topics, part) for part in (np.ones(len(differences)), differences)]
    sums = np.stack(parts, axis=-1).astype(np.float64)
    return bootstrap_estimate(sums, mean_from_sums, NO_PEOPLE)


AUTOMATIC = Card(
    name="automatic",
    title="Automatic and human assessors",
    formula="every two-assessor coefficient between an automatic assessor and the human consensus "
    "(median grade, the lower of two middle grades), and each human assessor; bias: mean of (its "
    "grade − mean human grade)",
    reading="Whether a model's notion of relevance matches the human assessors'; compare with "
    "the agreement among them.",
    source="Same coefficients as between human assessors.",
    range="that of the coefficient",
    edge_cases=("Automatic assessors never count as human assessors, nor towards the consensus.",),
    undefined="no human assessor judged any of its pairs, or the coefficient is undefined.",
    example="human grades 0, 2 and 1, 2: consensus 0, 2; a model with 0, 1 has percent agreement "
    "1/2 and bias (−0.5 − 1) / 2 = −0.75.",
)
