"""The head of every campaign page: its phases, what needs you now, one main action, tabs."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django import template
from django.http import HttpRequest
from django.template import Context
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.dateformat import format as format_date
from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext, pgettext_lazy

from campaigns.models import Campaign
from evaluation.queries.campaign_status import CampaignStatus, get_campaign_status

register = template.Library()


@dataclass(frozen=True)
class Phase:
    label: str
    state: str
    note: str
    url: str


@dataclass(frozen=True)
class PendingTask:
    """Something that waits for this person: a sentence, and its short form for a button."""

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
# Label, roles that see it ("" is everybody), the page, and the other pages below it.
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
    standing = get_campaign_status(campaign, request.user)  # type: ignore[arg-type]
    needs = list_needs(campaign, standing)
    action = next((n for n in needs if n.action and n.url != request.path), None)
    return {
        "campaign": campaign,
        "phases": build_phases(campaign, standing),
        "needs": needs,
        "next_step": None if needs else build_next_step(campaign, standing),
        "main_action": {"label": action.action, "url": action.url} if action else None,
        "tabs": build_tabs(campaign, standing, request),
    }


def campaign_url(name: str, campaign: Campaign) -> str:
    return reverse(name, args=[campaign.slug])


def format_moment(moment: datetime) -> str:
    this_year, another = pgettext("day and time", "j M H:i"), pgettext("day", "j M Y")
    return format_date(moment, this_year if moment.year == timezone.now().year else another)


def format_due(deadline: datetime | None) -> str:
    if deadline is None:
        return ""
    told = _("due %(at)s") if timezone.now() < deadline else _("closed %(at)s")
    return told % {"at": format_moment(deadline)}


def format_until(deadline: datetime | None) -> str:
    return f", {format_due(deadline)}" if deadline else ""


def format_number(count: int) -> str:
    return number_format(count, force_grouping=True)


def ngettext(one: str, many: str, count: int) -> str:
    """Django's own, with ``count`` in its place ``%(n)s``; of this name for makemessages."""
    return translation.ngettext(one, many, count) % {"n": format_number(count)}


def format_documents(count: int) -> str:
    return ngettext("%(n)s document", "%(n)s documents", count)


def format_run_counts(count: int) -> str:
    return ngettext("%(n)s run", "%(n)s runs", count)


def build_phases(campaign: Campaign, now: CampaignStatus) -> list[Phase]:
    """The six phases, each done, now, to do, or late: past its deadline and not done."""
    late = {"runs": not campaign.takes_runs(), "judging": not campaign.takes_judgments()}
    done = completed_phases(campaign, now)
    current = current_phase(done)
    notes, pages = phase_notes(campaign, now), phase_urls(now)

    # Judging may go on while its first qrels are released and scored.
    at_work = {current} | ({"judging"} if now.open_slots or now.growing else set())

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
    """The first phase after the last that is done: judgments may be older than any pool."""
    names = list(done)
    after = max((at + 1 for at, name in enumerate(names) if done[name]), default=0)
    return names[after] if after < len(names) else ""


def completed_phases(campaign: Campaign, now: CampaignStatus) -> dict[str, bool]:
    """Qrels may be of judgments that came without pool or plan, or before all were given."""
    judged = now.qrels is not None
    over = now.released_at is not None or not campaign.takes_judgments() or not now.slots
    return {
        "setup": now.topics > 0 and now.grades > 0,
        "runs": now.pool is not None or (now.runs > 0 and (judged or not campaign.takes_runs())),
        "pool": now.pool is not None or judged,
        "judging": now.all_judged or (judged and over),
        "qrels": now.qrels is not None,
        "scores": now.released_at is not None,
    }


def phase_urls(now: CampaignStatus) -> dict[str, str]:
    if now.organizes:
        return {
            "setup": "campaign-settings",
            "runs": "runs",
            "pool": "pools",
            "judging": "judging",
            "qrels": "qrels-list",
            "scores": "scores",
        }
    pages = {"setup": "topics"}
    pages |= {"judging": "adjudication"} if now.adjudicates else {}
    pages |= {"judging": "work"} if now.assesses else {}
    return pages | ({"runs": "runs", "scores": "scores"} if now.participates else {})


