"""Stopping: the panel for the time of judging, and the stopping rule."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Generic, NamedTuple, TypeVar

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_http_methods, require_safe

from campaigns.api.attachments import report_response
from campaigns.core.cards import Card
from campaigns.models import Campaign
from campaigns.queries.lists import get_campaign_for
from campaigns.services.verdicts import compute_campaign_verdict
from campaigns.views.helpers import SignedInRequest
from campaigns.views.pages import render_page
from campaigns.views.verdicts import PageSection, VerdictPanel, load_verdict_panel
from common.charts.chart import Chart
from common.report.report import Report, Section, Table, make_columns
from common.report.writers import WRITERS
from common.shared_reads import share_reads
from common.verdicts import add_verdict
from evaluation.core.comparison.rank_drop import RankDrop
from evaluation.core.measures.family import Measure
from evaluation.core.measures.names import parse_measures
from evaluation.core.measures.registry import DEFAULT_NAMES
from evaluation.views.cells import DEFAULT_MEASURES, ScoreColumn, build_column, format_score
from judging.core.policies import DEFAULT_POLICY, POLICIES
from judging.models import StoppingRule
from judging.queries.stopping import latest_rule, stopped_topics
from judging.services.stopping import set_stopping_rule
from reliability.core.collection.extrapolation import Extrapolation
from reliability.core.collection.stability import JUDGED_ALARM
from reliability.core.disagreement.report import can_rank_runs
from reliability.core.judgments_chart import build_judgments_chart, judgments_value
from reliability.core.stopping.cards import CARDS
from reliability.core.stopping.discoveries import RankWindow, TeamDiscoveries, TopicDiscoveries
from reliability.forms import StoppingForm
from reliability.queries.stopping import (
    CUTS,
    InterimPool,
    InterimRun,
    StoppingPanel,
    stopping_panel,
)
from reliability.views.stopping_sections import (
    describe_stopping_choice,
    list_stopping_sections,
)

NARROW = (400.0, 220.0)
"""Charts are beside their tables, at half the width of the page."""


class JudgedShare(NamedTuple):
    """``low``: too low to trust the score."""

    text: str
    low: bool


Rows = list[Sequence[object]]


@dataclass(frozen=True)
class StoppingRunRow:
    """A run as the page shows it."""

    row: InterimRun
    score: str
    judged: tuple[JudgedShare, ...]

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
    """The query of the URL."""

    policy: str
    by: str
    step: int | None


Row = TypeVar("Row")


class RowWithPercent(NamedTuple, Generic[Row]):
    row: Row
    pct: float


@dataclass(frozen=True)
class StoppingPage:
    """``ended``: since when topics are complete, by number. ``share`` and ``complete`` are
    percents; ``moves`` are over the last ``span`` judgments. ``dense`` topics have many relevant
    documents, ``lonely`` ones mostly those of one team.
    """

    campaign: Campaign
    panel: StoppingPanel
    form: StoppingForm
    rule: StoppingRule | None
    ended: dict[str, datetime]
    choice: StoppingQuery
    measures: list[ScoreColumn]
    policies: list[Card]
    share: float
    curve: Chart
    moves: Chart | None
    span: int
    topics: list[RowWithPercent[TopicDiscoveries]]
    dense: int
    lonely: int
    windows: list[RowWithPercent[RankWindow]]
    teams: list[RowWithPercent[TeamDiscoveries]]
    below: Extrapolation | None
    complete: float
    runs: list[StoppingRunRow]
    cuts: Sequence[int]
    alarm: float
    cards: Sequence[Card]
    verdict: VerdictPanel
    sections: Sequence[PageSection]
    in_words: str


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
    panel = get_stopping_panel(request, campaign, choice)
    pool = panel.pool
    ended = {row.topic.number: row.at for row in stopped_topics(campaign).select_related("topic")}
    page = StoppingPage(
        campaign=campaign,
        panel=panel,
        form=form,
        rule=latest_rule(campaign),
        ended=ended,
        choice=choice,
        measures=[build_column(measure) for measure in ranking_measures(campaign)],
        policies=[policy.card for policy in POLICIES.values()],
        share=compute_percent(panel.relevant, panel.judged),
        curve=stopping_chart("found", "Relevant documents found", "relevant", [*panel.curve]),
        moves=stopping_chart(
            "ranking", "Tau-b with the current ranking", "tau-b", tau_series(panel)
        )
        if panel.moves
        else None,
        span=panel.moves[0].ago if panel.moves else 0,
        topics=[
            RowWithPercent(row, compute_percent(row.relevant, row.judged))
            for row in (pool.topics if pool else ())
        ],
        dense=sum(row.is_dense for row in pool.topics) if pool else 0,
        lonely=sum(row.is_mostly_unique for row in pool.topics) if pool else 0,
        windows=[
            RowWithPercent(row, compute_percent(row.relevant, row.judged))
            for row in (pool.windows if pool else ())
        ],
        teams=[
            RowWithPercent(row, compute_percent(row.unique_relevant, panel.relevant))
            for row in (pool.teams if pool else ())
        ],
        below=None if not pool or isinstance(pool.below, str) else pool.below,
        complete=compute_percent(pool.left.completeness or 0, 1) if pool else 0,
        runs=[*iter_run_rows(panel)],
        cuts=CUTS,
        alarm=JUDGED_ALARM,
        cards=CARDS,
        verdict=load_verdict_panel(campaign, "stopping"),
        sections=list_stopping_sections(panel),
        in_words=describe_stopping_choice(choice.by, choice.policy, panel.step),
    )
    status = 422 if form.errors else 200
    return render_page(request, "reliability/stopping.html", page, status=status)


def parse_stopping_query(request: SignedInRequest, campaign: Campaign) -> StoppingQuery:
    """Invalid values are replaced by the defaults."""
    query = request.GET
    names = [measure.name for measure in ranking_measures(campaign)]
    default = next((name for name in DEFAULT_MEASURES if name in names), names[0])
    step = query.get("last", "")
    number = int(step) if step.isascii() and step.isdecimal() and len(step) < 8 else 0
    return StoppingQuery(
        policy=query["policy"] if query.get("policy") in POLICIES else DEFAULT_POLICY,
        by=query["by"] if query.get("by") in names else default,
        step=number or None,
    )


def ranking_measures(campaign: Campaign) -> list[Measure]:
    """The campaign's measures that rank runs; at least one."""
    measures = [m for m in parse_measures(campaign.measures or DEFAULT_NAMES) if can_rank_runs(m)]
    return measures or [*parse_measures(["map"])]


