"""Judgments and pairs for export, row by row, without loading everything into memory."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from itertools import groupby, islice
from typing import Any

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from campaigns.models import Campaign, Document, User
from judging.core.exchange.writer import CurrentOpinion, ExportPair
from judging.models import Judgment, Purpose, Slot
from judging.queries.exclusions import counting_judgments, list_units_set_aside
from judging.queries.judgments import (
    ON_SCREEN,
    current_judgments,
    latest_judgments,
    latest_judgments_by_pair,
    log_until,
)

PEOPLE = (
    Purpose.JUDGE, Purpose.REPEAT, Purpose.ADJUDICATE, Purpose.TRAINING, Purpose.GOLD,
)  # fmt: skip
"""Automatic judgments are not exported with human ones: see ``iter_comparison_rows``."""
OWN_COLUMNS = (
    "topic", "docno", "assessor", "purpose", "revision", "kind", "grade", "reason", "comment",
    "flags", "duplicate_of", "passages", "current", "judged_at", "active_seconds", "uuid",
)  # fmt: skip
COLUMNS = (
    *OWN_COLUMNS, "source", "fills_slot", "order", "rank_shown", "served_at", "lease",
    "guideline_version", "document_sha256", "third", "unit", "set_aside",
)  # fmt: skip
COMPARISON_COLUMNS = ("topic", "docno", "automatic", "grade", "assessor", "assessor_grade")
BATCH = 200


def iter_log_rows(
    campaign: Campaign,
    *,
    assessor: User | None = None,
    purposes: Collection[str] = PEOPLE,
    current: bool = False,
) -> Iterator[dict[str, Any]]:
    """Every revision in log order, or only current judgments, as ``COLUMNS``.

    ``set_aside`` rows do not count: they are of excluded crowd work, or of a trial.
    """
    log = Judgment.objects.filter(campaign=campaign, purpose__in=purposes)
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
           "guideline_version", "document_sha256", "third")  # fmt: skip
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


def iter_judged_pairs(campaign: Campaign) -> Iterator[ExportPair]:
    """Every judged or skipped pair by topic and docno, with its texts and current opinions."""
    log = latest_judgments(log_until(campaign)).exclude(kind=Judgment.Kind.WITHDRAWN)
    rows = log.select_related("topic", "assessor").order_by(
        "topic__position", "topic__number", "docno", "assessor__username"
    )
    by_pair = groupby(rows.iterator(), key=lambda row: (row.topic_id, row.docno))
    judged = (
        (judgments[0].topic, key[1], judgments)
        for key, group in by_pair
        if (judgments := list(group))
    )
    yield from attach_texts(
        campaign,
        (
            (t.number, t.title, docno, list(map(current_opinion, judgments)))
            for t, docno, judgments in judged
        ),
    )


def iter_open_pairs(campaign: Campaign) -> Iterator[ExportPair]:
    """Every pair that still needs a judgment, in the order of judging, with its texts."""
    needed = Slot.objects.filter(open_or_expired(), plan__campaign=campaign, purpose=Purpose.JUDGE)
    first = Slot.objects.filter(item=OuterRef("item"), k__lt=OuterRef("k"))
    earlier = first.filter(open_or_expired(), purpose=Purpose.JUDGE)
    rows = needed.exclude(Exists(earlier)).order_by(
        "topic__position", "topic__number", "position", "pk"
    )
    pairs = rows.values_list("topic__number", "topic__title", "item__docno").iterator()
    yield from attach_texts(campaign, ((*pair, []) for pair in pairs))


def open_or_expired() -> Q:
    expired = Q(state=Slot.State.LEASED, expires_at__lte=timezone.now())
    return Q(state=Slot.State.OPEN) | expired


def current_opinion(row: Judgment) -> CurrentOpinion:
    return CurrentOpinion(
        assessor=row.assessor.username,
        email=row.assessor.email,
        grade=row.grade,
        reason=row.reason,
        comment=row.comment,
        flags=row.flags,
        original_docno=row.duplicate_of,
        passages=row.passages,
        active_seconds=row.active_seconds,
        judged_at=row.judged_at.isoformat(),
        third=row.third,
    )


def attach_texts(
    campaign: Campaign, pairs: Iterable[tuple[str, str, str, list[CurrentOpinion]]]
) -> Iterator[ExportPair]:
    """``(topic, query, docno, opinions)`` with the documents' texts, fetched in batches."""
    rest = iter(pairs)
    while batch := list(islice(rest, BATCH)):
        documents = Document.objects.filter(campaign=campaign, docno__in={row[2] for row in batch})
        texts = {
            docno: (t, body) for docno, t, body in documents.values_list("docno", "title", "body")
        }
        for topic, query, docno, opinions in batch:
            title, text = texts.get(docno, ("", ""))
            yield ExportPair(topic, query, docno, title, text, opinions)


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
