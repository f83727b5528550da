"""What everybody sees of a campaign: the organizers' own words and figures, no run and no team."""

from dataclasses import dataclass
from datetime import datetime

from django.contrib.auth.models import AnonymousUser
from django.db.models import QuerySet
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from campaigns.models import Campaign, Grade, PublicPage, User
from campaigns.queries.collection_files import count_collection_documents
from campaigns.rules import is_organizer_anywhere
from poolbench.texts.dates import TaskDate, read_dates


@dataclass(frozen=True)
class PublicFacts:
    """In figures; withheld topics do not count."""

    topics: int
    documents: int
    grades: list[Grade]
    runs: int | None
    depth: int


@dataclass(frozen=True)
class PublicDate:
    """A date of the page; ``is_next``: the first one ahead."""

    date: TaskDate
    is_past: bool
    is_next: bool

    @property
    def at(self) -> datetime:
        return self.date.at


def find_public_campaign(user: User | AnonymousUser, slug: str) -> Campaign | None:
    """The campaign if its page is public, or ``user`` organizes it."""
    campaigns = Campaign.objects.select_related("public_page")
    campaign = campaigns.filter(slug=slug).first()
    page = getattr(campaign, "public_page", None)
    if campaign is None:
        return None
    if page is not None and page.published_at is not None and campaign.removal_at is None:
        return campaign
    organizes = isinstance(user, User) and is_organizer_anywhere(user, campaign)
    return campaign if organizes else None


def find_public_page(campaign: Campaign) -> PublicPage:
    """The campaign's page as stored, or an empty one."""
    page = PublicPage.objects.filter(campaign=campaign).first()
    return page or PublicPage(campaign=campaign)


def list_public_campaigns() -> QuerySet[Campaign]:
    """Those with a public page, the last published first."""
    public = Campaign.objects.filter(public_page__published_at__isnull=False, removal_at=None)
    return public.select_related("public_page").order_by("-public_page__published_at")


def describe_public_facts(campaign: Campaign) -> PublicFacts:
    return PublicFacts(
        topics=campaign.topics.filter(withheld=False).count(),
        documents=count_collection_documents(campaign),
        grades=list(campaign.grades.all()),
        runs=campaign.max_runs_per_team,
        depth=campaign.max_docs_per_topic,
    )


def list_public_dates(campaign: Campaign, page: PublicPage) -> list[PublicDate]:
    """The deadlines of the campaign and the further dates of its page, the earliest first."""
    dates, _faults = read_dates(page.dates)
    deadlines = (
        (campaign.runs_deadline, _("Runs close")),
        (campaign.judging_deadline, _("Judging closes")),
    )
    dates += [TaskDate(at, label) for at, label in deadlines if at is not None]
    dates.sort(key=lambda date: date.at)
    now = timezone.now()
    ahead = next((date for date in dates if date.at > now), None)
    return [PublicDate(date, date.at <= now, date is ahead) for date in dates]


def find_register_url(campaign: Campaign) -> str:
    """Where a team registers itself; empty where it cannot, or could not submit a run."""
    is_open = Campaign.objects.open_for_registration().filter(pk=campaign.pk).exists()
    takes_part = is_open and campaign.takes_runs()
    return reverse("team_register", args=[campaign.slug]) if takes_part else ""
