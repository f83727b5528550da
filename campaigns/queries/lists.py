"""Queries: access to campaigns, and what their pages show."""

from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.db.models import F, Manager, Q, QuerySet
from django.db.models.functions import Left
from django.http import Http404
from django.utils import timezone
from django.utils.translation import gettext as _

from campaigns.models import (
    Campaign,
    CampaignTask,
    DataFile,
    Event,
    Invitation,
    Job,
    Member,
    Role,
    Run,
    Team,
    Topic,
    User,
)
from campaigns.models.collection import DocumentQuerySet
from campaigns.models.event_phrases import EVENT_PHRASES, NOTICES
from campaigns.models.runs import RunQuerySet
from campaigns.rules import is_organizer_anywhere, list_conflicts, require_access
from poolbench.files.faults import list_names

CORRECTED = "text.corrected"
NOTICE_DAYS = 30
DATA_CODES = (
    "data.changed", "data.published", "data.released", "qrels.published", "qrels.released"
)  # fmt: skip
MOST_WORDS = 10
"""Words per search; databases do not accept hundreds."""


def get_campaign_for(
    user: User | AnonymousUser, slug: str, permission: str = "campaigns.view"
) -> Campaign:
    """The campaign ``slug`` if ``user`` can see it (else 404) and has ``permission`` (else 403).

    For one request: the roles that it has read hold until its end.
    """
    campaign = Campaign.objects.visible_to(user).filter(slug=slug).first()
    if campaign is None:
        raise Http404(f"no campaign {slug}")
    campaign.known_roles = {}
    require_access(user, permission, campaign)  # type: ignore[arg-type]  # has signed in
    return campaign


def list_members_by_role(campaign: Campaign) -> list[tuple[str, list[Member]]]:
    """Every role with members, each of them marked by ``conflicts``."""
    members = list(campaign.members.select_related("user", "team"))
    mark_conflicts(members)
    by_role = [(str(r.label), [m for m in members if m.role == r]) for r in Role]
    return [(label, members) for label, members in by_role if members]


def mark_conflicts(members: Iterable[Member]) -> None:
    """Set ``conflicts``, the conflicting roles of the same person, on all members of a campaign."""
    roles: dict[int, set[str]] = defaultdict(set)
    members = list(members)
    for member in members:
        roles[member.user_id].add(member.role)
    for member in members:
        conflicts = list_conflicts(roles[member.user_id])
        member.conflicts = [Role(role) for role in conflicts if member.role in conflicts]


def list_open_invitations(campaign: Campaign) -> list[Invitation]:
    invitations = campaign.invitations.select_related("team", "created_by")
    return [invitation for invitation in invitations if invitation.is_open]


def list_runs_for(user: User, campaign: Campaign) -> RunQuerySet:
    """The runs of ``campaign`` that ``user`` can see, by team, newest first."""
    return (
        Run.objects.visible_to(user)
        .filter(campaign=campaign)
        .select_related("campaign", "team", "task", "submitted_by", "replaces")
        .order_by("team__name", "-submitted_at", "-pk")
    )


def list_replaceable_runs_for(user: User, campaign: Campaign) -> QuerySet[Run]:
    """The accepted runs whose scores participants have not seen."""
    runs = list_runs_for(user, campaign).accepted()
    return runs.exclude(pk__in=Run.objects.filter(campaign=campaign).released().values("pk"))


@dataclass(frozen=True)
class Notice:
    """A notice at the head of the pages. ``subject`` is free text, or empty; ``page`` the URL name
    of the page that says more, if there is one.
    """

    phrase: str
    subject: str
    at: datetime
    page: str = ""


def list_notices_for(user: User, campaign: Campaign) -> list[Notice]:
    """The notices of the last 30 days, newest first: corrections for all but organizers, who
    made them, the others for participants only.
    """
    members = Member.objects.filter(user_id=user.pk, campaign=campaign)
    by_role = {member.role: member.team for member in members.select_related("team")}
    team = by_role.get(Role.PARTICIPANT)
    if not by_role or (team is None and Role.ORGANIZER in by_role):
        return []
    since = timezone.now() - timedelta(days=NOTICE_DAYS)
    codes = NOTICES if team else (CORRECTED,)
    events = list(Event.objects.filter(campaign=campaign, code__in=codes, at__gte=since))
    corrected = [event for event in events if event.code == CORRECTED]
    new_data = [event for event in events if team is not None and is_new_data(event)]
    notices = [
        Notice(str(event.phrase), event.subject, event.at)
        for event in events
        if team is not None
        and event.code not in (CORRECTED, *DATA_CODES)
        and is_still_true(event, campaign, team)
    ]
    # One notice for all: a list of typos, or of files, would push the page out of sight.
    for alike, phrase, page in (
        (corrected, EVENT_PHRASES[CORRECTED], "errata"),
        (new_data, _("New data"), "data"),
    ):
        if alike:
            subject = list_names(list(dict.fromkeys(event.subject for event in alike)))
            notices.append(Notice(str(phrase), subject, alike[0].at, page))
    if team is None:
        return notices
    closed = campaign.get_deadline_for(team.runs_deadline)
    if closed and since <= closed <= timezone.now():
        notices.append(Notice(_("Submission closed"), "", closed))
    return sorted(notices, key=lambda notice: notice.at, reverse=True)


