"""Automatic assessors: judgments of models, kept apart from human judgments.

They fill no slots and belong to no member; they count only under a policy that names them.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from uuid import UUID

from django.db import transaction

from campaigns.errors import ActionRefused
from campaigns.models import Campaign, User
from campaigns.queries.collection_files import list_missing_docnos
from campaigns.rules import require_permission
from campaigns.services import events
from judging.models import AutomaticAssessor, Judgment, Purpose
from judging.services.bulk import ImportCounts, ImportRow, append_judgments, refresh_after_commit
from judging.services.judgment_log import lock_judging, run_with_retries
from poolbench.estimation.chances_file import find_fault_of_chances
from poolbench.files.faults import FaultReport

MAX_JUDGMENTS = 10_000
"""Judgments per request."""
_NAME = re.compile(r"[a-z0-9](?:[a-z0-9_-]{0,58}[a-z0-9])?")


@dataclass(frozen=True)
class SubmittedJudgment:
    """One judgment of a model, as submitted through the API; the grade is the most likely one if
    it gave ``chances``.
    """

    topic: str
    docno: str
    grade: int
    client_uuid: UUID
    comment: str = ""
    chances: tuple[float, ...] = ()


def create_automatic_assessor(
    *, actor: User, campaign: Campaign, name: str, description: str = ""
) -> AutomaticAssessor:
    """Add an automatic assessor called ``name``, with an inactive account without password."""
    require_permission(actor, "campaigns.manage", campaign)
    if not _NAME.fullmatch(name):
        fix = "Use at most 60 characters of a-z 0-9 - _, e.g. llama3-70b."
        raise ActionRefused("bad-name", f"Invalid name: {name or '(empty)'}.", fix)
    username = f"{campaign.slug}.{name}"
    with transaction.atomic():
        Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
        if User.objects.filter(username=username).exists():
            fix = "Choose another name; use a new name for each model and prompt."
            raise ActionRefused("name-taken", f"The username {username} is taken.", fix)
        user = User(username=username, first_name=name, is_active=False)
        user.set_unusable_password()
        user.save()
        automatic = AutomaticAssessor.objects.create(
            campaign=campaign, name=name, description=description, user=user, created_by=actor
        )
        events.log_event(campaign=campaign, actor=actor, code="automatic.created", subject=name)
    return automatic


def submit_automatic_judgments(
    *,
    actor: User,
    campaign: Campaign,
    automatic: AutomaticAssessor,
    judgments: Sequence[SubmittedJudgment],
) -> ImportCounts:
    """Save all ``judgments`` or none; each ``client_uuid`` counts once.

    The same grade again is not a new revision. Raises ``InvalidFile`` with all faults, by
    number of the judgment from 1: EJ01, EJ02, EJ12, EJ13, EJ03 (duplicate pair), EJ15 (UUID of
    another judgment), EH02, EH04, EH05 (chances).
    """
    require_permission(actor, "campaigns.manage", campaign)
    if len(judgments) > MAX_JUDGMENTS:
        fix = "Submit them in several requests."
        message = f"More than {MAX_JUDGMENTS:,} judgments in one request."
        raise ActionRefused("too-many", message, fix)
    if automatic.campaign_id != campaign.pk:
        raise ActionRefused("no-automatic", f"Unknown automatic assessor: {automatic.name}.")
    check_takes_judgments(automatic)
    return run_with_retries(
        partial(write_automatic_judgments, actor, campaign, automatic, list(judgments))
    )


def check_takes_judgments(automatic: AutomaticAssessor) -> None:
    """Raise ``ActionRefused`` for a prompt card's assessor: only its model's answers are its."""
    if automatic.card_id is not None:
        message = f"The judgments of {automatic.name} are the answers of its model."
        fix = "Add another automatic assessor for judgments from elsewhere."
        raise ActionRefused("model-own", message, fix)


def write_automatic_judgments(
    actor: User,
    campaign: Campaign,
    automatic: AutomaticAssessor,
    judgments: list[SubmittedJudgment],
) -> ImportCounts:
    lock_judging(campaign)
    topics = dict(campaign.topics.values_list("number", "pk"))
    done = judgments_by_uuid([judgment.client_uuid for judgment in judgments])
    check_automatic_submission(campaign, automatic, judgments, topics, done)
    rows = [
        ImportRow(
            topics[judgment.topic], judgment.docno, Judgment.Kind.GRADE, judgment.grade,
            comment=judgment.comment, uuid=judgment.client_uuid, chances=judgment.chances,
        )
        for judgment in judgments
        if judgment.client_uuid not in done
    ]  # fmt: skip
    counts = append_judgments(
        campaign, automatic.user, rows, purpose=Purpose.AUTOMATIC, source=Judgment.Source.API
    )
    counts.unchanged += len(judgments) - len(rows)
    refresh_after_commit(counts.appended)
    if counts.appended:
        events.log_event(
            campaign=campaign,
            actor=actor,
            code="automatic.judgments_submitted",
            subject=f"{counts.appended} by {automatic.name}",
            revised=counts.revised,
            known_before=counts.unchanged,
        )
    return counts


def judgments_by_uuid(uuids: Sequence[UUID]) -> dict[UUID, tuple[int, int, str, int]]:
    """By UUID, its existing judgment: campaign, topic, docno, assessor."""
    by_uuid: dict[UUID, tuple[int, int, str, int]] = {}
    for start in range(0, len(uuids), 500):
        rows = Judgment.objects.filter(client_uuid__in=uuids[start : start + 500])
        fields = ("client_uuid", "campaign", "topic", "docno", "assessor")
        by_uuid |= {uuid: (c, t, d, a) for uuid, c, t, d, a in rows.values_list(*fields)}
    return by_uuid


def check_automatic_submission(
    campaign: Campaign,
    automatic: AutomaticAssessor,
    judgments: Sequence[SubmittedJudgment],
    topics: dict[str, int],
    done: dict[UUID, tuple[int, int, str, int]],
    lines: Sequence[int] = (),
) -> None:
    """Raise ``InvalidFile`` with all faults of the judgments, if there are any; ``lines`` are
    theirs in a file.
    """
    report = FaultReport()
    scale = sorted(campaign.grades.values_list("value", flat=True))
    missing = list_missing_docnos(campaign, {judgment.docno for judgment in judgments})
    pairs: dict[tuple[str, str], int] = {}
    uuids: dict[UUID, int] = {}
    places = lines or range(1, len(judgments) + 1)
    for at, judgment in zip(places, judgments, strict=True):
        add = partial(
            report.add, line=at, excerpt=f"{judgment.topic} {judgment.docno} {judgment.grade}"
        )
        if judgment.topic not in topics:
            message = f"Unknown topic: {judgment.topic}."
            add("EJ01", message, "Use the topic numbers of the campaign.")
        if judgment.grade not in scale:
            grades = ", ".join(map(str, scale))
            message = f"Grade {judgment.grade} is not on the grade scale."
            add("EJ02", message, f"Use a grade of the scale: {grades}.")
        if fault := judgment.chances and find_fault_of_chances(judgment.chances, scale[-1]):
            add(*fault)
        if judgment.docno.encode().split() != [judgment.docno.encode()]:
            fix = "Use a docno without whitespace; qrels files are whitespace-separated."
            add("EJ13", "The docno contains whitespace.", fix)
        elif judgment.docno in missing:
            message = f"Unknown docno: {judgment.docno}."
            add("EJ12", message, "Use the docnos of the collection.")
        if pairs.setdefault((judgment.topic, judgment.docno), at) != at:
            fix = "Submit one judgment per topic and document."
            add("EJ03", "Duplicate pair in this request.", fix)
        owner = (campaign.pk, topics.get(judgment.topic, 0), judgment.docno, automatic.user_id)
        if (
            done.get(judgment.client_uuid, owner) != owner
            or uuids.setdefault(judgment.client_uuid, at) != at
        ):
            fix = "Use a new random UUID per judgment; keep it when you retry."
            add("EJ15", "The client_uuid belongs to another judgment.", fix)
    report.raise_errors()
