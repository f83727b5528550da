"""Stopping: the panel for the time of judging, and the stopping rule."""

from collections.abc import Sequence
from dataclasses import astuple, replace
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_http_methods, require_safe

from campaigns.api.attachments import report_response
from campaigns.models import Campaign
from campaigns.queries.lists import get_campaign_for
from campaigns.services.snapshots import compute_report, get_report
from campaigns.views.helpers import SignedInRequest, read_digits
from campaigns.views.pages import PageSection, render_page
from judging.queries.slots import latest_rule, stopped_topics
from judging.rules import choose_policy
from judging.services.stopping import set_stopping_rule
from poolbench.charts.chart import Chart
from poolbench.evaluation.measures.titles import format_measure_title
from poolbench.judging.policies import POLICIES
from poolbench.reliability.charts import build_judgments_chart, judgments_value
from poolbench.reliability.collection.stability import JUDGED_ALARM
from poolbench.reliability.stopping.panel import CARDS, CUTS, InterimPool, StoppingPanel
from poolbench.reliability.verdicts.stopping import STOPPING
from poolbench.reports.late_runs import mark_late_runs
from poolbench.reports.report import Report, Section, Table, make_columns
from poolbench.reports.writers import WRITERS
from poolbench.shared_reads import share_reads
from poolbench.verdicts import add_verdict
from reliability.forms import StoppingForm
from reliability.queries.stopping import (
    RankingChoice,
    choose_default_ranking,
    choose_stopping_panel,
    count_judgments_since,
    ranking_measures,
)

NARROW = (400.0, 220.0)
"""Charts are beside their tables, at half the width of the page."""
SAME_TAU = 0.95
"""Below it, the latest step has moved the ranking."""
Rows = list[Sequence[object]]


@require_http_methods(["GET", "POST"])
def stopping_view(request: SignedInRequest, slug: str) -> HttpResponse:
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    if request.method == "POST":
        return set_rule_from_form(request, campaign)
    return render_stopping_page(request, campaign, StoppingForm.from_row(latest_rule(campaign)))


def set_rule_from_form(request: SignedInRequest, campaign: Campaign) -> HttpResponse:
    form = StoppingForm(request.POST)
    if not form.is_valid():
        return render_stopping_page(request, campaign, form)
    row = set_stopping_rule(actor=request.user, campaign=campaign, rule=form.rule)
    count = stopped_topics(campaign).count()
    text = "Stopping rule removed."
    if row.rule:
        text = f"Stopping rule saved: a topic is complete {row.rule.in_words()}."
    messages.success(request, f"{text} Complete topics: {count:,}.")
    return redirect("stopping", campaign.slug)


@share_reads
def render_stopping_page(
    request: SignedInRequest, campaign: Campaign, form: StoppingForm
) -> HttpResponse:
    choice = parse_stopping_query(request, campaign)
    current = get_report(campaign, STOPPING)
    panel = choose_stopping_panel(
        actor=request.user, campaign=campaign, choice=choice, report=current.report
    )
    pool = panel.pool
    ended = {row.topic.number: row.at for row in stopped_topics(campaign).select_related("topic")}
    # ``ended``: since when topics are complete, by number. ``since``: how many judgments have
    # come after all this; ``moves`` are over the last ``span`` judgments. ``dense`` topics
    # have many relevant documents, ``lonely`` ones mostly those of one team.
    page = {
        "campaign": campaign,
        "panel": panel,
        "form": form,
        "rule": latest_rule(campaign),
        "ended": ended,
        "choice": choice,
        "measures": [measure.name for measure in ranking_measures(campaign)],
        "policies": [policy.card for policy in POLICIES.values()],
        "curve": stopping_chart("found", "Relevant documents found", "relevant", [*panel.curve]),
        "moves": stopping_chart(
            "ranking", "Tau-b with the current ranking", "tau-b", tau_series(panel)
        )
        if panel.moves
        else None,
        "span": panel.moves[0].ago if panel.moves else 0,
        "dense": sum(row.is_dense for row in pool.topics) if pool else 0,
        "lonely": sum(row.is_mostly_unique for row in pool.topics) if pool else 0,
        "below": None if not pool or isinstance(pool.below, str) else pool.below,
        "since": count_judgments_since(campaign, panel.last),
        "cuts": CUTS,
        "alarm": JUDGED_ALARM,
        "cards": CARDS,
        "current": current,
        "sections": list_stopping_sections(panel),
        "in_words": describe_stopping_choice(choice.by, choice.policy, panel.step),
    }
    status = 422 if form.errors else 200
    return render_page(request, "reliability/stopping.html", page, status=status)


def list_stopping_sections(panel: StoppingPanel) -> list[PageSection]:
    """The sections that the page has, with the state of each where it has one."""
    taus = [move.tau_b.value for move in panel.moves if move.tau_b.value is not None]
    moved = "" if not taus else ("good" if min(taus[:1]) >= SAME_TAU else "amber")
    shares = [share for row in panel.runs for share in row.judged[1:2] if share is not None]
    low = any(share < JUDGED_ALARM for share in shares)
    pool = panel.pool
    left = "" if pool is None or pool.left.reason else ("amber" if pool.left.unjudged else "good")
    sections = [
        PageSection("left", "What is left to find", left),
        PageSection("moves", "Does the ranking move", moved),
    ]
    if panel.runs:
        sections.append(PageSection("runs", "Runs at this moment", "amber" if low else "good"))
    if pool is not None:
        alarm = any(row.is_dense or row.is_mostly_unique for row in pool.topics)
        sections += [
            PageSection("topics", "Topics", "amber" if alarm else "good"),
            PageSection("depth", "By depth"),
            PageSection("teams", "By team"),
        ]
    return [
        *sections,
        PageSection("rule", "Rules that end topics"),
        PageSection("computed", "How it is computed"),
    ]


