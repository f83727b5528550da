"""The head of every campaign page: its phases, what needs you now, one main action, tabs."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django import template
from django.http import HttpRequest
from django.template import Context
from django.urls import reverse
from django.utils import timezone
from django.utils.dateformat import format as format_date

from campaigns.models import Campaign
from evaluation.queries.standing import Standing, standing_of

register = template.Library()


@dataclass(frozen=True)
class Phase:
    label: str
    state: str
    note: str
    url: str


@dataclass(frozen=True)
class Need:
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


# Label, roles that see it ("" is everybody), the page, and the other pages below it.
TABS = (
    ("Overview", "", "campaign", ""),
    ("Judge", "assessor", "work", "judge judge-change judge-skip judge-undo"),
    ("My judgments", "assessor", "my-judgments", ""),
    ("Topics", "", "topics", "topic topics-import topics-delete"),
    ("Documents", "", "documents", "document documents-import documents-delete"),
    ("Runs", "organizer participant", "runs", "run run-upload"),
    ("Pool", "organizer", "pools", "pool"),
    ("Judging", "organizer", "judging", "plan-new plan-assign"),
    ("Agreement", "organizer", "agreement", ""),
    ("Qrels", "organizer", "qrels-list", "qrels"),
    ("Scores", "organizer participant", "scores", "score-set score-evaluate run-scores compare"),
    ("People", "organizer", "people", "invite member-add"),
    ("Log", "organizer", "events", ""),
    ("Settings", "organizer", "campaign-settings", ""),
)


@register.inclusion_tag("partials/campaign_head.html", takes_context=True)
def campaign_head(context: Context, campaign: Campaign) -> dict[str, Any]:
    """The head as ``request.user`` may see it."""
    request: HttpRequest = context["request"]
    standing = standing_of(campaign, request.user)  # type: ignore[arg-type]
    needs = needs_of(campaign, standing)
    action = next((n for n in needs if n.action and n.url != request.path), None)
    return {
        "campaign": campaign,
        "phases": phases_of(campaign, standing),
        "needs": needs,
        "next_step": None if needs else next_of(campaign, standing),
        "main_action": {"label": action.action, "url": action.url} if action else None,
        "tabs": tabs_of(campaign, standing, request),
    }


def link(name: str, campaign: Campaign) -> str:
    return reverse(name, args=[campaign.slug])


def when(moment: datetime) -> str:
    return format_date(moment, "j M H:i" if moment.year == timezone.now().year else "j M Y")


def due(deadline: datetime | None) -> str:
    if deadline is None:
        return ""
    return f"due {when(deadline)}" if timezone.now() < deadline else f"closed {when(deadline)}"


def plural(count: int, noun: str) -> str:
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def phases_of(campaign: Campaign, now: Standing) -> list[Phase]:
    """The six phases, each done, now, to do, or late: past its deadline and not done."""
    late = {"runs": not campaign.takes_runs(), "judging": not campaign.takes_judgments()}
    done = phases_done(campaign, now)
    current = current_phase(done)
    notes, pages = notes_of(campaign, now), phase_pages(now)

    # Judging may go on while its first qrels are released and scored.
    at_work = {current} | ({"judging"} if now.open_slots else set())

    def state(name: str) -> str:
        if done[name]:
            return "done"
        return "late" if late.get(name) else "now" if name in at_work else "todo"

    return [
        Phase(
            label=name.capitalize(),
            state=state(name),
            note=notes[name],
            url=link(pages[name], campaign) if name in pages else "",
        )
        for name in done
    ]


def current_phase(done: dict[str, bool]) -> str:
    """The first phase after the last that is done: judgments may be older than any pool."""
    names = list(done)
    after = max((at + 1 for at, name in enumerate(names) if done[name]), default=0)
    return names[after] if after < len(names) else ""


def phases_done(campaign: Campaign, now: Standing) -> dict[str, bool]:
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


def phase_pages(now: Standing) -> dict[str, str]:
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
    pages |= {"judging": "work"} if now.assesses else {}
    return pages | ({"runs": "runs", "scores": "scores"} if now.participates else {})


def notes_of(campaign: Campaign, now: Standing) -> dict[str, str]:
    """A few words a phase. Only organizers read counts of what others did."""
    organizer = now.organizes
    released = f"released {when(now.released_at)}" if now.released_at else ""
    notes = {
        "setup": [plural(now.topics, "topic")],
        "runs": ["", due(campaign.runs_deadline)],
        "pool": [plural(now.pool_size or 0, "document") if organizer and now.pool else ""],
        "judging": ["", due(campaign.judging_deadline) if not now.all_judged else ""],
        "qrels": [f"version {now.qrels}" if organizer and now.qrels else ""],
        "scores": [released or ("not released" if organizer and now.scored_qrels else "")],
    }
    if organizer:
        runs = f"{plural(now.runs, 'run')} of {plural(now.teams, 'team')}"
        notes["runs"][0] = runs if now.runs else "none yet"
        notes["judging"][0] = f"{now.judged:,} of {now.slots:,} judged" if now.slots else ""
    elif now.participates:
        notes["runs"][0] = f"{now.team_runs:,} of your team"
    if now.assesses and not organizer:
        notes["judging"][0] = f"{now.my_judged:,} by you"
    return {name: ", ".join(filter(None, words)) for name, words in notes.items()}


def needs_of(campaign: Campaign, now: Standing) -> list[Need]:
    """What waits for this person, most pressing first."""
    all_needs = [
        *(organizer_needs(campaign, now) if now.organizes else ()),
        *(assessor_needs(campaign, now) if now.assesses else ()),
        *(participant_needs(campaign, now) if now.participates else ()),
    ]
    return [
        Need(label, action, link(page, campaign))
        for waits, label, action, page in all_needs
        if waits
    ]


Waiting = list[tuple[bool, str, str, str]]
"""Whether it waits, a sentence, the button's words (or none), the page."""


