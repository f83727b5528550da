"""The outbox: who gets a mail, what waits, and why mails are not sent; their text."""

from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db.models import Count, Q, QuerySet
from django.template.loader import render_to_string
from django.utils import timezone, translation

from campaigns.models import Campaign, Erratum, Mail, Role, Team, User
from campaigns.models.mail import MailQuerySet

LATE = timedelta(hours=1)
JUDGES = (Role.ASSESSOR, Role.ADJUDICATOR)
AUDIENCES = {"teams": "All teams", "assessors": "Assessors", "everybody": "Everybody"}
"""To whom organizers write, besides a single team."""


def has_mail_server() -> bool:
    """Whether mails leave the installation: EMAIL_URL names a server, and it makes no dry run."""
    return find_unsent_state() is None


def find_unsent_state() -> Mail.State | None:
    """The state of all mails of an installation that sends none, with the reason."""
    if settings.POOLBENCH_MAIL_DRY_RUN:
        return Mail.State.DRY_RUN
    has_none = settings.EMAIL_BACKEND.endswith("dummy.EmailBackend")
    return Mail.State.NOT_SENT if has_none else None


def list_members(campaign: Campaign, *roles: str) -> QuerySet[User]:
    """The users with one of ``roles``, each once; without roles, all members."""
    members = campaign.members.filter(role__in=roles) if roles else campaign.members.all()
    return User.objects.filter(pk__in=members.order_by().values("user")).order_by("pk")


def list_people_of_teams(campaign: Campaign, team: Team | None = None) -> QuerySet[User]:
    """The members of ``team``, or of all teams."""
    members = campaign.members.filter(role=Role.PARTICIPANT)
    if team is not None:
        members = members.filter(team=team)
    return User.objects.filter(pk__in=members.order_by().values("user")).order_by("pk")


def list_recipients(campaign: Campaign, audience: str, team: Team | None = None) -> list[User]:
    """Whom a message to ``audience`` reaches; ``team`` if that is "team"."""
    if audience == "everybody":
        return list(list_members(campaign))
    if audience == "assessors":
        return list(list_members(campaign, *JUDGES))
    return list(list_people_of_teams(campaign, team if audience == "team" else None))


def list_concerned_members(erratum: Erratum) -> QuerySet[User]:
    """Whom the correction of a text concerns: all teams, if it is of a topic; assessors and
    adjudicators who judge that topic, or have judged that document; all of them, if of a grade.
    """
    campaign, name = erratum.campaign, erratum.name
    judges = list_members(campaign, *JUDGES)
    if erratum.kind == Erratum.Kind.GRADE:
        return judges
    # Judgments and assignments belong to an upper app; only the reverse relations are known here.
    if erratum.kind == Erratum.Kind.DOCUMENT:
        judged = campaign.judgments.filter(docno=name).order_by()
        return judges.filter(pk__in=judged.values("assessor"))
    judged = campaign.judgments.filter(topic__number=name).order_by()
    topic = campaign.topics.filter(number=name)
    assigned = User.objects.filter(assignments__topic__in=topic, assignments__left=False)
    at_work = Q(pk__in=judged.values("assessor")) | Q(pk__in=assigned.order_by().values("pk"))
    teams = list_people_of_teams(campaign).order_by().values("pk")
    judging = judges.filter(at_work).order_by().values("pk")
    return User.objects.filter(Q(pk__in=teams) | Q(pk__in=judging)).order_by("pk")


def list_outbox(campaign: Campaign) -> MailQuerySet:
    """All mails about the campaign, newest first."""
    return Mail.objects.filter(campaign=campaign).select_related("user")


def list_own_mails(user: User) -> MailQuerySet:
    """The mails to ``user`` about their campaigns, newest first; not those that were canceled, or
    can be until they are due.
    """
    own = Mail.objects.visible_to(user).filter(user=user).exclude(state=Mail.State.CANCELED)
    is_due = Q(send_after__lte=timezone.now()) | Q(attempts__gt=0)
    return own.filter(is_due).select_related("campaign")


def list_late_mails() -> QuerySet[Mail]:
    """Those that should have been sent an hour ago, or are tried again for an hour."""
    before = timezone.now() - LATE
    is_late = Q(send_after__lt=before) | Q(attempts__gt=0, created_at__lt=before)
    return Mail.objects.filter(is_late, state=Mail.State.QUEUED).order_by("created_at")


def summarize_mails() -> dict[str, Any]:
    """For operators: mails by state, those that are late, the age in seconds of the oldest that
    waits, and those that failed in the last day.
    """
    now = timezone.now()
    by_state = dict(Mail.objects.order_by().values_list("state").annotate(Count("pk")))
    is_due = Q(send_after__lte=now) | Q(attempts__gt=0)
    waiting = Mail.objects.filter(is_due, state=Mail.State.QUEUED)
    oldest = waiting.order_by("created_at").first()
    failed = Mail.objects.filter(state=Mail.State.FAILED, created_at__gt=now - timedelta(days=1))
    return {
        "states": by_state,
        "late": list_late_mails().count(),
        "oldest_seconds": round((now - oldest.created_at).total_seconds()) if oldest else 0,
        "failed_today": failed.count(),
    }


def render_mail(kind: str, context: dict[str, Any]) -> tuple[str, str]:
    """Subject and body of ``templates/mail/{kind}.txt``, in the language of ``recipient``."""
    text = render_letter(f"mail/{kind}.txt", context, context["recipient"])
    subject, _, body = text.strip().partition("\n")
    return " ".join(subject.split())[:200], body.strip() + "\n"


def render_letter(template: str, context: dict[str, Any], recipient: User) -> str:
    with translation.override(recipient.mail_language):
        return render_to_string(template, context, using="mail")
