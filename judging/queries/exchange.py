"""Judgments for export, row by row, without loading everything into memory."""

from collections.abc import Iterator
from typing import Any

from django.db.models import Exists, OuterRef, Q, QuerySet

from campaigns.models import Campaign, User
from judging.models import Judgment, Purpose
from judging.queries.exclusions import counting_judgments, list_units_set_aside
from judging.queries.judgments import (
    ON_SCREEN,
    current_judgments,
    latest_judgments,
    latest_judgments_by_pair,
)

PEOPLE = (
    Purpose.JUDGE, Purpose.REPEAT, Purpose.ADJUDICATE, Purpose.TRAINING, Purpose.GOLD,
    Purpose.PROPAGATED,
)  # fmt: skip
"""Automatic judgments are not exported with human ones: see ``iter_comparison_rows``."""
OWN_COLUMNS = (
    "topic", "docno", "assessor", "purpose", "revision", "kind", "grade", "reason", "comment",
    "flags", "duplicate_of", "passages", "current", "judged_at", "active_seconds", "uuid",
    "language_shown",
)  # fmt: skip
COLUMNS = (
    *OWN_COLUMNS, "source", "fills_slot", "order", "rank_shown", "served_at", "lease",
    "guideline_version", "document_sha256", "third", "unit", "set_aside", "erratum",
)  # fmt: skip
COMPARISON_COLUMNS = ("topic", "docno", "automatic", "grade", "assessor", "assessor_grade")


def iter_log_rows(
    campaign: Campaign, *, assessor: User | None = None, current: bool = False
) -> Iterator[dict[str, Any]]:
    """Every revision in log order, or only current judgments, as ``COLUMNS``.

    ``set_aside`` rows do not count: they are of excluded crowd work, or of a trial.
    """
    log = Judgment.objects.filter(campaign=campaign, purpose__in=PEOPLE)
    if assessor is not None:
        log = log.filter(assessor=assessor)
    latest = latest_judgments(log.filter(counting_judgments())).exclude(
        kind=Judgment.Kind.WITHDRAWN
    )
    current_ids = set(latest.order_by().values_list("pk", flat=True))
    aside = set(list_units_set_aside().filter(plan__campaign=campaign).values_list("pk", flat=True))
    for row in log.select_related("topic", "assessor", "unit").order_by("pk").iterator():
        if not current or row.pk in current_ids:
            yield log_row(row, row.pk in current_ids, row.unit_id in aside)


def iter_own_rows(campaign: Campaign, assessor: User) -> Iterator[dict[str, Any]]:
    """The assessor's own log as ``OWN_COLUMNS``; a blind repeat is a judgment like the others."""
    log = Judgment.objects.filter(campaign=campaign, assessor=assessor)
    latest = latest_judgments_by_pair(log.filter(purpose__in=ON_SCREEN)).order_by()
    current = {str(uuid) for uuid in latest.values_list("client_uuid", flat=True)}
    for row in iter_log_rows(campaign, assessor=assessor):
        if row["purpose"] in ON_SCREEN:
            row |= {"purpose": Purpose.JUDGE.value, "current": row["uuid"] in current}
        yield {name: row[name] for name in OWN_COLUMNS}


def log_row(row: Judgment, current: bool, set_aside: bool) -> dict[str, Any]:
    own = ("docno", "purpose", "revision", "kind", "grade", "reason", "comment", "flags",
           "duplicate_of", "passages", "active_seconds", "source", "order", "rank_shown",
           "guideline_version", "document_sha256", "third", "erratum",
           "language_shown")  # fmt: skip
    return {name: getattr(row, name) for name in own} | {
        "topic": row.topic.number,
        "assessor": row.assessor.username,
        "current": current,
        "unit": str(row.unit.public_id) if row.unit else None,
        "set_aside": set_aside,
        "judged_at": row.judged_at.isoformat(),
        "served_at": row.served_at.isoformat() if row.served_at else None,
        "fills_slot": row.slot_id is not None,
        "lease": str(row.lease) if row.lease else None,
        "uuid": str(row.client_uuid),
    }


def human_judgments(campaign: Campaign) -> QuerySet[Judgment]:
    """Current human grades; pairs with one may be compared with a model's."""
    current = (current_judgments(campaign, purpose=p) for p in (Purpose.JUDGE, Purpose.ADJUDICATE))
    first, second = (judgments.order_by().values("pk") for judgments in current)
    return Judgment.objects.filter(Q(pk__in=first) | Q(pk__in=second))


def automatic_with_human(campaign: Campaign, automatic: User) -> QuerySet[Judgment]:
    """The model's grades of pairs with a human grade; all others are never shown."""
    human = human_judgments(campaign).filter(topic=OuterRef("topic"), docno=OuterRef("docno"))
    own = current_judgments(campaign, purpose=Purpose.AUTOMATIC).filter(assessor=automatic)
    return (
        own.filter(Exists(human))
        .select_related("topic")
        .order_by("topic__position", "topic__number", "docno")
    )


def iter_comparison_rows(campaign: Campaign, automatic: User) -> Iterator[dict[str, Any]]:
    """One row per human grade of a pair, with the model's, as ``COMPARISON_COLUMNS``."""
    people: dict[tuple[int, str], list[tuple[str, int | None]]] = {}
    rows = human_judgments(campaign).order_by("assessor__username")
    for topic, docno, name, grade in rows.values_list(
        "topic", "docno", "assessor__username", "grade"
    ).iterator():
        people.setdefault((topic, docno), []).append((name, grade))
    for row in automatic_with_human(campaign, automatic).iterator():
        for name, grade in people.get((row.topic_id, row.docno), []):
            yield {
                "topic": row.topic.number,
                "docno": row.docno,
                "automatic": automatic.username,
                "grade": row.grade,
                "assessor": name,
                "assessor_grade": grade,
            }
