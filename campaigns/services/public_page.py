"""The page of a campaign for everybody: written, published, taken down."""

from functools import partial

from django.db import transaction
from django.utils import timezone

from campaigns.confirmation import Decision
from campaigns.errors import ActionRefused
from campaigns.models import Campaign, PublicPage, User
from campaigns.queries.confirmations.data_files import describe_page_publication
from campaigns.rules import require_permission
from campaigns.services import events
from campaigns.services.decisions import check_decision
from poolbench.texts.dates import read_dates

TEXTS = ("summary", "call", "dates", "organizers")


def edit_public_page(*, actor: User, campaign: Campaign, **texts: str) -> PublicPage:
    """Write the page's own texts. What is published changes at once."""
    require_permission(actor, "campaigns.manage", campaign)
    _, faults = read_dates(texts.get("dates", ""))
    if faults:
        raise ActionRefused("bad-dates", " ".join(faults), "Write 2027-01-20 Runs close.")
    with transaction.atomic():
        page, _ = PublicPage.objects.select_for_update().get_or_create(campaign=campaign)
        changed = [
            name for name in TEXTS if texts.get(name, getattr(page, name)) != getattr(page, name)
        ]
        for name in changed:
            setattr(page, name, texts[name])
        if changed:
            page.save(update_fields=changed)
            events.log_event(campaign, actor, "page.edited", ", ".join(changed))
    return page


def publish_page(
    *, actor: User, campaign: Campaign, decision: Decision | None = None
) -> PublicPage:
    """Show the page to everybody."""
    require_permission(actor, "campaigns.manage", campaign)
    with transaction.atomic():
        page, _ = PublicPage.objects.select_for_update().get_or_create(campaign=campaign)
        if page.published_at is not None:
            raise ActionRefused("already-public", "The page is published already.")
        campaign = Campaign.objects.get(pk=campaign.pk)
        confirmed = check_decision(partial(describe_page_publication, campaign), decision)
        page.published_at, page.published_by = timezone.now(), actor
        page.save(update_fields=["published_at", "published_by"])
        events.log_event(campaign, actor, "page.published", **confirmed)
    return page


def withdraw_page(*, actor: User, campaign: Campaign) -> None:
    """Take the page down; its texts stay. Files for everybody keep their addresses."""
    require_permission(actor, "campaigns.manage", campaign)
    with transaction.atomic():
        public = PublicPage.objects.filter(campaign=campaign, published_at__isnull=False)
        if public.update(published_at=None, published_by=None):
            events.log_event(campaign, actor, "page.withdrawn")
