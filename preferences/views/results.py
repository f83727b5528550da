"""What preferences say about runs and documents, for organizers only."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.http import Http404, HttpResponse
from django.views.decorators.http import require_safe

from campaigns.api.attachments import report_response
from campaigns.models import Campaign
from campaigns.queries.lists import get_campaign_for
from campaigns.views.helpers import SignedInRequest
from campaigns.views.pages import render_page
from common.charts.axes import parts_axis
from common.charts.chart import Chart
from common.charts.kinds import IntervalRow, build_interval_chart
from common.statistics.estimate import Estimate
from preferences.core.formats import (
    PAIR_FORMATS,
    SCORE_FORMATS,
    STRENGTH_FORMATS,
    format_estimate_interval,
    format_four,
    format_topic_interval,
)
from preferences.core.list_owners import warn_own_lists
from preferences.core.preference_score import PreferenceScore
from preferences.core.strengths import StrengthReport, TopicStrengths
from preferences.forms.click_logs import PreferenceResultsForm
from preferences.queries.preference_sets import (
    CLICKS,
    COMPARISONS,
    SOURCES,
    PreferenceSet,
    RunComparison,
    compute_set_strengths,
    list_run_comparisons,
    load_preference_set,
    score_runs,
)

MOST_TOPICS = 50
"""Topics whose strengths the page lists; the files have all."""


@dataclass(frozen=True)
class ShareRow:
    score: PreferenceScore
    macro: str
    macro_interval: str
    micro: str
    micro_interval: str
    percent: float


@dataclass(frozen=True)
class StrengthRow:
    rank: int | None
    docno: str
    strength: str
    interval: str
    wins: int
    losses: int
    ties: int


@dataclass(frozen=True)
class StrengthTable:
    """A topic; ``cycles`` end with the document that they begin with."""

    topic: TopicStrengths
    rows: list[StrengthRow]
    cycles: list[str]
    zeta: str


@dataclass(frozen=True)
class OutcomeRow:
    comparison: RunComparison
    share: str
    share_interval: str
    p_value: str
    delta: str
    delta_interval: str


@dataclass(frozen=True)
class PreferenceResultsPage:
    """``error``: why there are no strengths. ``query`` is that of the files."""

    campaign: Campaign
    form: PreferenceResultsForm
    source: str
    preferences: PreferenceSet
    shares: list[ShareRow]
    warnings: list[str]
    chart: Chart | None
    strengths: StrengthReport | None
    tables: list[StrengthTable]
    more_topics: int
    circular: int
    triads: int
    error: str
    outcomes: list[OutcomeRow]
    query: str


@require_safe
def preference_results_view(request: SignedInRequest, slug: str) -> HttpResponse:
    """Shares of runs, strengths and cycles from one source, and all comparisons of runs."""
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    form, preferences, prior = read_choice(request, campaign)
    scores = score_runs(campaign, preferences) if preferences.preferences else []
    strengths, error = None, ""
    try:
        strengths = compute_set_strengths(campaign, preferences, prior)
    except ValueError as refused:
        error = str(refused)
    listed = strengths.topics[:MOST_TOPICS] if strengths else ()
    page = PreferenceResultsPage(
        campaign=campaign,
        form=form,
        source=SOURCES[preferences.source],
        preferences=preferences,
        shares=[build_share_row(score) for score in scores],
        warnings=warn_own_lists({score.run: score.own_lists for score in scores}),
        chart=build_shares_chart(scores),
        strengths=strengths,
        tables=[build_strength_table(topic) for topic in listed],
        more_topics=len(strengths.topics) - len(listed) if strengths else 0,
        circular=strengths.circular[0] if strengths else 0,
        triads=strengths.circular[1] if strengths else 0,
        error=error,
        outcomes=[build_outcome_row(each) for each in list_run_comparisons(campaign)],
        query=f"source={preferences.source}&prior={prior:g}",
    )
    return render_page(request, "preferences/results.html", page)


@require_safe
def preference_results_download_view(
    request: SignedInRequest, slug: str, name: str, fmt: str
) -> HttpResponse:
    """The shares of runs, the strengths of documents, or the preferences themselves, as a file."""
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    _, preferences, prior = read_choice(request, campaign)
    file = f"{campaign.slug}-{preferences.source}-{name}.{fmt}"
    if name == "shares":
        scores = score_runs(campaign, preferences)
        return report_response(file, SCORE_FORMATS, scores, by_topic=True)
    if name == "pairs":
        return report_response(file, PAIR_FORMATS, preferences.records)
    if name != "strengths":
        raise Http404(f"unknown file {name}")
    try:
        report = compute_set_strengths(campaign, preferences, prior)
    except ValueError as error:
        raise Http404(str(error)) from error
    return report_response(file, STRENGTH_FORMATS, report)


def read_choice(
    request: SignedInRequest, campaign: Campaign
) -> tuple[PreferenceResultsForm, PreferenceSet, float]:
    """The form, the preferences of its source, and its prior; what is wrong is left at its
    default: the source that has preferences, and no prior.
    """
    clicked = campaign.click_logs.exists()
    default: dict[str, Any] = {"source": CLICKS if clicked else COMPARISONS, "prior": 0.0}
    form = PreferenceResultsForm(default | request.GET.dict())
    form.is_valid()
    choice = default | {name: form.cleaned_data[name] for name in form.cleaned_data}
    return form, load_preference_set(campaign, choice["source"]), choice["prior"]


def build_share_row(score: PreferenceScore) -> ShareRow:
    return ShareRow(
        score,
        format_estimate(score.macro),
        format_topic_interval(score.macro),
        format_estimate(score.micro),
        format_topic_interval(score.micro),
        100 * (score.macro.value or 0),
    )


def build_shares_chart(scores: Sequence[PreferenceScore]) -> Chart | None:
    """Macro shares with their intervals; None where no run has one."""
    if all(score.macro.low is None for score in scores):
        return None
    rows = [
        IntervalRow(
            score.run,
            f"{score.run}: {format_estimate(score.macro)}, {format_topic_interval(score.macro)}",
            score.macro.value,
            score.macro.low,
            score.macro.high,
        )
        for score in scores
    ]
    head = "shares", "Share of preferences kept, by run", "Highest share first."
    across = parts_axis("share", 0.0, 1.0, 5)
    caption = "Macro mean over topics with its 95 % interval."
    return build_interval_chart(
        head, rows, across, room=230.0, width=862.0, caption=caption, row_name="run"
    )


def build_strength_table(topic: TopicStrengths) -> StrengthTable:
    rows = [
        StrengthRow(
            item.rank, item.item, format_estimate(item.strength),
            format_estimate_interval(item.strength) if topic.result.is_defined else "–",
            item.wins, item.losses, item.ties,
        )
        for item in topic.result.items
    ]  # fmt: skip
    cycles = [" ≻ ".join((*cycle, cycle[0])) for cycle in topic.cycles.cycles]
    zeta = "–" if topic.cycles.zeta is None else f"{topic.cycles.zeta:.2f}"
    return StrengthTable(topic, rows, cycles, zeta)


def build_outcome_row(comparison: RunComparison) -> OutcomeRow:
    result = comparison.outcome
    return OutcomeRow(
        comparison,
        format_estimate(result.share),
        format_estimate_interval(result.share),
        "–" if result.p_value is None else format_four(result.p_value),
        format_estimate(result.delta),
        format_topic_interval(result.delta),
    )


def format_estimate(estimate: Estimate) -> str:
    return "–" if estimate.value is None else format_four(estimate.value)
