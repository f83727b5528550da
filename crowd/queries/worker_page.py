"""One worker of a study: units, answers on gold, timeline, and what was set aside."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from crowd.core.quality.answers import CrowdAnswer
from crowd.core.quality.time_floor import TimeFloor
from crowd.models import Payment, Study
from crowd.queries.worker_answers import load_study_answers
from crowd.queries.workers import WorkerSummary, find_exclusions, list_crowd_workers
from judging.models import CrowdWorker, Exclusion, WorkUnit

MOST_ANSWERS = 500


@dataclass(frozen=True)
class UnitLine:
    """A unit of the worker; ``paid`` is None while it runs or where nothing is owed."""

    unit: WorkUnit
    judged: int
    paid: Decimal | None
    exclusion: Exclusion | None

    @property
    def can_set_aside(self) -> bool:
        return self.exclusion is None and self.judged > 0


@dataclass(frozen=True)
class AnswerLine:
    """An answer in the order of time; ``unit`` counts from 1."""

    number: int
    unit: int
    answer: CrowdAnswer
    is_hasty: bool

    @property
    def is_right(self) -> bool | None:
        return (
            None if self.answer.gold_grade is None else self.answer.gold_grade == self.answer.grade
        )


@dataclass(frozen=True)
class WorkerDetail:
    """``gold`` are the answers on gold, ``answers`` the first 500 of all, ``more`` the rest."""

    summary: WorkerSummary
    units: list[UnitLine]
    answers: list[AnswerLine]
    gold: list[AnswerLine]
    history: list[Exclusion]
    more: int


def load_worker_detail(study: Study, worker: CrowdWorker) -> WorkerDetail:
    """Everything that organizers see of one worker."""
    summary = next(row for row in list_crowd_workers(study) if row.pk == worker.pk)
    units = list(
        WorkUnit.objects.filter(plan=study.plan_id, worker=worker, trial=False).order_by("pk")
    )
    places = {unit.pk: number for number, unit in enumerate(units, 1)}
    answers = load_study_answers(study, worker)
    floor = TimeFloor(study.floor_seconds, study.floor_per_1000)
    lines = [
        AnswerLine(
            number=number,
            unit=places[unit],
            answer=answer,
            is_hasty=answer.seconds is not None
            and floor.is_hasty(answer.seconds, answer.characters),
        )
        for number, (unit, answer) in enumerate(answers, 1)
    ]
    exclusions = Exclusion.objects.filter(campaign=study.campaign_id, worker=worker)
    return WorkerDetail(
        summary=summary,
        units=list_unit_lines(study, units, answers),
        answers=lines[:MOST_ANSWERS],
        gold=[line for line in lines if line.answer.gold_grade is not None],
        history=list(exclusions.select_related("actor", "unit", "undoes").order_by("-pk")),
        more=max(len(lines) - MOST_ANSWERS, 0),
    )


def list_unit_lines(
    study: Study, units: list[WorkUnit], answers: list[tuple[int, CrowdAnswer]]
) -> list[UnitLine]:
    """The units with their answers, pay and exclusion in force."""
    _, single = find_exclusions(study)
    rows = Payment.objects.filter(unit__in=units).values_list("unit", "amount")
    paid = dict(rows)
    return [
        UnitLine(
            unit=unit,
            judged=sum(1 for number, _ in answers if number == unit.pk),
            paid=paid.get(unit.pk),
            exclusion=single.get(unit.pk),
        )
        for unit in units
    ]
