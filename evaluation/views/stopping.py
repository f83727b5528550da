"""When to stop: the panel to look at while people judge, and the rule that ends topics."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from campaigns.attachments import attachment_response
from campaigns.models import Campaign
from campaigns.queries import get_campaign_for
from campaigns.views.helpers import SignedInRequest
from evaluation import services
from evaluation.charts.lines import LineChart, build_judgments_chart, judgments_value
from evaluation.core.collection.stability import JUDGED_ALARM
from evaluation.core.comparison.rank_drop import RankDrop
from evaluation.core.disagreement.formats import write_csv_rows
from evaluation.core.disagreement.report import can_rank_runs
from evaluation.core.measures.family import Measure
from evaluation.core.measures.names import parse_measures
from evaluation.core.measures.registry import DEFAULT_NAMES
from evaluation.core.stopping.docs import CARDS
from evaluation.forms import StoppingForm
from evaluation.queries.disagreement import USUAL_POLICY
from evaluation.services.stopping import CUTS, InterimPool, InterimRun, StoppingPanel
from evaluation.views.cells import USUAL, build_column, format_score
from judging.core.policies import POLICIES
from judging.queries.stopping import latest_rule, stopped_topics
from judging.services.stopping import set_stopping_rule

NARROW = (400.0, 220.0)
"""Pictures stand beside what they show, at half the width of the page."""


@dataclass(frozen=True)
class StoppingRunRow:
    """A run as the page shows it. ``judged`` are texts with whether they are too low."""

    row: InterimRun
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
class StoppingQuery:
    """What an address asks for."""

    policy: str
    by: str
    step: int | None


@require_http_methods(["GET", "POST"])
def stopping_view(request: SignedInRequest, slug: str) -> HttpResponse:
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    if request.method == "POST":
        return set_rule_from_form(request, campaign)
    return render_stopping_page(request, campaign, StoppingForm.of(latest_rule(campaign)))


def set_rule_from_form(request: SignedInRequest, campaign: Campaign) -> HttpResponse:
    form = StoppingForm(request.POST)
    if not form.is_valid():
        return render_stopping_page(request, campaign, form)
    row = set_stopping_rule(actor=request.user, campaign=campaign, rule=form.rule)
    count = stopped_topics(campaign).count()
    told = f"Topics end {row.rule.in_words()}." if row.rule else "No rule ends a topic."
    messages.success(request, f"{told} Ended by now: {count}.")
    return redirect("stopping", campaign.slug)


def render_stopping_page(
    request: SignedInRequest, campaign: Campaign, form: StoppingForm
) -> HttpResponse:
    choice = parse_stopping_query(request, campaign)
    found = get_stopping_panel(request, campaign, choice)
    pool = found.pool
    context = {
        "campaign": campaign,
        "crumbs": [("Judging", "../judging/"), ("When to stop", None)],
        "panel": found,
        "form": form,
        "rule": latest_rule(campaign),
        "ended": {
            row.topic.number: row.at for row in stopped_topics(campaign).select_related("topic")
        },
        "choice": choice,
        "measures": [build_column(measure) for measure in ranking_measures(campaign)],
        "policies": [policy.card for policy in POLICIES.values()],
        "share": compute_percent(found.relevant, found.judged),
        "curve": stopping_chart("relevant", [*found.curve]),
        "moves": stopping_chart("tau-b", tau_series(found)) if found.moves else None,
        "topics": [(row, compute_percent(row.relevant, row.judged)) for row in pool.topics]
        if pool
        else [],
        "dense": sum(row.is_dense for row in pool.topics) if pool else 0,
        "lonely": sum(row.is_mostly_unique for row in pool.topics) if pool else 0,
        "windows": [(row, compute_percent(row.relevant, row.judged)) for row in pool.windows]
        if pool
        else [],
        "teams": [(row, compute_percent(row.unique_relevant, found.relevant)) for row in pool.teams]
        if pool
        else [],
        "below": None if not pool or isinstance(pool.below, str) else pool.below,
        "complete": compute_percent(pool.left.completeness or 0, 1) if pool else 0,
        "runs": [*iter_run_rows(found)],
        "cuts": CUTS,
        "alarm": JUDGED_ALARM,
        "cards": CARDS,
    }
    status = 422 if form.errors else 200
    return render(request, "evaluation/stopping.html", context, status=status)


def parse_stopping_query(request: SignedInRequest, campaign: Campaign) -> StoppingQuery:
    """Nonsense counts as nothing said."""
    asked = request.GET
    names = [measure.name for measure in ranking_measures(campaign)]
    usual = next((name for name in USUAL if name in names), names[0])
    step = asked.get("last", "")
    number = int(step) if step.isascii() and step.isdecimal() and len(step) < 8 else 0
    return StoppingQuery(
        policy=asked["policy"] if asked.get("policy") in POLICIES else USUAL_POLICY,
        by=asked["by"] if asked.get("by") in names else usual,
        step=number or None,
    )


def ranking_measures(campaign: Campaign) -> list[Measure]:
    """The campaign's measures that runs are ranked by; never none."""
    found = [m for m in parse_measures(campaign.measures or DEFAULT_NAMES) if can_rank_runs(m)]
    return found or [*parse_measures(["map"])]


