"""The assessor quality report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, TypeVar

from campaigns.core.cards import Card
from common.statistics.draws import ResamplingOptions
from judging.core.agreement.coefficient import DRAWS
from judging.core.agreement.labels import LabelTable
from judging.core.agreement.report import Row, row_to_dict
from judging.core.quality.automatic import AUTOMATIC, AutomaticQuality, compare_automatic_assessors
from judging.core.quality.bias import BIAS, DRIFT, BiasDrift, bias_by_assessor, drift_by_assessor
from judging.core.quality.consistency import (
    CONSISTENCY,
    EVERYONE,
    Again,
    self_consistency_by_assessor,
)
from judging.core.quality.estimate import QualityEstimate
from judging.core.quality.ordered_grades import OrderedGrades, untimed_judgments
from judging.core.quality.pace import FLOOR, PACE, AssessorPace, pace_by_assessor
from judging.core.quality.priming import PRIMING, Priming, priming_by_assessor

T = TypeVar("T")

CARDS: dict[str, Card] = {
    card.name: card for card in (BIAS, DRIFT, PRIMING, CONSISTENCY, PACE, AUTOMATIC)
}
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
    """By assessor; ``priming`` over all assessors, ``automatic`` by automatic assessor.

    ``near_consistency`` is of the repeats that came too soon, which ``consistency`` leaves out.
    """

    bias: Mapping[str, QualityEstimate]
    drift: Mapping[str, BiasDrift]
    priming: Priming
    priming_by_assessor: Mapping[str, Priming]
    consistency: Mapping[str, Row]
    pace: Mapping[str, AssessorPace]
    automatic: Mapping[str, AutomaticQuality]
    near_consistency: Mapping[str, Row]

    def largest(self, rows: int | None) -> QualityReport:
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
            priming_by_assessor=select(self.priming_by_assessor),
            consistency=own,
            pace=select(self.pace),
        )

    def as_dict(self) -> dict[str, Any]:
        """The report as plain values."""
        return {
            "assessors": [
                {
                    "name": name,
                    "bias": asdict(self.bias[name]),
                    "drift": asdict(self.drift[name]),
                    "priming": asdict(self.priming_by_assessor[name]),
                    "consistency": _row(self.consistency.get(name)),
                    "near_consistency": _row(self.near_consistency.get(name)),
                    "pace": _pace(self.pace[name]),
                }
                for name in self.bias
            ],
            "priming": asdict(self.priming),
            "consistency": _row(self.consistency.get(EVERYONE)),
            "near_consistency": _row(self.near_consistency.get(EVERYONE)),
            "hasty_below_seconds": FLOOR,
            "automatic": [
                {
                    "name": name,
                    "judged": quality.judged,
                    "bias": asdict(quality.bias),
                    "consensus": row_to_dict(quality.consensus),
                    "people": [
                        {"name": who, **row_to_dict(row)} for who, row in quality.people.items()
                    ],
                }
                for name, quality in self.automatic.items()
            ],
        }


def quality_report(
    record: JudgingRecord, level: int, draws: ResamplingOptions | None = None
) -> QualityReport:
    """``level`` is the lowest grade that is relevant."""
    draws = draws or DRAWS
    grades = record.grades
    priming, by_assessor = priming_by_assessor(grades)
    automatic = record.automatic
    return QualityReport(
        bias_by_assessor(grades, draws),
        drift_by_assessor(grades, draws),
        priming,
        by_assessor,
        self_consistency_by_assessor(record.repeats, grades.scale, level, draws),
        pace_by_assessor(grades),
        compare_automatic_assessors(record.people, automatic, level, draws) if automatic else {},
        self_consistency_by_assessor(record.near_repeats, grades.scale, level, draws),
    )


def record_from_labels(labels: LabelTable) -> JudgingRecord:
    """A record of grades of unknown order and time, as in qrels files."""
    return JudgingRecord(labels, untimed_judgments(labels))


def _row(row: Row | None) -> dict[str, Any] | None:
    return None if row is None else row_to_dict(row)


def _pace(pace: AssessorPace) -> dict[str, Any]:
    by_grade = [{"grade": grade, **asdict(seconds)} for grade, seconds in pace.by_grade.items()]
    return {**asdict(pace.overall), "hasty": pace.hasty, "by_grade": by_grade}
