"""The answers of a unit, and the answers on gold by which a worker is stopped."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Exists, OuterRef

from crowd.core.quality.wilson import WilsonInterval, compute_wilson_interval
from judging.models import Exclusion, Judgment, Purpose, WorkUnit


@dataclass(frozen=True)
class UnitAnswers:
    """Documents of a unit that were answered; those with a known grade, and those skipped, among
    them.
    """

    judged: int
    gold_shown: int
    gold_right: int
    skipped: int = 0


def load_unit_answers(unit: WorkUnit) -> UnitAnswers:
    """What counts for the pay of ``unit``: of each document the latest answer or skip."""
    rows = (
        Judgment.objects.filter(unit=unit)
        .exclude(purpose=Purpose.TRAINING)
        .order_by("pk")
        .values_list("topic", "docno", "purpose", "kind", "grade", "slot__gold__grade")
    )
    latest = {(topic, docno, purpose): rest for topic, docno, purpose, *rest in rows.iterator()}
    answers = [
        (purpose, grade, gold)
        for (_, _, purpose), (kind, grade, gold) in latest.items()
        if kind != Judgment.Kind.WITHDRAWN
    ]
    gold = [(grade, known) for purpose, grade, known in answers if purpose == Purpose.GOLD]
    return UnitAnswers(
        judged=len(answers),
        gold_shown=len(gold),
        gold_right=sum(grade is not None and grade == known for grade, known in gold),
        skipped=sum(grade is None for _, grade, _ in answers),
    )


def load_gold_interval(unit: WorkUnit) -> WilsonInterval:
    """The accuracy on gold of the unit's worker in its study: one query, whatever was answered.

    Documents first answered before an organizer undid an exclusion of the worker are forgiven. Of
    a trial, only its own answers count.
    """
    own = Judgment.objects.filter(unit__worker=unit.worker_id, unit__plan=unit.plan_id)
    own = own.filter(unit=unit) if unit.trial else own.filter(unit__trial=False)
    undone_later = Exclusion.objects.filter(
        worker=unit.worker_id, undoes__isnull=False, set_at__gte=OuterRef("judged_at")
    )
    rows = (
        own.filter(purpose=Purpose.GOLD)
        .annotate(forgiven=Exists(undone_later))
        .order_by("pk")
        .values_list("topic", "docno", "grade", "slot__gold__grade", "forgiven")
    )
    forgiven, latest = set(), {}
    for topic, docno, grade, known, early in rows.iterator():
        latest[topic, docno] = (grade, known)
        if early:
            forgiven.add((topic, docno))
    answered = [
        (grade, known)
        for pair, (grade, known) in latest.items()
        if pair not in forgiven and grade is not None
    ]
    right = sum(grade == known for grade, known in answered)
    return compute_wilson_interval(right, len(answered))
