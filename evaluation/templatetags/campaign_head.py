"""The head of every campaign page: phases, the user's tasks, one main action, tabs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django import template
from django.http import HttpRequest
from django.template import Context
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy

from campaigns.models import Campaign
from campaigns.views.helpers import campaign_url
from evaluation.queries.campaign_status import CampaignStatus, get_campaign_status
from evaluation.templatetags.head_texts import (
    format_disagreements,
    format_documents,
    format_due,
    format_judged,
    format_moment,
    format_number,
    format_run_counts,
    format_until,
    ngettext,
)

register = template.Library()


@dataclass(frozen=True)
class Phase:
    label: str
    state: str
    note: str
    url: str


@dataclass(frozen=True)
class PendingTask:
    """A task of the user: a sentence, and a short label for a button (may be empty)."""

    label: str
    action: str
    url: str


@dataclass(frozen=True)
class Tab:
    label: str
    url: str
    current: bool
    count: int | None = None


SCORES = "interim-scores score-set score-evaluate run-scores compare pairs measures-compared"
AGREEMENT = (
    "agreement-pair agreement-topics assessor-quality disagreement-effect disagreement-round"
)
JUDGING = (
    "plan-new plan-assign plan-reassign judging-assessor flagged-documents training-sets"
    " import-export judgments-import automatic-list automatic stopping"
)
# Label, roles that see it ("": all), the page, and the pages below it.
TABS = (
    (gettext_lazy("Overview"), "", "campaign", ""),
    (gettext_lazy("Judge"), "assessor", "work", "judge judge-change judge-skip judge-undo"),
    (gettext_lazy("My judgments"), "assessor", "my-judgments", ""),
    (gettext_lazy("Topics"), "", "topics", "topic topics-import topics-delete"),
    (gettext_lazy("Documents"), "", "documents", "document documents-import documents-delete"),
    (gettext_lazy("Runs"), "organizer participant", "runs", "run run-upload"),
    (gettext_lazy("Pool"), "organizer", "pools", "pool simulation"),
    (gettext_lazy("Judging"), "organizer", "judging", JUDGING),
    (gettext_lazy("Agreement"), "organizer", "agreement", AGREEMENT),
    (gettext_lazy("Adjudication"), "organizer adjudicator", "adjudication", "round-open consensus"),
    (gettext_lazy("Qrels"), "organizer", "qrels-list", "qrels qrels-compare reusability"),
    (gettext_lazy("Scores"), "organizer participant", "scores", SCORES),
    (gettext_lazy("People"), "organizer", "people", "invite member-add"),
    (gettext_lazy("Log"), "organizer", "events", ""),
    (gettext_lazy("Settings"), "organizer", "campaign-settings", ""),
)
PHASES = {
    "setup": gettext_lazy("Setup"),
    "runs": gettext_lazy("Runs"),
    "pool": gettext_lazy("Pool"),
    "judging": pgettext_lazy("phase", "Judging"),
    "qrels": gettext_lazy("Qrels"),
    "scores": gettext_lazy("Scores"),
}


@register.inclusion_tag("partials/campaign_head.html", takes_context=True)
def campaign_head(context: Context, campaign: Campaign) -> dict[str, Any]:
    """The head as ``request.user`` may see it."""
    request: HttpRequest = context["request"]
    status = get_campaign_status(campaign, request.user)  # type: ignore[arg-type]
    tasks = list_pending_tasks(campaign, status)
    main = next((task for task in tasks if task.action and task.url != request.path), None)
    return {
        "campaign": campaign,
        "phases": build_phases(campaign, status),
        "tasks": tasks,
        "next_step": None if tasks else build_next_step(campaign, status),
        "main_action": {"label": main.action, "url": main.url} if main else None,
        "tabs": build_tabs(campaign, status, request),
    }


def build_phases(campaign: Campaign, status: CampaignStatus) -> list[Phase]:
    """The six phases, each done, now, todo, or late: past its deadline and not done."""
    late = {"runs": not campaign.takes_runs(), "judging": not campaign.takes_judgments()}
    done = completed_phases(campaign, status)
    notes, pages = phase_notes(campaign, status), phase_urls(status)
    # Judging may continue after the first qrels version is frozen and scored.
    at_work = {current_phase(done)} | ({"judging"} if status.unfinished else set())

    def state(name: str) -> str:
        if done[name]:
            return "done"
        return "late" if late.get(name) else "now" if name in at_work else "todo"

    return [
        Phase(
            label=str(PHASES[name]),
            state=state(name),
            note=notes[name],
            url=campaign_url(pages[name], campaign) if name in pages else "",
        )
        for name in done
    ]


def current_phase(done: dict[str, bool]) -> str:
    """The first phase after the last one done: judgments may be older than any pool."""
    names = list(done)
    after = max((at + 1 for at, name in enumerate(names) if done[name]), default=0)
    return names[after] if after < len(names) else ""


def completed_phases(campaign: Campaign, status: CampaignStatus) -> dict[str, bool]:
    """Qrels may contain judgments made without pool or plan, or be frozen before judging ends."""
    judged = status.qrels is not None
    over = status.released_at is not None or not campaign.takes_judgments() or not status.planned
    return {
        "setup": status.topics > 0 and status.grades > 0,
        "runs": status.pool is not None
        or (status.runs > 0 and (judged or not campaign.takes_runs())),
        "pool": status.pool is not None or judged,
        "judging": status.all_judged or (judged and over),
        "qrels": status.qrels is not None,
        "scores": status.released_at is not None,
    }


def phase_urls(status: CampaignStatus) -> dict[str, str]:
    if status.is_organizer:
        return {
            "setup": "campaign-settings",
            "runs": "runs",
            "pool": "pools",
            "judging": "judging",
            "qrels": "qrels-list",
            "scores": "scores",
        }
    pages = {"setup": "topics"}
    pages |= {"judging": "adjudication"} if status.is_adjudicator else {}
    pages |= {"judging": "work"} if status.is_assessor else {}
    return pages | ({"runs": "runs", "scores": "scores"} if status.is_participant else {})


def phase_notes(campaign: Campaign, status: CampaignStatus) -> dict[str, str]:
    """A short note per phase. Only organizers see counts of the work of others."""
    organizer = status.is_organizer
    version = _("version %(number)s") % {"number": status.qrels}
    at = format_moment(status.released_at) if status.released_at else ""
    released = _("released %(at)s") % {"at": at} if at else ""
    notes = {
        "setup": [ngettext("%(n)s topic", "%(n)s topics", status.topics)],
        "runs": ["", format_due(campaign.runs_deadline)],
        "pool": [format_documents(status.pool_size or 0) if organizer and status.pool else ""],
        "judging": ["", format_due(campaign.judging_deadline) if not status.all_judged else ""],
        "qrels": [version if organizer and status.qrels else ""],
        "scores": [released or (_("not released") if organizer and status.scored_qrels else "")],
    }
    if organizer:
        teams = ngettext("%(n)s team", "%(n)s teams", status.teams)
        runs = format_run_counts(status.runs)
        runs = _("%(runs)s from %(teams)s") % {"runs": runs, "teams": teams}
        notes["runs"][0] = runs if status.runs else _("none yet")
        notes["judging"][0] = format_judged(status.judging)
    elif status.is_participant:
        notes["runs"][0] = _("%(n)s from your team") % {"n": format_number(status.team_runs)}
    if status.is_assessor and not organizer:
        notes["judging"][0] = _("%(n)s by you") % {"n": format_number(status.my_judged)}
    return {name: ", ".join(filter(None, words)) for name, words in notes.items()}


def list_pending_tasks(campaign: Campaign, status: CampaignStatus) -> list[PendingTask]:
    """The user's tasks, most urgent first."""
    possible_tasks = [
        *(organizer_tasks(campaign, status) if status.is_organizer else ()),
        *(assessor_tasks(campaign, status) if status.is_assessor else ()),
        *(adjudicator_tasks(status) if status.is_adjudicator else ()),
        *(participant_tasks(campaign, status) if status.is_participant else ()),
    ]
    return [
        PendingTask(label, action, campaign_url(page, campaign))
        for applies, label, action, page in possible_tasks
        if applies
    ]