def is_new_data(event: Event) -> bool:
    """Whether teams have something that they did not have before the event."""
    organizers = DataFile.Audience.ORGANIZERS
    if event.code == "data.changed":
        return bool(event.data.get("audience") != organizers)
    return event.code in DATA_CODES and event.data.get("before") == organizers


def is_still_true(event: Event, campaign: Campaign, team: Team) -> bool:
    """Whether a notice to ``team`` holds now: that submission is open again does until it ends."""
    if not event.code.startswith("submissions."):
        return True
    own = event.data.get("team")
    deadline = campaign.runs_deadline if own is None else team.runs_deadline
    stated = event.data.get("deadline")
    same = stated == (deadline.isoformat() if deadline else None)
    return same and own in (None, team.pk) and campaign.is_open_for(deadline)


def list_open_rejections(teams: Collection[int]) -> list[Run]:
    """The rejected runs of ``teams`` (ids, of any campaigns) that still need the team's attention,
    in three queries at most.

    A rejected run does not when the team has later had a run accepted with the same tag, or in
    the place of the same run, and when the team has dismissed it. A run whose file has no
    readable tag counts by the name of its file.
    """
    runs = Run.objects.filter(team__in=teams)
    rejected = list(runs.filter(state=Run.State.REJECTED).order_by("pk")) if teams else []
    if not rejected:
        return []
    others = runs.exclude(state__in=(Run.State.RECEIVED, Run.State.REJECTED))
    accepted = list(others)
    log = Event.objects.filter(
        code="run.rejections_dismissed", campaign__in={run.campaign_id for run in rejected}
    )
    dismissed = {pk for data in log.values_list("data", flat=True) for pk in data["runs"]}

    def is_mended(run: Run) -> bool:
        return any(
            later.team_id == run.team_id
            and later.pk > run.pk
            and (
                (later.tag == run.tag if run.tag else later.file_name == run.file_name)
                or (run.replaces_id is not None and later.replaces_id == run.replaces_id)
            )
            for later in accepted
        )

    return [run for run in rejected if run.pk not in dismissed and not is_mended(run)]


def list_teams_for(user: User, campaign: Campaign) -> QuerySet[Team]:
    """The teams for which ``user`` can submit a run."""
    if is_organizer_anywhere(user, campaign):
        return campaign.teams.all()
    return campaign.teams.filter(members__user=user)


def search_topics(campaign: Campaign, words: str) -> QuerySet[Topic]:
    topics = campaign.topics.all()
    for word in words.split()[:MOST_WORDS]:
        topics = topics.filter(
            Q(number__icontains=word) | Q(title__icontains=word) | Q(description__icontains=word)
        )
    return topics


def has_dependent_data(campaign: Campaign) -> bool:
    """Whether runs, pools or judgments refer to topics and documents.

    Pools and judgments belong to upper apps; only their reverse relations are known here.
    """
    related: tuple[Manager[Any], ...] = (campaign.runs, campaign.pools, campaign.judgments)
    return any(rows.exists() for rows in related)


def has_released_scores(campaign: Campaign, task: CampaignTask | None = None) -> bool:
    """Of any task, or of ``task``. Score sets belong to an upper app; only the reverse relation is
    known here.
    """
    sets = (campaign if task is None else task).score_sets
    return bool(sets.filter(released_at__isnull=False).exists())


def search_documents(campaign: Campaign, words: str) -> DocumentQuerySet:
    """Documents whose docno or title contains every word; bodies are not searched. ``beginning``:
    the first characters of the body, which name a document without a title.
    """
    documents = campaign.documents.defer("body").annotate(beginning=Left("body", 400))
    for word in words.split()[:MOST_WORDS]:
        documents = documents.filter(Q(docno__icontains=word) | Q(title__icontains=word))
    return documents


def adjacent_topics(campaign: Campaign, topic: Topic) -> tuple[Topic | None, Topic | None]:
    """The previous and next topics of ``topic`` in the campaign's order."""
    before = Q(position=topic.position, number__lt=topic.number) | Q(position__lt=topic.position)
    same = campaign.topics.exclude(pk=topic.pk)
    previous = same.filter(before).order_by("-position", "-number").first()
    return previous, same.exclude(before).first()


def list_jobs_for(user: User, campaign: Campaign) -> QuerySet[Job]:
    """All jobs for organizers, their own for other users."""
    jobs = Job.objects.filter(campaign=campaign)
    return jobs if is_organizer_anywhere(user, campaign) else jobs.filter(created_by=user)


def oldest_waiting_job() -> Job | None:
    """The one that waits longest to be begun: not one that waits only to be finished."""
    waiting = Job.objects.filter(state=Job.State.QUEUED, parts=None)
    return waiting.order_by(F("created_at").asc()).first()


def list_judging_grades(campaign: Campaign) -> tuple[int, ...]:
    """Ascending, whether or not they occur; those below 0 are not judgments, as in qrels files."""
    grades = campaign.grades.filter(value__gte=0).order_by("value")
    return tuple(grades.values_list("value", flat=True))
