"""Why the scores of a run changed: by topic and document; who gained or lost places."""

from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404

from campaigns.models import Run
from campaigns.queries.lists import get_campaign_for
from campaigns.views.helpers import SignedInRequest
from campaigns.views.pages import render_page
from evaluation.queries.score_changes import (
    RunChanges,
    compare_run_scores,
    explain_run_topic,
    split_by_retrieved,
)
from evaluation.queries.score_moves import compare_with_earlier
from evaluation.views.access import get_entry, get_visible_leaderboard


def run_scores_changes_view(request: SignedInRequest, slug: str, pk: int, run: int) -> HttpResponse:
    """Since the score set ``?since=``, by ``?measure=``, with the documents of ``?topic=``.

    Teams open it for own runs, from a released set to a later released one.
    """
    leaderboard = get_visible_leaderboard(request, slug, pk)
    entry = get_entry(leaderboard, run)
    score_set, reader = leaderboard.score_set, leaderboard.reader
    requested = [request.GET.get(name, "") for name in ("since", "measure")]
    changes = compare_run_scores(score_set, Run.objects.get(pk=entry.run), reader, *requested)
    if changes is None and any(requested):
        raise Http404("no such score set or measure")
    page: dict[str, object] = {
        "campaign": score_set.campaign,
        "score_set": score_set,
        "entry": entry,
        "changes": changes,
        "is_organizer": reader.is_organizer,
    }
    if changes is not None:
        page |= build_topic_part(changes, request.GET.get("topic", ""), reader.is_organizer)
    return render_page(request, "evaluation/run_changes.html", page)


def build_topic_part(changes: RunChanges, topic: str, is_organizer: bool) -> dict[str, object]:
    """``documents`` are those that the run retrieved, for organizers also the others; what the
    documents not listed add is one number.
    """
    by_name = {each.topic: each for each in changes.topics}
    topic = topic or changes.most_changed
    if topic not in by_name:
        raise Http404(f"unknown topic {topic}")
    titles = dict(changes.run.campaign.topics.values_list("number", "title"))
    explanation = explain_run_topic(changes, topic)
    retrieved, missed = split_by_retrieved(explanation)
    listed = [*retrieved, *missed] if is_organizer else retrieved
    hidden = [] if is_organizer else missed
    return {
        "topic": by_name[topic],
        "documents": listed,
        "hidden": len(hidden),
        "hidden_part": sum(each.part for each in hidden),
        "rest": explanation.rest,
        "settings": explanation.settings,
        "total": explanation.total,
        "topics": [
            (each, titles.get(each.topic, ""))
            for each in sorted(changes.topics, key=lambda each: -abs(each.part))
        ],
        "sum": sum(each.part for each in changes.topics),
    }


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