PossibleTasks = list[tuple[bool, str, str, str]]
"""Whether the task applies, a sentence, the button's label (or ""), the page."""


def setup_tasks(campaign: Campaign, status: CampaignStatus) -> PossibleTasks:
    closed = campaign.runs_deadline is None or not campaign.takes_runs()
    has_topics, early = status.topics > 0, status.qrels is None
    unread = has_topics and early and not status.documents and not status.planned
    uninvited = has_topics and not status.runs and not status.participants
    poolable = closed and early and status.runs > 0 and status.pool is None
    ready = ngettext(
        "%(n)s run is ready for pooling", "%(n)s runs are ready for pooling", status.runs
    )
    scale = _("The grade scale is missing")
    return [
        (not status.grades, scale, _("Set grade scale"), "campaign-settings"),
        (not status.topics, _("No topics imported"), _("Import topics"), "topics-import"),
        (unread, _("No documents imported"), _("Import documents"), "documents-import"),
        (uninvited, _("No teams yet"), _("Invite people"), "people"),
        (poolable, ready, _("Build pool"), "pools"),
    ]


def organizer_tasks(campaign: Campaign, status: CampaignStatus) -> PossibleTasks:
    unassigned = status.pool is not None and not status.planned and status.qrels is None
    late = status.judging.left > 0 and not campaign.takes_judgments()
    missing = ngettext(
        "%(n)s judgment missing; the deadline has passed",
        "%(n)s judgments missing; the deadline has passed",
        status.judging.left,
    )
    unresolved = status.judging.unresolved
    skipped = ngettext(
        "%(n)s skipped document needs another assessor, or closing its plan",
        "%(n)s skipped documents need another assessor, or closing their plans",
        unresolved,
    )
    unscored = status.qrels is not None and status.qrels != status.scored_qrels and status.runs > 0
    unreleased = status.scored_qrels is not None and status.scored_released is None and not unscored
    first = status.released_at is None
    not_released = _("Scores not released") if first else _("Latest scores not released")
    no_scores = _("No scores for qrels %(number)s") % {"number": status.qrels}
    unfrozen = status.all_judged and status.qrels is None
    return [
        *setup_tasks(campaign, status),
        (unassigned, _("The pool has no assessors"), _("Assign topics"), "plan-new"),
        (late, missing, _("View progress"), "judging"),
        (unresolved > 0 and first, skipped, _("Review skips"), "judging"),
        (unfrozen, _("Judging is complete"), _("Freeze qrels"), "qrels-list"),
        (unscored, no_scores, _("Evaluate runs"), "scores"),
        (unreleased, not_released, _("Release scores"), "scores"),
    ]


