"""The confirmation before a campaign is closed, reopened, deleted or restored."""

from datetime import datetime
from typing import Any

from django.db.models import Manager, QuerySet
from django.urls import reverse

from campaigns.confirmation import Confirmation, ConfirmationChoice, Consequence, OpenMatter
from campaigns.errors import format_thousands, format_utc
from campaigns.models import Campaign, Job, Member
from poolbench.files.faults import format_count


def count_people(campaign: Campaign) -> str:
    people = Member.objects.filter(campaign=campaign).order_by().values("user").distinct()
    return format_count(people.count(), "member")


def list_unfinished_jobs(campaign: Campaign) -> QuerySet[Job]:
    return campaign.jobs.filter(state__in=(Job.State.QUEUED, Job.State.RUNNING))


def describe_campaign_closing(campaign: Campaign) -> Confirmation:
    """Before nothing in the campaign can be changed any more."""
    matters = []
    if count := campaign.runs.filter(state="received").count():
        matters.append(
            OpenMatter(
                text=f"{format_count(count, 'run')} still being checked.",
                detail="They are accepted or rejected all the same.",
                override=ConfirmationChoice("runs-checking", "Close without waiting"),
                url=reverse("runs", args=[campaign.slug]),
                link="View runs",
            )
        )
    # Plans belong to an upper app; only the reverse relation is known here.
    if count := campaign.plans.exclude(state="closed").count():
        matters.append(
            OpenMatter(
                text=f"{format_count(count, 'judging plan')} not closed.",
                detail="Documents that are checked out can no longer be judged.",
                override=ConfirmationChoice("plans-open", "Close although judging has not ended"),
                url=reverse("judging", args=[campaign.slug]),
                link="View judging",
            )
        )
    return Confirmation(
        question="Close the campaign?",
        summary=campaign.title,
        before="Before you close",
        open=tuple(matters),
        consequences=(
            Consequence(count_people(campaign), "can read and download what they could before, and"
                        " change nothing: no runs, judgments, corrections, qrels or scores."),
            Consequence("Programs", "get 409 with the code campaign-closed for all that writes."),
            Consequence("Can be undone", "An organizer can reopen the campaign. The log keeps"
                        " both."),
        ),
        consents=(ConfirmationChoice("closes-campaign", "Nothing can be changed any more"),),
        button="Close the campaign",
        back=reverse("life", args=[campaign.slug]),
    )  # fmt: skip


def describe_campaign_reopening(campaign: Campaign) -> Confirmation:
    """Before a closed campaign can be changed again."""
    since = format_utc(campaign.closed_at) if campaign.closed_at else ""
    return Confirmation(
        question="Reopen the campaign?",
        summary=f"Closed since {since}.",
        before="Before you reopen",
        consequences=(
            Consequence(count_people(campaign), "can do again what their roles and the deadlines"
                        " allow."),
            Consequence("Deadlines and plans", "are as they were. Submission that was closed stays"
                        " closed."),
            Consequence("Can be undone", "Close it again at any time. The log keeps both."),
        ),
        button="Reopen the campaign",
        back=reverse("life", args=[campaign.slug]),
    )  # fmt: skip


def summarize_contents(campaign: Campaign) -> str:
    """``12 runs, 1,024 judgments …`` of what the campaign has."""
    # Most of it belongs to upper apps; only the reverse relations are known here.
    counted: dict[str, Manager[Any]] = {
        "topic": campaign.topics, "document": campaign.documents, "run": campaign.runs,
        "pool": campaign.pools, "judgment": campaign.judgments, "score set": campaign.score_sets,
    }  # fmt: skip
    counts = {noun: rows.count() for noun, rows in counted.items()}
    parts = [
        f"{format_thousands(count)} {noun}{'s' if count != 1 else ''}"
        for noun, count in counts.items()
        if count
    ]
    if versions := campaign.qrels.count():
        parts.append(format_count(versions, "qrels version"))
    return ", ".join(parts) or "nothing yet"


def describe_campaign_deletion(campaign: Campaign, until: datetime | None) -> Confirmation:
    """Before the campaign disappears; ``until``: how long it can be restored, None: not at all."""
    if until is None:
        return Confirmation(
            question="Throw the rehearsal away?",
            summary=campaign.title,
            before="Before you throw it away",
            consequences=(
                Consequence("At once, for good", f"{summarize_contents(campaign)} are removed."),
                Consequence("The campaign it was copied from", "does not change."),
            ),
            button="Throw the rehearsal away",
            back=reverse("life", args=[campaign.slug]),
        )
    when = format_utc(until)
    return Confirmation(
        question="Delete the campaign?",
        summary=f"{campaign.title}: {summarize_contents(campaign)}.",
        before="Before you delete",
        consequences=(
            Consequence(count_people(campaign), "no longer find the campaign, from now on."),
            Consequence("Organizers", f"can read and download it, and restore it until {when}."),
            Consequence("For good", f"On {when} all rows are removed, and all files that no other"
                        " campaign uses. Only a backup has them then."),
            Consequence("On record", "The installation keeps the title, the address, who deleted"
                        " the campaign and when."),
        ),
        consents=(
            ConfirmationChoice(campaign.slug, f"Type “{campaign.slug}” to delete it", typed=True),
        ),
        button="Delete the campaign",
        back=reverse("life", args=[campaign.slug]),
        note="To keep it for reading instead, close it.",
    )  # fmt: skip