def get_stopping_panel(
    request: SignedInRequest, campaign: Campaign, choice: StoppingQuery
) -> StoppingPanel:
    return services.stopping_panel(
        actor=request.user,
        campaign=campaign,
        policy=choice.policy,
        by=choice.by,
        step=choice.step,
    )


def iter_run_rows(found: StoppingPanel) -> Iterator[StoppingRunRow]:
    for row in found.runs:
        judged = tuple(
            (format_score(share), share is not None and share < JUDGED_ALARM)
            for share in row.judged
        )
        yield StoppingRunRow(row, format_score(row.score), judged)


def tau_series(found: StoppingPanel) -> list[tuple[int, float]]:
    """Tau-b to the ranking of now by the judgments that there were; now it is 1."""
    past = [(found.judgments - move.ago, move.tau_b.value) for move in reversed(found.moves)]
    return [(at, value) for at, value in past if value is not None] + [(found.judgments, 1.0)]


def stopping_chart(label: str, points: Sequence[tuple[int, float]]) -> LineChart:
    return build_judgments_chart(
        [(label, [judgments_value(at, label, value) for at, value in points])], NARROW
    )


def compute_percent(part: float, whole: float) -> float:
    return 100 * part / whole if whole else 0.0


@require_safe
def stopping_download_view(
    request: SignedInRequest, slug: str, what: str, fmt: str
) -> HttpResponse:
    """One table as CSV, or all of them as JSON (``panel.json``)."""
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    found = export_tables(
        get_stopping_panel(request, campaign, parse_stopping_query(request, campaign))
    )
    name = f"{slug}-stopping-{what}.{fmt}"
    if (what, fmt) == ("panel", "json"):
        told = {table: [dict(zip(rows[0], row, strict=True)) for row in rows[1:]]
                for table, rows in found.items()}  # fmt: skip
        return attachment_response(json.dumps(told, ensure_ascii=False, indent=2) + "\n", name)
    if what not in found or fmt != "csv":
        raise Http404(f"no download {what}.{fmt}")
    return attachment_response(write_csv_rows(found[what]), name)


Rows = list[Sequence[object]]


def export_tables(found: StoppingPanel) -> dict[str, Rows]:
    """Each table with its heads; undefined is None."""
    runs: Rows = [("run", "team", "pooled", found.measure.name, "place", "place_before",
                   *(f"judged_{k}" for k in CUTS))]  # fmt: skip
    runs += [
        (r.run.tag, r.run.team.name, r.pooled, r.score, r.place, r.before, *r.judged)
        for r in found.runs
    ]
    moves: Rows = [("judgments_ago", "tau_b", "tau_ap", "tau_ap_form", "drop", "places")]
    moves += [
        (m.ago, m.tau_b.value, m.tau_ap.value, m.tau_ap_name, *drop_columns(m.drop))
        for m in found.moves
    ]
    tables: dict[str, Rows] = {
        "found": [("judged", "relevant"), *found.curve],
        "ranking": moves,
        "runs": runs,
    }
    return tables | (pool_tables(found.pool) if found.pool else {})


def drop_columns(drop: RankDrop | None) -> tuple[str | None, int]:
    return (drop.tag, drop.places) if drop else (None, 0)


def pool_tables(pool: InterimPool) -> dict[str, Rows]:
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
        (
            t.number,
            t.documents,
            t.judged,
            t.relevant,
            t.unique_relevant,
            t.since,
            t.is_dense,
            t.is_mostly_unique,
        )
        for t in pool.topics
    ]
    depths: Rows = [("first", "last", "documents", "judged", "relevant", "rate")]
    depths += [(w.first, w.last, w.documents, w.judged, w.relevant, w.rate) for w in pool.windows]
    teams: Rows = [("team", "documents", "judged", "relevant", "relevant_alone")]
    teams += [(t.name, t.documents, t.judged, t.relevant, t.unique_relevant) for t in pool.teams]
    return {"left": left, "topics": topics, "depths": depths, "teams": teams}
