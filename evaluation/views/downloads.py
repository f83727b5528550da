"""Scores, comparisons and interim scores as files."""

from django.http import Http404, HttpResponse
from django.utils import timezone

from campaigns.api.attachments import attachment_response, report_response
from campaigns.queries.lists import get_campaign_for
from campaigns.views.helpers import SignedInRequest
from evaluation.models import LABELS
from evaluation.queries.comparison import (
    discriminative_powers,
    get_fixed_test,
    ranking_correlations,
    select_run_pairs,
)
from evaluation.queries.exports import (
    INTERIM_FORMATS,
    LEADERBOARD_FORMATS,
    RUN_FORMATS,
    leaderboard_to_csv,
    run_scores_file,
)
from evaluation.queries.leaderboard import Leaderboard
from evaluation.queries.release_files import FILES
from evaluation.views.access import get_entry, get_score_set, get_visible_leaderboard, get_visit
from evaluation.views.cells import compared_measures, select_visible_measures, sorted_entries
from evaluation.views.interim_scores import compute_requested_scores
from evaluation.views.run_pairs import get_measures_choice, get_requested_test
from evaluation.views.runs import get_requested_measure, get_two_entries, list_topic_pairs
from poolbench.evaluation.comparison.formats import FORMATS, MEASURES_FORMATS, PAIR_FORMATS
from poolbench.evaluation.comparison.registry import CORRELATIONS
from poolbench.evaluation.measures.titles import format_measure_title


def score_set_download_view(request: SignedInRequest, slug: str, pk: int, fmt: str) -> HttpResponse:
    """The leaderboard in a format of reports; CSV with ``?shape=long`` has one line per value."""
    leaderboard = get_visible_leaderboard(request, slug, pk)
    name = f"{slug}-scores-{pk}{format_label_ending(leaderboard)}"
    if fmt == "csv" and request.GET.get("shape") == "long":
        text = leaderboard_to_csv(leaderboard, by_topic=True)
        return attachment_response(text, f"{name}.csv")
    visible = [name for name in request.GET.getlist("m") if name in leaderboard.score_set.measures]
    visible = visible or select_visible_measures(leaderboard, ())
    return report_response(f"{name}.{fmt}", LEADERBOARD_FORMATS, leaderboard, visible)


def run_scores_download_view(
    request: SignedInRequest, slug: str, pk: int, run: int, fmt: str
) -> HttpResponse:
    """Scores of a run by topic, in the format of trec_eval or of reports."""
    leaderboard = get_visible_leaderboard(request, slug, pk)
    entry = get_entry(leaderboard, run)
    if fmt not in RUN_FORMATS:
        raise Http404(f"unknown format {fmt}")
    return attachment_response(
        run_scores_file(leaderboard, entry, fmt),
        f"{slug}-{entry.tag}-scores{format_label_ending(leaderboard)}.{fmt}",
    )


def format_label_ending(leaderboard: Leaderboard) -> str:
    """``-filled`` for the name of a file with such scores; files get separated from pages."""
    score_set = leaderboard.score_set
    if score_set.kind in LABELS:
        return f"-{score_set.kind}"
    return f"-{score_set.label.partition(',')[0]}" if score_set.label else ""


def estimate_file_view(request: SignedInRequest, slug: str, pk: int, part: str) -> HttpResponse:
    """A file of a set of estimates, for organizers: they release judgments as data files."""
    get_campaign_for(request.user, slug, "campaigns.manage")
    score_set = get_score_set(get_visit(request, slug), pk)
    if part not in FILES or not score_set.is_estimate:
        raise Http404(f"unknown file {part}")
    ending, write = FILES[part]
    name, kind = f"{slug}-{pk}-{part}.{ending}", "text/plain; charset=utf-8"
    return attachment_response("".join(write(score_set)), name, kind)


def pairs_download_view(request: SignedInRequest, slug: str, pk: int, fmt: str) -> HttpResponse:
    """All run pairs by one measure in a format of reports, with their provenance."""
    leaderboard = get_visible_leaderboard(request, slug, pk)
    name = get_requested_measure(request, leaderboard, compared_measures(leaderboard))
    choice = get_requested_test(request, leaderboard)
    entries = sorted_entries(leaderboard, name)
    comparisons = select_run_pairs(leaderboard, entries, name, choice)
    provenance = {entry.tag: leaderboard.score_set.provenance for entry in entries}
    file = f"{slug}-pairs-{pk}-{name}{format_label_ending(leaderboard)}.{fmt}"
    return report_response(file, FORMATS, {name: comparisons}, provenance)


def compare_download_view(request: SignedInRequest, slug: str, pk: int, fmt: str) -> HttpResponse:
    """Two runs by topic, with the preregistered test."""
    leaderboard = get_visible_leaderboard(request, slug, pk)
    name = get_requested_measure(request, leaderboard, compared_measures(leaderboard))
    a, b = get_two_entries(request, leaderboard, name)
    if a is None or b is None:
        raise Http404("no two runs to compare")
    choice = get_fixed_test(leaderboard.score_set)
    return report_response(
        f"{slug}-compare-{pk}-{name}{format_label_ending(leaderboard)}.{fmt}",
        PAIR_FORMATS,
        (a.tag, b.tag),
        (name, format_measure_title(name)),
        list_topic_pairs(leaderboard, a, b, name),
        select_run_pairs(leaderboard, [a, b], name, choice) if a is not b else None,
        leaderboard.score_set.provenance,
    )


def measures_compared_download_view(
    request: SignedInRequest, slug: str, pk: int, fmt: str
) -> HttpResponse:
    """Rank correlations between measures, and their discriminative power."""
    leaderboard = get_visible_leaderboard(request, slug, pk)
    names, choice, coefficient = get_measures_choice(request, leaderboard)
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
    scores, policy, _ = compute_requested_scores(request, campaign)
    by, names = request.GET.get("by", ""), [measure.name for measure in scores.measures]
    by = by if by in names else next((n for n in campaign.measures if n in names), names[0])
    now = timezone.now()
    return report_response(
        f"{slug}-interim-{now:%Y%m%d}.{fmt}", INTERIM_FORMATS, scores, by, policy, now
    )
