"""When to stop: the panel to look at while people judge, and the rule that ends topics."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from campaigns.attachments import attachment
from campaigns.models import Campaign
from campaigns.queries import campaign_for
from campaigns.views.signed_in import SignedIn
from evaluation import services
from evaluation.charts.lines import LineChart, after, judgments_chart
from evaluation.core.collection.stability import JUDGED_ALARM
from evaluation.core.comparison.drop import Drop
from evaluation.core.disagreement.formats import csv_of
from evaluation.core.disagreement.report import ranks_runs
from evaluation.core.measures.family import Measure
from evaluation.core.measures.names import parse_measures
from evaluation.core.measures.registry import DEFAULT_NAMES
from evaluation.core.stopping.page import CARDS
from evaluation.forms import StoppingForm
from evaluation.queries.disagreement import USUAL_POLICY
from evaluation.services.stopping import CUTS, Panel, PoolSoFar, RunSoFar
from evaluation.views.cells import USUAL, column_of, figure
from judging.core.policies import POLICIES
from judging.queries.stopping import newest_rule, stopped
from judging.services.stopping import set_rule

NARROW = (400.0, 220.0)
"""Pictures stand beside what they show, at half the width of the page."""


@dataclass(frozen=True)
class Shown:
    """A run as the page shows it. ``judged`` are texts with whether they are too low."""

    row: RunSoFar
    score: str
    judged: tuple[tuple[str, bool], ...]

    @property
    def moved(self) -> int:
        """Places gained since the first checkpoint; negative: lost."""
        now, before = self.row.place, self.row.before
        return 0 if now is None or before is None else before - now

    @property
    def lost(self) -> int:
        return -self.moved


@dataclass(frozen=True)
class Choice:
    """What an address asks for."""

    policy: str
    by: str
    step: int | None


@require_http_methods(["GET", "POST"])
def stopping(request: SignedIn, slug: str) -> HttpResponse:
    campaign = campaign_for(request.user, slug, "campaigns.manage")
    if request.method == "POST":
        return set_by(request, campaign)
    return page(request, campaign, StoppingForm.of(newest_rule(campaign)))


def set_by(request: SignedIn, campaign: Campaign) -> HttpResponse:
    form = StoppingForm(request.POST)
    if not form.is_valid():
        return page(request, campaign, form)
    row = set_rule(actor=request.user, campaign=campaign, rule=form.rule)
    count = stopped(campaign).count()
    told = f"Topics end {row.rule.in_words()}." if row.rule else "No rule ends a topic."
    messages.success(request, f"{told} Ended by now: {count}.")
    return redirect("stopping", campaign.slug)


def page(request: SignedIn, campaign: Campaign, form: StoppingForm) -> HttpResponse:
    choice = choice_of(request, campaign)
    found = panel_of(request, campaign, choice)
    pool = found.pool
    context = {
        "campaign": campaign,
        "crumbs": [("Judging", "../judging/"), ("When to stop", None)],
        "panel": found,
        "form": form,
        "rule": newest_rule(campaign),
        "ended": {row.topic.number: row.at for row in stopped(campaign).select_related("topic")},
        "choice": choice,
        "measures": [column_of(measure) for measure in ranking_measures(campaign)],
        "policies": [policy.card for policy in POLICIES.values()],
        "share": percent(found.relevant, found.judged),
        "curve": chart_of("relevant", [*found.curve]),
        "moves": chart_of("tau-b", moves_of(found)) if found.moves else None,
        "topics": [(row, percent(row.relevant, row.judged)) for row in pool.topics] if pool else [],
        "dense": sum(row.is_dense for row in pool.topics) if pool else 0,
        "lonely": sum(row.is_lonely for row in pool.topics) if pool else 0,
        "windows": [(row, percent(row.relevant, row.judged)) for row in pool.windows]
        if pool
        else [],
        "teams": [(row, percent(row.alone, found.relevant)) for row in pool.teams] if pool else [],
        "below": None if not pool or isinstance(pool.below, str) else pool.below,
        "complete": percent(pool.left.completeness or 0, 1) if pool else 0,
        "runs": [*shown_runs(found)],
        "cuts": CUTS,
        "alarm": JUDGED_ALARM,
        "cards": CARDS,
    }
    status = 422 if form.errors else 200
    return render(request, "evaluation/stopping.html", context, status=status)


def choice_of(request: SignedIn, campaign: Campaign) -> Choice:
    """Nonsense counts as nothing said."""
    asked = request.GET
    names = [measure.name for measure in ranking_measures(campaign)]
    usual = next((name for name in USUAL if name in names), names[0])
    step = asked.get("last", "")
    number = int(step) if step.isascii() and step.isdecimal() and len(step) < 8 else 0
    return Choice(
        policy=asked["policy"] if asked.get("policy") in POLICIES else USUAL_POLICY,
        by=asked["by"] if asked.get("by") in names else usual,
        step=number or None,
    )


def ranking_measures(campaign: Campaign) -> list[Measure]:
    """The campaign's measures that runs are ranked by; never none."""
    found = [m for m in parse_measures(campaign.measures or DEFAULT_NAMES) if ranks_runs(m)]
    return found or [*parse_measures(["map"])]