def phase_notes(campaign: Campaign, now: CampaignStatus) -> dict[str, str]:
    """A few words a phase. Only organizers read counts of what others did."""
    organizer = now.organizes
    released = (
        _("released %(at)s") % {"at": format_moment(now.released_at)} if now.released_at else ""
    )
    pooled, version = now.pool_size or 0, {"number": now.qrels}
    notes = {
        "setup": [ngettext("%(n)s topic", "%(n)s topics", now.topics)],
        "runs": ["", format_due(campaign.runs_deadline)],
        "pool": [format_documents(pooled) if organizer and now.pool else ""],
        "judging": ["", format_due(campaign.judging_deadline) if not now.all_judged else ""],
        "qrels": [_("version %(number)s") % version if organizer and now.qrels else ""],
        "scores": [released or (_("not released") if organizer and now.scored_qrels else "")],
    }
    if organizer:
        teams = ngettext("%(n)s team", "%(n)s teams", now.teams)
        runs = _("%(runs)s of %(teams)s") % {"runs": format_run_counts(now.runs), "teams": teams}
        judged = {"done": format_number(now.judged), "of": format_number(now.slots)}
        notes["runs"][0] = runs if now.runs else _("none yet")
        notes["judging"][0] = _("%(done)s of %(of)s judged") % judged if now.slots else ""
    elif now.participates:
        notes["runs"][0] = _("%(n)s of your team") % {"n": format_number(now.team_runs)}
    if now.assesses and not organizer:
        notes["judging"][0] = _("%(n)s by you") % {"n": format_number(now.my_judged)}
    return {name: ", ".join(filter(None, words)) for name, words in notes.items()}


def list_needs(campaign: Campaign, now: CampaignStatus) -> list[PendingTask]:
    """What waits for this person, most pressing first."""
    all_needs = [
        *(organizer_needs(campaign, now) if now.organizes else ()),
        *(assessor_needs(campaign, now) if now.assesses else ()),
        *(adjudicator_needs(now) if now.adjudicates else ()),
        *(participant_needs(campaign, now) if now.participates else ()),
    ]
    return [
        PendingTask(label, action, campaign_url(page, campaign))
        for waits, label, action, page in all_needs
        if waits
    ]


Waiting = list[tuple[bool, str, str, str]]
"""Whether it waits, a sentence, the button's words (or none), the page."""


def setup_needs(campaign: Campaign, now: CampaignStatus) -> Waiting:
    closed = campaign.runs_deadline is None or not campaign.takes_runs()
    unread = now.topics > 0 and not now.documents and not now.slots and now.qrels is None
    uninvited = not now.runs and not now.participants
    poolable = closed and now.runs > 0 and now.pool is None and now.qrels is None
    pool = ngettext("%(n)s run can be pooled", "%(n)s runs can be pooled", now.runs)
    return [
        (not now.grades, _("There is no grade scale"), _("Set the scale"), "campaign-settings"),
        (not now.topics, _("There are no topics"), _("Import topics"), "topics-import"),
        (unread, _("Assessors have nothing to read"), _("Import documents"), "documents-import"),
        (now.topics > 0 and uninvited, _("No team takes part yet"), _("Invite people"), "people"),
        (poolable, pool, _("Build the pool"), "pools"),
    ]


def organizer_needs(campaign: Campaign, now: CampaignStatus) -> Waiting:
    idle = not now.slots and not now.growing
    unassigned = now.pool is not None and idle and now.qrels is None
    late = now.open_slots > 0 and not campaign.takes_judgments()
    missing = ngettext(
        "%(n)s judgment missing after the deadline",
        "%(n)s judgments missing after the deadline",
        now.open_slots,
    )
    fresh = now.qrels is not None and now.qrels != now.scored_qrels and now.runs > 0
    hidden = now.scored_qrels is not None and now.scored_released is None and not fresh
    newer = now.released_at is not None
    unseen = _("Participants do not see the scores")
    if newer:
        unseen = _("Participants do not see the newest scores")
    stale = _("Nothing is scored under qrels %(number)s") % {"number": now.qrels}
    unfixed = now.all_judged and now.qrels is None
    return [
        *setup_needs(campaign, now),
        (unassigned, _("Nobody judges the pool"), _("Assign topics"), "plan-new"),
        (late, missing, _("See judging"), "judging"),
        (unfixed, _("Everything is judged"), _("Release qrels"), "qrels-list"),
        (fresh, stale, _("Evaluate"), "scores"),
        (hidden, unseen, _("Release scores"), "scores"),
    ]