def assessor_tasks(campaign: Campaign, status: CampaignStatus) -> PossibleTasks:
    waiting = status.my_open > 0 and campaign.takes_judgments()
    text = ngettext("%(n)s document to judge", "%(n)s documents to judge", status.my_open)
    return [(waiting, text + format_until(campaign.judging_deadline), _("Judge"), "work")]


def adjudicator_tasks(status: CampaignStatus) -> PossibleTasks:
    text = format_disagreements(status.my_disagreements)
    return [(status.my_disagreements > 0, text, _("Adjudicate"), "adjudicate")]


def participant_tasks(campaign: Campaign, status: CampaignStatus) -> PossibleTasks:
    limit = campaign.max_runs_per_team
    remaining = None if limit is None else max(limit - status.team_runs, 0)
    allowed = _("Your team can submit any number of runs")
    if remaining is not None:
        allowed = ngettext(
            "Your team can submit %(n)s more run", "Your team can submit %(n)s more runs", remaining
        )
    released = status.released_at is not None
    can_submit = campaign.takes_runs() and remaining != 0 and status.topics > 0 and not released
    rejected = ngettext(
        "%(n)s run of your team was rejected",
        "%(n)s runs of your team were rejected",
        status.team_rejected,
    )
    allowed += format_until(campaign.runs_deadline)
    return [
        (released, _("Scores released"), _("View your scores"), "scores"),
        (can_submit, allowed, _("Submit run"), "run-upload"),
        (bool(status.team_rejected) and can_submit, rejected, "", "runs"),
    ]


def build_next_step(campaign: Campaign, status: CampaignStatus) -> PendingTask | None:
    """For a user without tasks: what comes next, and the page to look at."""
    all_steps = [
        *(organizer_steps(campaign, status) if status.is_organizer else ()),
        *(assessor_steps(status) if status.is_assessor else ()),
        *(adjudicator_steps() if status.is_adjudicator else ()),
        *(participant_steps(status) if status.is_participant else ()),
    ]
    steps = (
        PendingTask(label, "", campaign_url(page, campaign))
        for applies, label, _, page in all_steps
        if applies
    )
    return next(steps, None)


def organizer_steps(campaign: Campaign, status: CampaignStatus) -> PossibleTasks:
    pool_next = _("Wait for runs, then build the pool")
    no_runs = _("No runs yet; runs are checked on submission")
    if campaign.runs_deadline:
        at = {"at": format_moment(campaign.runs_deadline)}
        pool_next = _("Submission open until %(at)s, then build the pool") % at
        no_runs = _("Submission open until %(at)s; runs are checked on submission") % at
    released = _("Scores released. Freeze a new qrels version to include later judgments")
    monitor = _("Monitor judging, then freeze qrels")
    adjudicate = format_disagreements(status.to_adjudicate)
    return [
        (status.to_adjudicate > 0, adjudicate, "", "adjudication"),
        (status.released_at is not None, released, "", "qrels-list"),
        (status.unfinished, monitor, "", "judging"),
        (status.runs > 0, pool_next, "", "pools"),
        (True, no_runs, "", "runs"),
    ]


def assessor_steps(status: CampaignStatus) -> PossibleTasks:
    all_judged = _("You have judged everything assigned to you. Review your judgments")
    return [
        (status.my_judged > 0, all_judged, "", "my-judgments"),
        (True, _("No topics assigned to you yet"), "", "work"),
    ]


def adjudicator_steps() -> PossibleTasks:
    return [(True, _("No adjudication round open"), "", "adjudication")]


def participant_steps(status: CampaignStatus) -> PossibleTasks:
    return [(status.team_runs > 0, _("Scores not released yet"), "", "runs")]


def build_tabs(campaign: Campaign, status: CampaignStatus, request: HttpRequest) -> list[Tab]:
    here = request.resolver_match.url_name if request.resolver_match else ""
    counts = {"topics": status.topics} | ({"runs": status.runs} if status.is_organizer else {})
    return [
        Tab(
            str(label),
            campaign_url(page, campaign),
            here in (page, *below.split()),
            counts.get(page),
        )
        for label, roles, page, below in TABS
        if not roles or status.roles & set(roles.split())
    ]