def describe_stopping_choice(by: str, policy: str, step: int) -> str:
    """How runs are ranked, in words."""
    title = format_measure_title(by, over_topics=True)
    return f"By {title}, {POLICIES[policy].card.title}, in steps of {step:,} judgments"


def parse_stopping_query(request: SignedInRequest, campaign: Campaign) -> RankingChoice:
    """Invalid values are replaced by the defaults; an unknown policy is refused."""
    query = request.GET
    default = choose_default_ranking(campaign)
    names = [measure.name for measure in ranking_measures(campaign)]
    return RankingChoice(
        policy=choose_policy(query.get("policy", ""), POLICIES, default.policy),
        by=query["by"] if query.get("by") in names else default.by,
        step=read_digits(query.get("last", ""), 7) or None,
    )


def tau_series(panel: StoppingPanel) -> list[tuple[int, float]]:
    """Tau-b with the current ranking by number of judgments; the last value is 1."""
    past = [(panel.judgments - move.ago, move.tau_b.value) for move in reversed(panel.moves)]
    return [(at, value) for at, value in past if value is not None] + [(panel.judgments, 1.0)]


def stopping_chart(name: str, title: str, label: str, points: Sequence[tuple[int, float]]) -> Chart:
    values = [judgments_value(at, label, value) for at, value in points]
    return build_judgments_chart(name, title, label, [(label, values)], NARROW)


@require_safe
def stopping_download_view(
    request: SignedInRequest, slug: str, table: str, fmt: str
) -> HttpResponse:
    """One table as CSV, or all of them in the other formats (``panel.json``)."""
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    choice = parse_stopping_query(request, campaign)
    # Tables as the page shows them; a whole report with its verdict is of now.
    load = get_report if fmt == "csv" else compute_report
    current = load(campaign, STOPPING)
    panel = choose_stopping_panel(
        actor=request.user, campaign=campaign, choice=choice, report=current.report
    )
    conditions = {
        "campaign": slug,
        "policy": choice.policy,
        "measure": panel.measure,
        "judgments": panel.judgments,
        "step": panel.step,
    }
    report = build_stopping_report(panel, table, conditions)
    report = mark_late_runs(report, campaign.late_tags)
    if fmt != "csv":
        report = add_verdict(report, current.verdict)
    exists = report.record is not None if fmt == "csv" else table == "panel"
    if not exists:
        raise Http404(f"unknown download {table}.{fmt}")
    return report_response(f"{slug}-stopping-{table}.{fmt}", WRITERS, report)


def build_stopping_report(panel: StoppingPanel, name: str, conditions: dict[str, Any]) -> Report:
    """All tables; that of ``name`` is the one of CSV."""
    cells = export_tables(panel)
    tables = {}
    for title, (head, *records) in cells.items():
        first, *others = make_columns(*map(str, head), show=format_plain_value)
        tables[title] = Table(f"stopping {title}", (replace(first, left=True), *others), records)
    return Report(
        title="Stopping",
        sections=[Section(title.capitalize(), (table,)) for title, table in tables.items()],
        conditions=conditions,
        record=tables.get(name),
        data=lambda: {
            title: [dict(zip(rows[0], row, strict=True)) for row in rows[1:]]
            for title, rows in cells.items()
        },
    )


def format_plain_value(value: object) -> str:
    return f"{value:.4f}" if isinstance(value, float) else str(value)


def export_tables(panel: StoppingPanel) -> dict[str, Rows]:
    """Each table with its header row; undefined is None."""
    runs: Rows = [("run", "team", "pooled", panel.measure, "place", "place_before",
                   *(f"judged_{k}" for k in CUTS))]  # fmt: skip
    runs += [(r.tag, r.team, r.pooled, r.score, r.place, r.before, *r.judged) for r in panel.runs]
    moves: Rows = [("judgments_ago", "tau_b", "tau_ap", "tau_ap_form", "drop", "places")]
    for move in panel.moves:
        drop = (move.drop.tag, move.drop.places) if move.drop else (None, 0)
        moves.append((move.ago, move.tau_b.value, move.tau_ap.value, move.tau_ap_name, *drop))
    curve: Rows = [("judged", "relevant"), *panel.curve]
    tables = {"found": curve, "ranking": moves, "runs": runs}
    return tables | (pool_tables(panel.pool) if panel.pool else {})


def pool_tables(pool: InterimPool) -> dict[str, Rows]:
    inside, below = pool.left, pool.below
    left: Rows = [
        ("where", "expected", "low", "high", "reason"),
        ("in the pool", inside.expected, inside.low, inside.high, inside.reason),
        ("below the pool", None, None, None, below)
        if isinstance(below, str)
        else ("below the pool", below.further, below.low, below.high, below.reason),
    ]
    topics: Rows = [("topic", "documents", "judged", "relevant", "one_team", "since_relevant",
                     "many_relevant", "mostly_one_team")]  # fmt: skip
    topics += [(*astuple(t), t.is_dense, t.is_mostly_unique) for t in pool.topics]
    depths: Rows = [("first", "last", "documents", "judged", "relevant", "rate")]
    depths += [(*astuple(window), window.rate) for window in pool.windows]
    teams: Rows = [("team", "documents", "judged", "relevant", "relevant_alone")]
    teams += map(astuple, pool.teams)
    return {"left": left, "topics": topics, "depths": depths, "teams": teams}