def get_stopping_panel(
    request: SignedInRequest, campaign: Campaign, choice: StoppingQuery
) -> StoppingPanel:
    return stopping_panel(
        actor=request.user,
        campaign=campaign,
        policy=choice.policy,
        by=choice.by,
        step=choice.step,
    )


def iter_run_rows(panel: StoppingPanel) -> Iterator[StoppingRunRow]:
    for row in panel.runs:
        judged = tuple(
            JudgedShare(format_score(share), share is not None and share < JUDGED_ALARM)
            for share in row.judged
        )
        yield StoppingRunRow(row, format_score(row.score), judged)


def tau_series(panel: StoppingPanel) -> list[tuple[int, float]]:
    """Tau-b with the current ranking by number of judgments; the last value is 1."""
    past = [(panel.judgments - move.ago, move.tau_b.value) for move in reversed(panel.moves)]
    return [(at, value) for at, value in past if value is not None] + [(panel.judgments, 1.0)]


def stopping_chart(name: str, title: str, label: str, points: Sequence[tuple[int, float]]) -> Chart:
    values = [judgments_value(at, label, value) for at, value in points]
    return build_judgments_chart(name, title, label, [(label, values)], NARROW)


def compute_percent(part: float, whole: float) -> float:
    return 100 * part / whole if whole else 0.0


@require_safe
def stopping_download_view(
    request: SignedInRequest, slug: str, table: str, fmt: str
) -> HttpResponse:
    """One table as CSV, or all of them in the other formats (``panel.json``)."""
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    choice = parse_stopping_query(request, campaign)
    panel = get_stopping_panel(request, campaign, choice)
    conditions = {
        "campaign": slug,
        "policy": choice.policy,
        "measure": panel.measure.name,
        "judgments": panel.judgments,
        "step": panel.step,
    }
    report = build_stopping_report(panel, table, conditions)
    if fmt != "csv":
        report = add_verdict(report, compute_campaign_verdict(campaign, "stopping").verdict)
    exists = report.record is not None if fmt == "csv" else table == "panel"
    if not exists:
        raise Http404(f"unknown download {table}.{fmt}")
    return report_response(f"{slug}-stopping-{table}.{fmt}", WRITERS, report)


def build_stopping_report(panel: StoppingPanel, name: str, conditions: dict[str, Any]) -> Report:
    """All tables; that of ``name`` is the one of CSV."""
    cells = export_tables(panel)
    tables = {title: make_stopping_table(title, rows) for title, rows in cells.items()}
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


def make_stopping_table(title: str, rows: Rows) -> Table:
    head, *records = rows
    columns = make_columns(*map(str, head), show=format_plain_value)
    return Table(f"stopping {title}", (replace(columns[0], left=True), *columns[1:]), records)


def format_plain_value(value: object) -> str:
    return f"{value:.4f}" if isinstance(value, float) else str(value)


def export_tables(panel: StoppingPanel) -> dict[str, Rows]:
    """Each table with its header row; undefined is None."""
    runs: Rows = [("run", "team", "pooled", panel.measure.name, "place", "place_before",
                   *(f"judged_{k}" for k in CUTS))]  # fmt: skip
    runs += [
        (r.run.tag, r.run.team.name, r.pooled, r.score, r.place, r.before, *r.judged)
        for r in panel.runs
    ]
    moves: Rows = [("judgments_ago", "tau_b", "tau_ap", "tau_ap_form", "drop", "places")]
    moves += [
        (m.ago, m.tau_b.value, m.tau_ap.value, m.tau_ap_name, *drop_columns(m.drop))
        for m in panel.moves
    ]
    tables: dict[str, Rows] = {
        "found": [("judged", "relevant"), *panel.curve],
        "ranking": moves,
        "runs": runs,
    }
    return tables | (pool_tables(panel.pool) if panel.pool else {})


def drop_columns(drop: RankDrop | None) -> tuple[str | None, int]:
    return (drop.tag, drop.places) if drop else (None, 0)


def pool_tables(pool: InterimPool) -> dict[str, Rows]:
    below = None if isinstance(pool.below, str) else pool.below
    left: Rows = [("where", "expected", "low", "high", "reason")]
    left += [("in the pool", pool.left.expected, pool.left.low, pool.left.high, pool.left.reason)]
    below_columns = (
        (below.further, below.low, below.high, below.reason)
        if below
        else (None, None, None, pool.below)
    )
    left += [("below the pool", *below_columns)]
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
