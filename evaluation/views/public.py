"""The page of a campaign for everybody, with its published scores."""

from typing import Any

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest, HttpResponse
from django.utils.cache import patch_cache_control, patch_vary_headers
from django.views.decorators.http import require_safe

from campaigns.models import Campaign, DataFile
from campaigns.queries.data_files import list_offered_files
from campaigns.queries.public_page import (
    describe_public_facts,
    find_public_campaign,
    find_public_page,
    find_register_url,
    list_public_dates,
)
from campaigns.views.pages import render_page
from evaluation.queries.leaderboard import get_leaderboard
from evaluation.queries.score_sets import ScoreReader
from evaluation.queries.scoring_inputs import SHOWN_MEASURES
from evaluation.views.cells import (
    best_median_worst_rows,
    build_column,
    get_sort,
    leaderboard_rows,
    list_fitting_measures,
)

MOST_MEASURES = 4
SECONDS = 60
"""For which caches may keep the page of a visitor who is not signed in."""


@login_not_required
@require_safe
def public_campaign_view(request: HttpRequest, slug: str) -> HttpResponse:
    """The same for all visitors; organizers see it before it is published."""
    campaign = find_public_campaign(request.user, slug)
    if campaign is None:
        raise Http404(f"no public page {slug}")
    public_page = find_public_page(campaign)
    page = {
        "campaign": campaign,
        "public_page": public_page,
        "facts": describe_public_facts(campaign),
        "dates": list_public_dates(campaign, public_page),
        "offered": list_offered_files(request.user, campaign, DataFile.Audience.EVERYBODY),
        "terms": getattr(campaign, "terms", ""),
        "register_url": find_register_url(campaign),
        "address": f"{settings.POOLBENCH_URL}{request.path}",
        "measures": (campaign.measures or list(SHOWN_MEASURES))[:MOST_MEASURES],
        # Without forms, whose tokens would need a cookie, caches may keep the page.
        "without_forms": not request.user.is_authenticated,
        **published_part(campaign),
    }
    answer = render_page(request, "evaluation/public.html", page)
    if not request.user.is_authenticated and public_page.published_at:
        # Language and theme may come from a cookie.
        patch_cache_control(answer, public=True, max_age=SECONDS)
        patch_vary_headers(answer, ["Cookie", "Accept-Language"])
    return answer


def published_part(campaign: Campaign) -> dict[str, Any]:
    """The newest published score set, as its board was: nothing of the readers' own."""
    publication = campaign.score_publications.select_related("score_set__qrels").first()
    if publication is None:
        return {"publication": None}
    score_set = publication.score_set
    reader = ScoreReader(is_organizer=False, teams=frozenset(), board=publication.board)
    leaderboard = get_leaderboard(score_set, reader)
    visible = list_fitting_measures(leaderboard)[:5]
    sort = get_sort(leaderboard, visible, "")
    columns = [build_column(leaderboard.measure(name), sort) for name in visible]
    return {
        "publication": publication,
        "score_set": score_set,
        "columns": columns,
        "rows": leaderboard_rows(leaderboard, columns, sort),
        "summary": best_median_worst_rows(leaderboard, columns),
        "run_count": len(leaderboard.runs),
        "topic_count": len(leaderboard.topics),
        "sees_teams": reader.sees_names,
    }