def setup_needs(campaign: Campaign, now: Standing) -> Waiting:
    closed = campaign.runs_deadline is None or not campaign.takes_runs()
    unread = now.topics > 0 and not now.documents and not now.slots and now.qrels is None
    uninvited = not now.runs and not now.participants
    poolable = closed and now.runs > 0 and now.pool is None and now.qrels is None
    runs = plural(now.runs, "run")
    return [
        (not now.grades, "There is no grade scale", "Set the scale", "campaign-settings"),
        (not now.topics, "There are no topics", "Import topics", "topics-import"),
        (unread, "Assessors have nothing to read", "Import documents", "documents-import"),
        (now.topics > 0 and uninvited, "No team takes part yet", "Invite people", "people"),
        (poolable, f"{runs} can be pooled", "Build the pool", "pools"),
    ]


def organizer_needs(campaign: Campaign, now: Standing) -> Waiting:
    unassigned = now.pool is not None and not now.slots and now.qrels is None
    late = now.open_slots > 0 and not campaign.takes_judgments()
    missing = f"{plural(now.open_slots, 'judgment')} missing after the deadline"
    fresh = now.qrels is not None and now.qrels != now.scored_qrels and now.runs > 0
    hidden = now.scored_qrels is not None and now.scored_released is None and not fresh
    newer = now.released_at is not None
    unseen = f"Participants do not see the {'newest ' if newer else ''}scores"
    unfixed = now.all_judged and now.qrels is None
    return [
        *setup_needs(campaign, now),
        (unassigned, "Nobody judges the pool", "Assign topics", "plan-new"),
        (late, missing, "See judging", "judging"),
        (unfixed, "Everything is judged", "Release qrels", "qrels-list"),
        (fresh, f"Nothing is scored under qrels {now.qrels}", "Evaluate", "scores"),
        (hidden, unseen, "Release scores", "scores"),
    ]


def assessor_needs(campaign: Campaign, now: Standing) -> Waiting:
    waiting = now.my_open > 0 and campaign.takes_judgments()
    words = plural(now.my_open, "document")
    until = f", {due(campaign.judging_deadline)}" if campaign.judging_deadline else ""
    verb = "waits" if now.my_open == 1 else "wait"
    return [(waiting, f"{words} {verb} for you{until}", "Judge", "work")]


def participant_needs(campaign: Campaign, now: Standing) -> Waiting:
    limit = campaign.max_runs_per_team
    left = None if limit is None else max(limit - now.team_runs, 0)
    room = "any number of runs" if left is None else f"{plural(left, 'more run')}"
    until = f", {due(campaign.runs_deadline)}" if campaign.runs_deadline else ""
    out = now.released_at is not None
    may = campaign.takes_runs() and left != 0 and now.topics > 0 and not out
    refused = f"{plural(now.team_refused, 'run')} of your team refused"
    return [
        (out, "The scores are out", "See your scores", "scores"),
        (may, f"Your team may hand in {room}{until}", "Hand in a run", "run-upload"),
        (bool(now.team_refused) and may, refused, "", "runs"),
    ]


def next_of(campaign: Campaign, now: Standing) -> Need | None:
    """Where nothing needs this person: what they may expect, and where to look."""
    all_steps = [
        *(organizer_steps(campaign, now) if now.organizes else ()),
        *(assessor_steps(now) if now.assesses else ()),
        *(participant_steps(now) if now.participates else ()),
    ]
    return next(
        (Need(label, "", link(page, campaign)) for holds, label, _, page in all_steps if holds),
        None,
    )


def organizer_steps(campaign: Campaign, now: Standing) -> Waiting:
    until = f" until {when(campaign.runs_deadline)}" if campaign.runs_deadline else ""
    out = "The scores are out; later judgments can go into another qrels release"
    return [
        (now.released_at is not None, out, "", "qrels-list"),
        (now.open_slots > 0, "Watch the judging; when it is done, release qrels", "", "judging"),
        (now.runs > 0, f"Runs come in{until}; then build the pool", "", "pools"),
        (True, f"Runs come in{until}, each checked at once", "", "runs"),
    ]


def assessor_steps(now: Standing) -> Waiting:
    all_done = "All that was yours is judged, thank you; look over what you said"
    return [
        (now.my_judged > 0, all_done, "", "my-judgments"),
        (True, "Documents to judge, once topics are assigned to you", "", "work"),
    ]


def participant_steps(now: Standing) -> Waiting:
    return [(now.team_runs > 0, "Your scores, once the organizers release them", "", "runs")]


def tabs_of(campaign: Campaign, now: Standing, request: HttpRequest) -> list[Tab]:
    here = request.resolver_match.url_name if request.resolver_match else ""
    counts = {"topics": now.topics} | ({"runs": now.runs} if now.organizes else {})
    return [
        Tab(label, link(page, campaign), here in (page, *below.split()), counts.get(page))
        for label, roles, page, below in TABS
        if not roles or now.roles & set(roles.split())
    ]