def panel_of(request: SignedIn, campaign: Campaign, choice: Choice) -> Panel:
    return services.stopping_panel(
        actor=request.user,
        campaign=campaign,
        policy=choice.policy,
        by=choice.by,
        step=choice.step,
    )


def shown_runs(found: Panel) -> Iterator[Shown]:
    for row in found.runs:
        judged = tuple(
            (figure(share), share is not None and share < JUDGED_ALARM) for share in row.judged
        )
        yield Shown(row, figure(row.score), judged)


def moves_of(found: Panel) -> list[tuple[int, float]]:
    """Tau-b to the ranking of now by the judgments that there were; now it is 1."""
    past = [(found.judgments - move.ago, move.tau_b.value) for move in reversed(found.moves)]
    return [(at, value) for at, value in past if value is not None] + [(found.judgments, 1.0)]


def chart_of(label: str, points: Sequence[tuple[int, float]]) -> LineChart:
    return judgments_chart([(label, [after(at, label, value) for at, value in points])], NARROW)


def percent(part: float, whole: float) -> float:
    return 100 * part / whole if whole else 0.0


@require_safe
def stopping_download(request: SignedIn, slug: str, what: str, fmt: str) -> HttpResponse:
    """One table as CSV, or all of them as JSON (``panel.json``)."""
    campaign = campaign_for(request.user, slug, "campaigns.manage")
    found = tables_of(panel_of(request, campaign, choice_of(request, campaign)))
    name = f"{slug}-stopping-{what}.{fmt}"
    if (what, fmt) == ("panel", "json"):
        told = {table: [dict(zip(rows[0], row, strict=True)) for row in rows[1:]]
                for table, rows in found.items()}  # fmt: skip
        return attachment(json.dumps(told, ensure_ascii=False, indent=2) + "\n", name)
    if what not in found or fmt != "csv":
        raise Http404(f"no download {what}.{fmt}")
    return attachment(csv_of(found[what]), name)


Rows = list[Sequence[object]]


def tables_of(found: Panel) -> dict[str, Rows]:
    """Each table with its heads; undefined is None."""
    runs: Rows = [("run", "team", "pooled", found.measure.name, "place", "place_before",
                   *(f"judged_{k}" for k in CUTS))]  # fmt: skip
    runs += [
        (r.run.tag, r.run.team.name, r.pooled, r.score, r.place, r.before, *r.judged)
        for r in found.runs
    ]
    moves: Rows = [("judgments_ago", "tau_b", "tau_ap", "tau_ap_form", "drop", "places")]
    moves += [
        (m.ago, m.tau_b.value, m.tau_ap.value, m.tau_ap_name, *dropped(m.drop)) for m in found.moves
    ]
    tables: dict[str, Rows] = {
        "found": [("judged", "relevant"), *found.curve],
        "ranking": moves,
        "runs": runs,
    }
    return tables | (pool_tables(found.pool) if found.pool else {})


def dropped(drop: Drop | None) -> tuple[str | None, int]:
    return (drop.tag, drop.places) if drop else (None, 0)


def pool_tables(pool: PoolSoFar) -> dict[str, Rows]:
    below = None if isinstance(pool.below, str) else pool.below
    left: Rows = [("where", "expected", "low", "high", "reason")]
    left += [("in the pool", pool.left.expected, pool.left.low, pool.left.high, pool.left.reason)]
    told = (
        (below.further, below.low, below.high, below.reason)
        if below
        else (None, None, None, pool.below)
    )
    left += [("below the pool", *told)]
    topics: Rows = [("topic", "documents", "judged", "relevant", "one_team", "since_relevant",
                     "many_relevant", "mostly_one_team")]  # fmt: skip
    topics += [
        (t.number, t.documents, t.judged, t.relevant, t.alone, t.since, t.is_dense, t.is_lonely)
        for t in pool.topics
    ]
    depths: Rows = [("first", "last", "documents", "judged", "relevant", "rate")]
    depths += [(w.first, w.last, w.documents, w.judged, w.relevant, w.rate) for w in pool.windows]
    teams: Rows = [("team", "documents", "judged", "relevant", "relevant_alone")]
    teams += [(t.name, t.documents, t.judged, t.relevant, t.alone) for t in pool.teams]
    return {"left": left, "topics": topics, "depths": depths, "teams": teams}
