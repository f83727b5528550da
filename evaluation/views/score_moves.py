"""One score set compared with an earlier one: which runs gained or lost places."""

from __future__ import annotations

from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404

from campaigns.models import Run
from campaigns.queries.lists import get_campaign_for
from campaigns.views.helpers import SignedInRequest
from campaigns.views.pages import render_page
from evaluation.queries.score_moves import compare_with_earlier


def score_set_changes_view(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    """What moved since the set ``?since=``, by ``?measure=``."""
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    score_set = get_object_or_404(campaign.score_sets.select_related("qrels"), pk=pk)
    parameters = [request.GET.get(name, "") for name in ("since", "measure")]
    compared = compare_with_earlier(score_set, *parameters)
    if compared is None and any(parameters):
        raise Http404("no such score set or measure")
    page: dict[str, object] = {"campaign": campaign, "score_set": score_set, "compared": compared}
    if compared:
        moves = compared.selection.runs
        runs = Run.objects.select_related("team").in_bulk([move.run for move in moves])
        page |= {"choices": compared.names, "measure": compared.name}
        page |= {"rows": [(runs[move.run], move) for move in moves]}
    return render_page(request, "evaluation/score_set_changes.html", page)
