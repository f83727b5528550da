"""The assessor quality report, with the self-consistency of assessors in blind repeats."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, TypeVar

import numpy as np

from poolbench.cards import Card
from poolbench.judging.agreement.labels import LabelTable
from poolbench.judging.agreement.panel import compare_label_sets
from poolbench.judging.agreement.report import Row, row_to_dict
from poolbench.judging.quality.automatic import (
    AUTOMATIC,
    AutomaticQuality,
    compare_automatic_assessors,
)
from poolbench.judging.quality.bias import (
    BIAS,
    DRIFT,
    BiasDrift,
    bias_by_assessor,
    drift_by_assessor,
)
from poolbench.judging.quality.ordered_grades import (
    FLOOR,
    PACE,
    AssessorPace,
    OrderedGrades,
    pace_by_assessor,
    untimed_judgments,
)
from poolbench.judging.repeats import SOONEST
from poolbench.statistics.estimate import Estimate, serialize_coefficient

Again = tuple[str, str, int, int]
"""Assessor, topic, first grade, grade of the repeat."""
EVERYONE = ""


def self_consistency_by_assessor(
    repeats: Sequence[Again], scale: tuple[int, ...], level: int
) -> dict[str, Row]:
    """Every coefficient of first grades against repeats: by assessor, and for all assessors
    together under the empty name; assessors without repeats are omitted.
    """
    if not repeats:
        return {}
    names = sorted({name for name, *_ in repeats})
    topics = sorted({topic for _, topic, *_ in repeats})
    at_grade = {grade: at for at, grade in enumerate(scale)}
    tables = np.zeros((len(names) + 1, len(topics), len(scale), len(scale)))
    for name, topic, first, again in repeats:
        cell = topics.index(topic), at_grade[first], at_grade[again]
        tables[(0, *cell)] += 1
        tables[(1 + names.index(name), *cell)] += 1
    rows = compare_label_sets(tables, scale, level)
    return dict(zip((EVERYONE, *names), rows, strict=True))


CONSISTENCY = Card(
    name="consistency",
    title="Self-consistency",
    formula="every two-assessor coefficient between the grade of the assessor's own judgment at "
    "the time of its blind repeat and the current grade of the repeat",
    reading="How well an assessor agrees with their own judgments; in practice an upper limit for "
    "agreement with others.",
    source="Blind repeats; same coefficients as between assessors.",
    range="that of the coefficient",
    edge_cases=(
        (
            f"Only repeats with {SOONEST} or more other documents between the assessor's last "
            "judgment of the pair and the repeat count; nearer ones show memory and are reported "
            "apart."
        ),
        "Repeats count neither in qrels nor in inter-assessor agreement.",
        (
            "A first judgment changed after the repeat counts as it was before; if it was undone, "
            "the repeat is excluded."
        ),
    ),
    undefined="there are no repeats, or the coefficient is undefined.",
    example="first 2, 0, 1, repeats 2, 0, 0: percent agreement 2/3.",
)


T = TypeVar("T")

CARDS: dict[str, Card] = {card.name: card for card in (BIAS, DRIFT, CONSISTENCY, PACE, AUTOMATIC)}
"""The quality cards in display order."""


@dataclass(frozen=True, eq=False)
class JudgingRecord:
    """The judgment log: current human grades as a table and in order of judging, blind repeats
    (those that came too soon apart), and the grades of automatic assessors.
    """

    people: LabelTable
    grades: OrderedGrades
    repeats: Sequence[Again] = ()
    automatic: LabelTable | None = None
    near_repeats: Sequence[Again] = ()


@dataclass(frozen=True)
class QualityReport:
    """By assessor; ``automatic`` by automatic assessor.

    ``near_consistency`` is of the repeats that came too soon, which ``consistency`` leaves out.
    """

    bias: Mapping[str, Estimate]
    drift: Mapping[str, BiasDrift]
    consistency: Mapping[str, Row]
    pace: Mapping[str, AssessorPace]
    automatic: Mapping[str, AutomaticQuality]
    near_consistency: Mapping[str, Row]

    def largest(self, rows: int | None) -> "QualityReport":
        """At most ``rows`` assessors, those whose bias is over the most judgments."""
        if rows is None or len(self.bias) <= rows:
            return self
        names = set(sorted(self.bias, key=lambda name: -self.bias[name].n)[:rows])
        own = {name: row for name, row in self.consistency.items() if name in {EVERYONE, *names}}

        def select(rows_by_name: Mapping[str, T]) -> dict[str, T]:
            return {name: row for name, row in rows_by_name.items() if name in names}

        return replace(
            self,
            bias=select(self.bias),
            drift=select(self.drift),
            consistency=own,
            pace=select(self.pace),
        )

    def _consistency(self, name: str) -> dict[str, Any]:
        rows = {"consistency": self.consistency, "near_consistency": self.near_consistency}
        return {key: row_to_dict(row[name]) if name in row else None for key, row in rows.items()}

    def as_dict(self) -> dict[str, Any]:
        """The report as plain values."""
        return {
            "assessors": [
                {
                    "name": name,
                    "bias": _estimate(self.bias[name]),
                    "drift": {
                        "slope": _estimate(self.drift[name].slope),
                        "blocks": [asdict(block) for block in self.drift[name].blocks],
                    },
                    **self._consistency(name),
                    "pace": _pace(self.pace[name]),
                }
                for name in self.bias
            ],
            **self._consistency(EVERYONE),
            "hasty_below_seconds": FLOOR,
            "automatic": [
                {
                    "name": name,
                    "judged": quality.judged,
                    "bias": _estimate(quality.bias),
                    "consensus": row_to_dict(quality.consensus),
                    "people": [
                        {"name": who, **row_to_dict(row)} for who, row in quality.people.items()
                    ],
                }
                for name, quality in self.automatic.items()
            ],
        }


def quality_report(record: JudgingRecord, level: int) -> QualityReport:
    """``level`` is the lowest grade that is relevant."""
    grades, automatic = record.grades, record.automatic
    return QualityReport(
        bias_by_assessor(grades),
        drift_by_assessor(grades),
        self_consistency_by_assessor(record.repeats, grades.scale, level),
        pace_by_assessor(grades),
        compare_automatic_assessors(record.people, automatic, level) if automatic else {},
        self_consistency_by_assessor(record.near_repeats, grades.scale, level),
    )


def record_from_labels(labels: LabelTable) -> JudgingRecord:
    """A record of grades of unknown order and time, as in qrels files."""
    return JudgingRecord(labels, untimed_judgments(labels))


def _pace(pace: AssessorPace) -> dict[str, Any]:
    by_grade = [{"grade": grade, **asdict(seconds)} for grade, seconds in pace.by_grade.items()]
    return {**asdict(pace.overall), "hasty": pace.hasty, "by_grade": by_grade}


def _estimate(estimate: Estimate) -> dict[str, Any]:
    """As agreement coefficients, which alone have a prevalence."""
    values = serialize_coefficient(estimate)
    del values["prevalence"]
    return values
