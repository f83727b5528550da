"""Copy a campaign for next year, or as a rehearsal that is thrown away."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.db.models import QuerySet

from campaigns.errors import ActionRefused
from campaigns.models import Campaign, Job, Member, Role, Translation, User
from campaigns.queries.collection_files import find_collection
from campaigns.rules import require_access
from campaigns.services import events, jobs
from campaigns.services.campaigns import create_campaign, get_grade_scale
from campaigns.services.rows import iter_batches

COPIED = (
    "description", "guidelines", "website", "citation", "relevance_level", "text_layout",
    "max_runs_per_team", "max_docs_per_topic", "require_all_topics", "board", "measures", "test",
    "correction", "alpha", "estimate_looks",
)  # fmt: skip
"""Fields of a campaign that its copy has. Deadlines are those of a year, so it has none."""


@dataclass(frozen=True)
class CopyChoice:
    """What a copy takes over besides texts, settings, scale and organizers."""

    topics: bool = False
    documents: bool = False


_parts: list[Callable[[User, Campaign, Campaign], None]] = []


def add_copied_part(copy: Callable[[User, Campaign, Campaign], None]) -> None:
    """Register what an app copies from the first campaign to the second, after everything else;
    apps do it when they are ready.
    """
    if copy not in _parts:
        _parts.append(copy)


def copy_campaign(
    *,
    actor: User,
    campaign: Campaign,
    title: str,
    slug: str = "",
    choice: CopyChoice | None = None,
    rehearsal: bool = False,
) -> Campaign:
    """A new campaign with texts, settings, scale and organizers of ``campaign``, and what
    ``choice`` says. Runs, pools, judgments, teams and scores are never copied.

    The source may be closed. A rehearsal is marked on every page, and sends no mail.
    """
    require_access(actor, "campaigns.manage", campaign)
    if campaign.removal_at is not None:
        raise ActionRefused(
            "campaign-deleted", "A deleted campaign is not copied.", "Restore it first."
        )
    chosen = CopyChoice() if choice is None else choice
    settings = {name: getattr(campaign, name) for name in COPIED}
    with transaction.atomic():
        copy = create_campaign(
            actor=actor, title=title, slug=slug, scale=get_grade_scale(campaign),
            rehearsal=rehearsal, **settings,
        )  # fmt: skip
        others = campaign.members.filter(role=Role.ORGANIZER).exclude(user=actor)
        if not rehearsal:
            rows = [Member(campaign=copy, user=member.user, role=member.role) for member in others]
            Member.objects.bulk_create(rows)
        if chosen.topics:
            copy_rows(campaign.topics.all(), copy)
        if chosen.documents:
            if find_collection(campaign) is not None:
                message = "A registered collection is not copied."
                fix = "Leave documents out, and register the files in the copy."
                raise ActionRefused("registered-collection", message, fix)
            copy_rows(campaign.documents.all(), copy)
            copy_translations(campaign, copy)
        for copy_part in _parts:
            copy_part(actor, campaign, copy)
        events.log_event(
            copy, actor, "campaign.copied", campaign.title, source=campaign.slug,
            topics=chosen.topics, documents=chosen.documents, rehearsal=rehearsal,
        )  # fmt: skip
    return copy


def copy_rows(rows: QuerySet[Any], copy: Campaign) -> None:
    """Copy topics or documents; files in the store are shared, as their names are hashes."""
    for batch in iter_batches(rows.order_by("pk").iterator()):
        for row in batch:
            row.pk, row.campaign = None, copy
        rows.model.objects.bulk_create(batch)


def copy_translations(campaign: Campaign, copy: Campaign) -> None:
    rows = Translation.objects.filter(document__campaign=campaign).select_related("document")
    for batch in iter_batches(rows.order_by("pk").iterator()):
        docnos = [row.document.docno for row in batch]
        keys = dict(copy.documents.filter(docno__in=docnos).values_list("docno", "pk"))
        for row in batch:
            row.pk, row.document_id = None, keys[row.document.docno]
        Translation.objects.bulk_create(batch)


def start_rehearsal(
    *, actor: User, campaign: Campaign, judged: bool = False
) -> tuple[Campaign, Job]:
    """A copy with topics and documents, and the job that adds generated runs to it; ``judged``:
    also a pool and generated judgments.
    """
    everything = CopyChoice(topics=True, documents=True)
    title = f"{campaign.title[:180]} (rehearsal)"
    with transaction.atomic():
        if not (campaign.topics.exists() and campaign.documents.exists()):
            message = "A rehearsal needs topics and documents, from which its runs are made."
            raise ActionRefused("nothing-to-rehearse", message, "Import both first.")
        copy = copy_campaign(
            actor=actor, campaign=campaign, title=title, choice=everything, rehearsal=True
        )
        job = jobs.enqueue(campaign=copy, kind="replay.rehearse", actor=actor, judged=judged)
    return copy, job
