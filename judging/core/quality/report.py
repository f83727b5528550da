"""Everything that is told of assessors one by one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from campaigns.core.cards import Card
from judging.core.agreement.labels import Labels
from judging.core.agreement.report import Row, plain
from judging.core.agreement.resampling import Draws
from judging.core.quality.automatic import AUTOMATIC, Automatic, automatics
from judging.core.quality.bias import BIAS, DRIFT, Drift, biases, drifts
from judging.core.quality.consistency import CONSISTENCY, EVERYONE, Again, consistencies
from judging.core.quality.estimate import Estimate
from judging.core.quality.pace import FLOOR, PACE, AssessorPace, paces
from judging.core.quality.priming import PRIMING, Priming, primings
from judging.core.quality.said import Said, said_in

CARDS: dict[str, Card] = {
    card.name: card for card in (BIAS, DRIFT, PRIMING, CONSISTENCY, PACE, AUTOMATIC)
}
"""What is told of assessors one by one, in the order of display."""


@dataclass(frozen=True, eq=False)
class Record:
    """What the judgment log says: people's current grades, side by side and in order, their
    blind repeats, and the grades of automatic assessors.
    """

    people: Labels
    said: Said
    repeats: Sequence[Again] = ()
    automatic: Labels | None = None


@dataclass(frozen=True)
class QualityReport:
    """By assessor, but for ``priming`` over all of them and ``automatic`` by automatic one."""

    bias: Mapping[str, Estimate]
    drift: Mapping[str, Drift]
    priming: Priming
    priming_by_assessor: Mapping[str, Priming]
    consistency: Mapping[str, Row]
    pace: Mapping[str, AssessorPace]
    automatic: Mapping[str, Automatic]

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
                    "pace": _pace(self.pace[name]),
                }
                for name in self.bias
            ],
            "priming": asdict(self.priming),
            "consistency": _row(self.consistency.get(EVERYONE)),
            "hasty_below_seconds": FLOOR,
            "automatic": [
                {
                    "name": name,
                    "judged": found.judged,
                    "bias": asdict(found.bias),
                    "consensus": plain(found.consensus),
                    "people": [{"name": who, **plain(row)} for who, row in found.people.items()],
                }
                for name, found in self.automatic.items()
            ],
        }


def quality_report(record: Record, level: int, draws: Draws | None = None) -> QualityReport:
    """``level`` is the lowest grade that is relevant."""
    draws = draws or Draws()
    said = record.said
    priming, by_assessor = primings(said)
    machines = record.automatic
    return QualityReport(
        biases(said, draws),
        drifts(said, draws),
        priming,
        by_assessor,
        consistencies(record.repeats, said.scale, level, draws),
        paces(said),
        automatics(record.people, machines, level, draws) if machines else {},
    )


def record_of(labels: Labels) -> Record:
    """A record of grades of which neither order nor time is known, as in qrels files."""
    return Record(labels, said_in(labels))


def _row(row: Row | None) -> dict[str, Any] | None:
    return None if row is None else plain(row)


def _pace(found: AssessorPace) -> dict[str, Any]:
    by_grade = [{"grade": grade, **asdict(it)} for grade, it in found.by_grade.items()]
    return {**asdict(found.overall), "hasty": found.hasty, "by_grade": by_grade}