def assessor_needs(campaign: Campaign, now: CampaignStatus) -> Waiting:
    waiting = now.my_open > 0 and campaign.takes_judgments()
    words = ngettext(
        "%(n)s document waits for you", "%(n)s documents wait for you", now.my_open
    ) + format_until(campaign.judging_deadline)
    return [(waiting, words, _("Judge"), "work")]


def adjudicator_needs(now: CampaignStatus) -> Waiting:
    words = ngettext(
        "%(n)s disagreement waits for you", "%(n)s disagreements wait for you", now.my_disputes
    )
    return [(now.my_disputes > 0, words, _("Adjudicate"), "adjudicate")]


def participant_needs(campaign: Campaign, now: CampaignStatus) -> Waiting:
    limit = campaign.max_runs_per_team
    left = None if limit is None else max(limit - now.team_runs, 0)
    room = _("Your team may hand in any number of runs")
    if left is not None:
        room = ngettext(
            "Your team may hand in %(n)s more run", "Your team may hand in %(n)s more runs", left
        )
    out = now.released_at is not None
    may = campaign.takes_runs() and left != 0 and now.topics > 0 and not out
    refused = ngettext(
        "%(n)s run of your team refused", "%(n)s runs of your team refused", now.team_refused
    )
    return [
        (out, _("The scores are out"), _("See your scores"), "scores"),
        (may, room + format_until(campaign.runs_deadline), _("Hand in a run"), "run-upload"),
        (bool(now.team_refused) and may, refused, "", "runs"),
    ]


def build_next_step(campaign: Campaign, now: CampaignStatus) -> PendingTask | None:
    """Where nothing needs this person: what they may expect, and where to look."""
    all_steps = [
        *(organizer_steps(campaign, now) if now.organizes else ()),
        *(assessor_steps(now) if now.assesses else ()),
        *(adjudicator_steps() if now.adjudicates else ()),
        *(participant_steps(now) if now.participates else ()),
    ]
    return next(
        (
            PendingTask(label, "", campaign_url(page, campaign))
            for holds, label, _, page in all_steps
            if holds
        ),
        None,
    )


def organizer_steps(campaign: Campaign, now: CampaignStatus) -> Waiting:
    coming, checked = (
        _("Runs come in; then build the pool"),
        _("Runs come in, each checked at once"),
    )
    if campaign.runs_deadline:
        at = {"at": format_moment(campaign.runs_deadline)}
        coming = _("Runs come in until %(at)s; then build the pool") % at
        checked = _("Runs come in until %(at)s, each checked at once") % at
    out = _("The scores are out; later judgments can go into another qrels release")
    watch = _("Watch the judging; when it is done, release qrels")
    settling = ngettext(
        "%(n)s disagreement left to adjudicate",
        "%(n)s disagreements left to adjudicate",
        now.to_adjudicate,
    )
    return [
        (now.to_adjudicate > 0, settling, "", "adjudication"),
        (now.released_at is not None, out, "", "qrels-list"),
        (now.open_slots > 0 or now.growing, watch, "", "judging"),
        (now.runs > 0, coming, "", "pools"),
        (True, checked, "", "runs"),
    ]


def assessor_steps(now: CampaignStatus) -> Waiting:
    all_done = _("All that was yours is judged, thank you; look over what you said")
    return [
        (now.my_judged > 0, all_done, "", "my-judgments"),
        (True, _("Documents to judge, once topics are assigned to you"), "", "work"),
    ]


def adjudicator_steps() -> Waiting:
    told = _("Disagreements to settle, once an organizer opens a round")
    return [(True, told, "", "adjudication")]


def participant_steps(now: CampaignStatus) -> Waiting:
    told = _("Your scores, once the organizers release them")
    return [(now.team_runs > 0, told, "", "runs")]


def build_tabs(campaign: Campaign, now: CampaignStatus, request: HttpRequest) -> list[Tab]:
    here = request.resolver_match.url_name if request.resolver_match else ""
    counts = {"topics": now.topics} | ({"runs": now.runs} if now.organizes else {})
    return [
        Tab(
            str(label),
            campaign_url(page, campaign),
            here in (page, *below.split()),
            counts.get(page),
        )
        for label, roles, page, below in TABS
        if not roles or now.roles & set(roles.split())
    ]
