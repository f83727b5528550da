"""Comparisons and interim scores as files."""

from __future__ import annotations

from django.http import Http404, HttpResponse
from django.utils import timezone

from campaigns.api.attachments import report_response
from campaigns.queries.lists import get_campaign_for
from campaigns.views.helpers import SignedInRequest
from evaluation.core.comparison.measures_report import MEASURES_FORMATS
from evaluation.core.comparison.pair_report import PAIR_FORMATS, TopicPair
from evaluation.core.comparison.registry import CORRELATIONS
from evaluation.core.measures.titles import format_measure_title
from evaluation.queries.comparison import (
    discriminative_powers,
    get_fixed_test,
    ranking_correlations,
    select_run_pairs,
)
from evaluation.queries.interim_export import INTERIM_FORMATS
from evaluation.queries.interim_scores import compute_interim_scores
from evaluation.views.access import get_visible_leaderboard
from evaluation.views.cells import compared_measures
from evaluation.views.downloads import format_label_ending
from evaluation.views.run_pairs import get_requested_test, select_requested_measures
from evaluation.views.runs import compare_by_topic, get_requested_measure, get_two_entries
from judging.core.policies import DEFAULT_POLICY, POLICIES


def compare_download_view(request: SignedInRequest, slug: str, pk: int, fmt: str) -> HttpResponse:
    """Two runs by topic, with the preregistered test."""
    leaderboard = get_visible_leaderboard(request, slug, pk)
    name = get_requested_measure(request, leaderboard, compared_measures(leaderboard))
    a, b = get_two_entries(request, leaderboard, name)
    if a is None or b is None:
        raise Http404("no two runs to compare")
    choice = get_fixed_test(leaderboard.score_set.campaign)
    pairs = compare_by_topic(leaderboard, a, b, name).pairs
    return report_response(
        f"{slug}-compare-{pk}-{name}{format_label_ending(leaderboard)}.{fmt}",
        PAIR_FORMATS,
        (a.tag, b.tag),
        (name, format_measure_title(name)),
        [TopicPair(row.topic, row.title, row.a, row.b, row.difference) for row in pairs],
        select_run_pairs(leaderboard, [a, b], name, choice) if a is not b else None,
        leaderboard.score_set.provenance,
    )


def measures_compared_download_view(
    request: SignedInRequest, slug: str, pk: int, fmt: str
) -> HttpResponse:
    """Rank correlations between measures, and their discriminative power."""
    leaderboard = get_visible_leaderboard(request, slug, pk)
    requested = request.GET.get("by", "")
    coefficient = requested if requested in CORRELATIONS else "tau-b"
    names = select_requested_measures(request, leaderboard)
    choice = get_requested_test(request, leaderboard, len(names))
    if not names:
        raise Http404("no measure ranks these runs")
    conditions = {
        "coefficient": coefficient,
        "test": choice.test,
        "correction": choice.correction,
        "alpha": choice.alpha,
        "scores": leaderboard.score_set.provenance,
    }
    return report_response(
        f"{slug}-measures-{pk}{format_label_ending(leaderboard)}.{fmt}",
        MEASURES_FORMATS,
        CORRELATIONS[coefficient].card.title,
        names,
        ranking_correlations(leaderboard, names, coefficient),
        discriminative_powers(leaderboard, names, choice),
        conditions,
    )


def interim_scores_download_view(request: SignedInRequest, slug: str, fmt: str) -> HttpResponse:
    """The ranking of runs if judging stopped now."""
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    requested, by = request.GET.get("policy", ""), request.GET.get("by", "")
    policy = requested if requested in POLICIES else DEFAULT_POLICY
    scores = compute_interim_scores(actor=request.user, campaign=campaign, policy=policy)
    names = [measure.name for measure in scores.measures]
    by = by if by in names else next((n for n in campaign.measures if n in names), names[0])
    now = timezone.now()
    return report_response(
        f"{slug}-interim-{now:%Y%m%d}.{fmt}", INTERIM_FORMATS, scores, by, policy, now
    )
