"""The end of a campaign: closed for reading, deleted, restored, removed for good."""

import logging
from collections.abc import Callable
from datetime import datetime, timedelta
from functools import partial

from django.apps import apps
from django.conf import settings
from django.contrib.auth.hashers import UNUSABLE_PASSWORD_PREFIX
from django.db import models, transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from campaigns.confirmation import Confirmation, Decision
from campaigns.errors import ActionRefused, format_utc
from campaigns.models import Campaign, Event, Removal, User
from campaigns.queries.confirmations.endings import (
    describe_campaign_closing,
    describe_campaign_deletion,
    describe_campaign_reopening,
)
from campaigns.rules import require_access, require_permission
from campaigns.services import events
from campaigns.services.decisions import check_decision

log = logging.getLogger(__name__)


def close_campaign(
    *, actor: User, campaign: Campaign, decision: Decision | None = None
) -> Campaign:
    """From now on the campaign can be read, but not changed (``rules.require_open``)."""
    require_permission(actor, "campaigns.manage", campaign)
    # Studies belong to an upper app; only the reverse relation is known here.
    if campaign.studies.filter(state__in=("running", "paused")).exists():
        message = "A crowd study has not ended: its workers would lose what they are doing."
        raise ActionRefused("study-running", message, "Stop the study first, and pay its workers.")
    act = partial(change_ending, actor, campaign, decision, describe_campaign_closing)
    return act("campaign.closed", closed_at=timezone.now())


def reopen_campaign(
    *, actor: User, campaign: Campaign, decision: Decision | None = None
) -> Campaign:
    """A closed campaign can be changed again."""
    require_access(actor, "campaigns.manage", campaign)
    if campaign.closed_at is None:
        raise ActionRefused("not-closed", "The campaign is not closed.")
    act = partial(change_ending, actor, campaign, decision, describe_campaign_reopening)
    return act("campaign.reopened", closed_at=None)


def find_removal_date(campaign: Campaign) -> datetime | None:
    """When the campaign would be removed if it were deleted now, to the day; None: at once."""
    if campaign.rehearsal:
        return None
    until = timezone.now() + timedelta(days=settings.POOLBENCH_DELETED_DAYS + 1)
    return until.replace(hour=0, minute=0, second=0, microsecond=0)


def delete_campaign(
    *, actor: User, campaign: Campaign, decision: Decision | None = None
) -> Campaign | None:
    """Hide the campaign from all but organizers, who can restore it until it is removed; a
    rehearsal is removed at once: None.
    """
    require_access(actor, "campaigns.manage", campaign)
    if campaign.removal_at is not None:
        when = format_utc(campaign.removal_at)
        raise ActionRefused("campaign-deleted", f"It is deleted, and removed on {when}.")
    until = find_removal_date(campaign)
    act = partial(
        change_ending, actor, campaign, decision, partial(describe_campaign_deletion, until=until)
    )
    if until is not None:
        return act("campaign.deleted", removal_at=until)
    with transaction.atomic():
        remove_campaign(act("campaign.deleted", removal_at=timezone.now()))
    return None


def restore_campaign(*, actor: User, campaign: Campaign) -> Campaign:
    """A deleted campaign is back for all its members, as it was."""
    require_access(actor, "campaigns.manage", campaign)
    if campaign.removal_at is None:
        raise ActionRefused("not-deleted", "The campaign is not deleted.")
    return change_ending(actor, campaign, None, None, "campaign.restored", removal_at=None)


def change_ending(
    actor: User,
    campaign: Campaign,
    decision: Decision | None,
    describe: Callable[[Campaign], Confirmation] | None,
    code: str,
    **changed: datetime | None,
) -> Campaign:
    """Write when the campaign ends, confirmed and logged."""
    with transaction.atomic():
        # Locked: an act that locks it, too, comes before or is refused.
        stored = Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
        confirmed = check_decision(partial(describe, stored), decision) if describe else {}
        for name, value in changed.items():
            setattr(stored, name, value)
        stored.save(update_fields=list(changed))
        events.log_event(stored, actor, code, stored.title, **confirmed)
    for name, value in changed.items():
        setattr(campaign, name, value)
    return campaign


def remove_deleted_campaigns() -> int:
    """Remove the campaigns whose time to be restored is over; a chore of the tick."""
    due = list(Campaign.objects.filter(removal_at__lte=timezone.now()))
    for campaign in due:
        remove_campaign(campaign)
    return len(due)


def remove_campaign(campaign: Campaign) -> Removal:
    """Delete all rows of a deleted campaign, and keep that it was. Files that no row names any
    more go with the nightly ``housekeeping``.

    Append-only rows refuse to be deleted one by one; here all go together, with whatever refers to
    them, so that nothing is left that could contradict the log.
    """
    with transaction.atomic():
        stored = Campaign.objects.select_for_update().get(pk=campaign.pk)
        if stored.removal_at is None or stored.removal_at > timezone.now():
            raise ActionRefused("not-deleted", "The campaign is not to be removed now.")
        deleted = Event.objects.filter(campaign=stored, code="campaign.deleted").first()
        # Automatic assessors and crowd workers, of upper apps, are users of this campaign alone.
        own = Q(automatic__campaign=stored) | Q(crowd_worker__campaign=stored)
        if stored.rehearsal:
            unusable = Q(password__startswith=UNUSABLE_PASSWORD_PREFIX)
            own |= unusable & Q(username__startswith=name_rehearsal_account(stored))
        users = list(User.objects.filter(own).values_list("pk", flat=True))
        rows = {}
        for name, own_rows in list_campaign_rows(stored):
            if count := own_rows._raw_delete(own_rows.db):  # noqa: SLF001 (no cascade)
                rows[name] = count
        User.objects.filter(pk__in=users).delete()
        removal = Removal.objects.create(
            slug=stored.slug,
            title=stored.title,
            asked_by=deleted.actor.username if deleted and deleted.actor else "",
            asked_at=deleted.at if deleted else timezone.now(),
            rows=rows,
        )
    log.warning("campaign %s was removed, as %s asked", removal.slug, removal.asked_by or "nobody")
    return removal


def name_rehearsal_account(campaign: Campaign) -> str:
    """How the usernames of a rehearsal's generated assessors begin; they cannot sign in."""
    return f"rehearsal-{campaign.pk}-assessor-"


def list_campaign_rows(campaign: Campaign) -> list[tuple[str, QuerySet[models.Model]]]:
    """All rows that belong to the campaign, by model, those that refer to others first, the
    campaign last. References are checked when the transaction ends.
    """
    paths: dict[type[models.Model], str] = {Campaign: ""}
    level: list[type[models.Model]] = [Campaign]
    while level:
        known, level = set(paths), []
        for model in apps.get_models(include_auto_created=True):
            for field in model._meta.concrete_fields:  # noqa: SLF001 (Django documents it)
                if model not in paths and field.related_model in known:
                    above = paths[field.related_model]
                    paths[model] = f"{field.name}__{above}" if above else field.name
                    level.append(model)
    del paths[Campaign]
    rows: list[tuple[str, QuerySet[models.Model]]] = [
        (name_rows(model), QuerySet(model).filter(**{path: campaign.pk}))
        for model, path in reversed(paths.items())
    ]
    return [*rows, ("campaign", Campaign.objects.filter(pk=campaign.pk))]


def name_rows(model: type[models.Model]) -> str:
    return str(model._meta.verbose_name)  # noqa: SLF001 (Django documents it)
