"""Setup and runs: the phases before the pool, and the tabs that no phase needs."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import BooleanField, Exists, ExpressionWrapper, OuterRef, Q, Subquery
from django.db.models.functions import Now
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from campaigns.lifecycle.registry import (
    OUTER,
    AppFacts,
    AudienceLine,
    CampaignDate,
    LifeCycle,
    Phase,
    Status,
    Tab,
    Task,
    Viewer,
)
from campaigns.lifecycle.status import count_rows_subquery
from campaigns.lifecycle.texts import (
    format_due,
    format_moment,
    format_number,
    format_until,
    ngettext,
)
from campaigns.models import (
    CampaignTask,
    Collection,
    Document,
    Grade,
    Member,
    PublicPage,
    Role,
    Run,
    TeamRequest,
    TermsAcceptance,
    Topic,
)
from campaigns.queries.lists import list_open_rejections


@dataclass(frozen=True)
class CampaignFacts(AppFacts):
    """``runs`` and ``teams`` are of accepted runs; ``open_tasks``: whose deadline is ahead, or that
    have none and no released scores; ``next_task`` is the next to close, at ``next_deadline``.
    """

    topics: int
    tasks: int
    open_tasks: int
    next_task: str | None
    next_deadline: datetime | None
    grades: int
    documents: bool
    is_public: bool
    runs: int
    teams: int
    participants: int
    team_requests: int
    team_runs: int
    team_rejected: int
    terms_open: bool

    @classmethod
    def columns(cls) -> dict[str, Any]:
        of_campaign = {"campaign": OUTER}
        runs = Run.objects.filter(**of_campaign).accepted()
        tasks = CampaignTask.objects.filter(**of_campaign)
        # Scores belong to an upper app; only the reverse relation is known here.
        released = CampaignTask.objects.filter(
            pk=OuterRef("pk"), score_sets__released_at__isnull=False
        )
        ahead = tasks.filter(runs_deadline__gt=Now()).order_by("runs_deadline")
        participants = Member.objects.filter(**of_campaign, role=Role.PARTICIPANT)
        waiting = TeamRequest.objects.filter(**of_campaign, state=TeamRequest.State.WAITING)
        return {
            "topics": count_rows_subquery(Topic.objects.filter(**of_campaign)),
            "tasks": count_rows_subquery(tasks),
            "open_tasks": count_rows_subquery(
                tasks.filter(Q(runs_deadline__gt=Now()) | Q(runs_deadline=None) & ~Exists(released))
            ),
            "next_task": Subquery(ahead.values("name")[:1]),
            "next_deadline": Subquery(ahead.values("runs_deadline")[:1]),
            "grades": count_rows_subquery(Grade.objects.filter(**of_campaign)),
            "is_public": Exists(
                PublicPage.objects.filter(**of_campaign, published_at__isnull=False)
            ),
            "documents": ExpressionWrapper(
                Exists(Document.objects.filter(**of_campaign))
                | Exists(Collection.objects.filter(**of_campaign)),
                output_field=BooleanField(),
            ),
            "runs": count_rows_subquery(runs),
            "teams": count_rows_subquery(runs, distinct="team"),
            "participants": count_rows_subquery(participants),
            "team_requests": count_rows_subquery(waiting),
        }

    @classmethod
    def counts(cls, viewer: Viewer) -> dict[str, Any]:
        return cls.counts_by_campaign([viewer])[viewer.campaign.pk]

    @classmethod
    def counts_by_campaign(cls, viewers: Sequence[Viewer]) -> dict[int, dict[str, Any]]:
        teams = [viewer.team for viewer in viewers if viewer.team]
        accepted = Run.objects.filter(team__in=teams).accepted().values_list("campaign", flat=True)
        runs = Counter(accepted if teams else ())
        rejected = Counter(run.campaign_id for run in list_open_rejections(teams))
        unread = list_unread_terms(viewers)
        return {
            pk: {"team_runs": runs[pk], "team_rejected": rejected[pk], "terms_open": pk in unread}
            for pk in (viewer.campaign.pk for viewer in viewers)
        }


def list_unread_terms(viewers: Sequence[Viewer]) -> set[int]:
    """The campaigns whose newest terms a participant has not accepted."""
    versions = {
        viewer.campaign.pk: viewer.campaign.terms_version
        for viewer in viewers
        if viewer.team and viewer.campaign.terms
    }
    if not versions:
        return set()
    accepted = TermsAcceptance.objects.filter(
        user_id=viewers[0].user.pk, terms__campaign__in=versions
    )
    rows = set(accepted.values_list("terms__campaign", "terms__version"))
    return {pk for pk, version in versions.items() if (pk, version) not in rows}


def describe_setup_phase(status: Status) -> list[str]:
    return [ngettext("%(n)s topic", "%(n)s topics", status.get(CampaignFacts).topics)]


def describe_runs_phase(status: Status) -> list[str]:
    """Only organizers see the counts of others."""
    facts, due = status.get(CampaignFacts), format_due(status.runs_deadline)
    if status.is_organizer:
        teams = ngettext("%(n)s team", "%(n)s teams", facts.teams)
        runs = ngettext("%(n)s run", "%(n)s runs", facts.runs)
        runs = _("%(runs)s from %(teams)s") % {"runs": runs, "teams": teams}
        return [runs if facts.runs else _("none yet"), due]
    if status.is_participant:
        return [_("%(n)s from your team") % {"n": format_number(facts.team_runs)}, due]
    return [due]


def has_setup(status: Status) -> bool:
    facts = status.get(CampaignFacts)
    return facts.topics > 0 and facts.grades > 0


def has_all_runs(status: Status) -> bool:
    """Qrels may contain judgments that were made without a pool."""
    over = status.has_begun("qrels") or not status.campaign.takes_runs()
    return status.has_begun("pool") or (status.get(CampaignFacts).runs > 0 and over)


def setup_tasks(status: Status) -> list[Task]:
    facts = status.get(CampaignFacts)
    has_topics = facts.topics > 0
    judging = status.has_begun("judging") or status.has_begun("qrels")
    unread = has_topics and not facts.documents and not judging
    has_people = facts.participants or facts.team_requests
    uninvited = has_topics and not facts.runs and not has_people
    scale = _("The grade scale is missing")
    requests = ngettext(
        "%(n)s team waits for your approval",
        "%(n)s teams wait for your approval",
        facts.team_requests,
    )
    return [
        Task(bool(facts.team_requests), requests, "people", _("Approve teams"), first=True),
        Task(not facts.grades, scale, "campaign-settings", _("Set grade scale")),
        Task(not facts.topics, _("No topics imported"), "topics-import", _("Import topics")),
        Task(unread, _("No documents imported"), "documents-import", _("Import documents")),
        Task(uninvited, _("No teams yet"), "people", _("Invite people")),
    ]


def submission_tasks(status: Status) -> list[Task]:
    campaign, facts = status.campaign, status.get(CampaignFacts)
    # Of a campaign with tasks, each has a limit of its own.
    limit = None if facts.tasks else campaign.max_runs_per_team
    remaining = None if limit is None else max(limit - facts.team_runs, 0)
    allowed = _("Your team can submit any number of runs")
    if facts.tasks:
        allowed = _("Your team can submit runs")
    if remaining is not None:
        allowed = ngettext(
            "Your team can submit %(n)s more run", "Your team can submit %(n)s more runs", remaining
        )
    # A date that is still ahead after a release was set to let runs in.
    endless = campaign.runs_deadline is None
    released = endless and status.is_done("scores")
    over = not status.takes_runs or (not facts.open_tasks if facts.tasks else released)
    can_submit = not over and remaining != 0 and facts.topics > 0
    rejected = ngettext(
        "%(n)s run of your team was rejected",
        "%(n)s runs of your team were rejected",
        facts.team_rejected,
    )
    allowed += format_until(status.runs_deadline)
    terms = _("Terms of participation not accepted")
    return [
        Task(facts.terms_open, terms, "team-terms", _("Read the terms"), first=True),
        Task(can_submit, allowed, "run-upload", _("Submit run")),
        Task(bool(facts.team_rejected) and can_submit, rejected, "runs", _("View rejected runs")),
    ]


def submission_steps(status: Status) -> list[Task]:
    text = _("No runs yet; runs are checked on submission")
    if deadline := status.runs_deadline:
        text = _("Submission open until %(at)s; runs are checked on submission")
        text %= {"at": format_moment(deadline)}
    return [Task(True, text, "runs", _("View runs"))]


def waiting_steps(status: Status) -> list[Task]:
    submitted = status.get(CampaignFacts).team_runs > 0
    return [Task(submitted, _("Scores not released yet"), "runs", _("View your runs"))]


def get_upload_arguments(status: Status) -> dict[str, str] | None:
    """After the deadline only organizers submit, on behalf of teams."""
    return {} if status.is_organizer or status.takes_runs else None


PHASES = (
    Phase(
        name="setup",
        label=gettext_lazy("Setup"),
        begun=lambda status: status.get(CampaignFacts).topics > 0,
        done=has_setup,
        note=describe_setup_phase,
        pages={Role.ORGANIZER: "campaign-settings", "": "topics"},
    ),
    Phase(
        name="runs",
        label=gettext_lazy("Runs"),
        begun=lambda status: status.get(CampaignFacts).runs > 0,
        done=has_all_runs,
        late=lambda status: not status.campaign.takes_runs(),
        note=describe_runs_phase,
        pages={Role.ORGANIZER: "runs", Role.PARTICIPANT: "runs"},
    ),
)
ORGANIZER, SUBMITTERS = (Role.ORGANIZER,), (Role.ORGANIZER, Role.PARTICIPANT)
JUDGES = (Role.ORGANIZER, Role.ASSESSOR, Role.ADJUDICATOR)
TABS = (
    Tab("overview", 10, gettext_lazy("Overview"), "campaign", ("",)),
    Tab("setup", 10, gettext_lazy("Settings"), "campaign-settings", ("setup",), ORGANIZER),
    Tab(
        "setup",
        20,
        gettext_lazy("Topics"),
        "topics",
        ("setup/topics",),
        others="data",
        count=lambda status: status.get(CampaignFacts).topics,
    ),
    Tab(
        "setup",
        25,
        gettext_lazy("Tasks and rounds"),
        "tasks",
        ("setup/tasks",),
        others="data",
        arguments=lambda status: (
            {} if status.is_organizer or status.get(CampaignFacts).tasks else None
        ),
    ),
    Tab("setup", 30, gettext_lazy("Documents"), "documents", ("setup/documents",), others="data"),
    Tab("setup", 35, gettext_lazy("Data"), "data", ("data",), others="data"),
    Tab("setup", 60, gettext_lazy("Public page"), "public-page-edit", ("setup/public",), ORGANIZER),
    Tab("setup", 40, gettext_lazy("Guidelines"), "guidelines", ("setup/guidelines",), JUDGES),
    Tab(
        "setup",
        50,
        gettext_lazy("Corrections"),
        "errata",
        ("setup/errata",),
        others="data",
        arguments=lambda status: (
            {} if status.is_organizer or status.campaign.last_erratum else None
        ),
    ),
    Tab("setup", 60, gettext_lazy("Copy and close"), "life", ("setup/life",), ORGANIZER),
    Tab(
        "runs",
        10,
        gettext_lazy("Runs"),
        "runs",
        ("runs",),
        SUBMITTERS,
        count=lambda status: status.get(CampaignFacts).runs if status.is_organizer else None,
    ),
    Tab(
        "runs",
        20,
        gettext_lazy("Submit run"),
        "run-upload",
        ("runs/upload",),
        SUBMITTERS,
        arguments=get_upload_arguments,
    ),
    Tab("runs", 30, gettext_lazy("Run form"), "run-form", ("runs/form",), (Role.ORGANIZER,)),
    Tab("people", 10, gettext_lazy("Members"), "people", ("people",), ORGANIZER),
    Tab("people", 20, gettext_lazy("Teams"), "teams", ("people/teams",), ORGANIZER),
    Tab("team", 10, gettext_lazy("Team"), "team", ("team",), (Role.PARTICIPANT,)),
    Tab("people", 80, gettext_lazy("Outbox"), "outbox", ("people/outbox",), ORGANIZER),
    Tab("people", 90, gettext_lazy("Log"), "events", ("people/log",), ORGANIZER),
)


def list_campaign_dates(status: Status) -> list[CampaignDate]:
    campaign = status.campaign
    created, closes, closed = _("Campaign created"), _("Runs close"), _("Runs closed")
    judging_ends, judging_ended = _("Judging closes"), _("Judging closed")
    # What is done does not close.
    judging = None if campaign.takes_judgments() and status.is_done("judging") else (
        campaign.judging_deadline
    )  # fmt: skip
    dates = [
        (campaign.created_at, created, created),
        (status.runs_deadline, closes, closed),
        (judging, judging_ends, judging_ended),
    ]
    if task := status.get(CampaignFacts).next_task:
        task_closes = _("Runs close: %(task)s") % {"task": task}
        dates.append((status.get(CampaignFacts).next_deadline, task_closes, task_closes))
    return [CampaignDate(at, ahead, past) for at, ahead, past in dates if at is not None]


def list_campaign_audiences(status: Status) -> list[AudienceLine]:
    organizes = status.is_organizer
    own_runs = _("organizers; each team its own")
    submits = organizes or status.is_participant
    public = status.get(CampaignFacts).is_public
    page = "public-page-edit" if organizes else "public-campaign" if public else ""
    return [
        AudienceLine(_("Public page"), _("everybody") if public else _("organizers"), page),
        AudienceLine(_("Topics"), _("all members"), "topics"),
        AudienceLine(_("Documents"), _("all members"), "documents"),
        AudienceLine(_("Runs"), own_runs, "runs" if submits else ""),
    ]


LIFE_CYCLE = LifeCycle(
    facts=CampaignFacts,
    phases=PHASES,
    tasks={Role.ORGANIZER: setup_tasks, Role.PARTICIPANT: submission_tasks},
    steps={Role.ORGANIZER: submission_steps, Role.PARTICIPANT: waiting_steps},
    tabs=TABS,
    dates=(list_campaign_dates,),
    audiences=(list_campaign_audiences,),
)
