"""The leaderboard, and the actions of organizers: evaluate runs and release scores."""

from collections import Counter
from functools import partial

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from campaigns.confirmation import Decision
from campaigns.models import Campaign, Run
from campaigns.queries.lists import get_campaign_for
from campaigns.queries.tasks import find_task, get_current_task
from campaigns.services.snapshots import get_report
from campaigns.views.columns import ColumnChoice, TableColumn, choose_columns
from campaigns.views.confirmation import confirm_act
from campaigns.views.helpers import SignedInRequest, collect_refusal
from campaigns.views.pages import render_page
from campaigns.views.row_filters import build_row_filter
from evaluation.forms.scores import EvaluateForm
from evaluation.models import ScoreSet
from evaluation.queries.confirmations import describe_publication, describe_release
from evaluation.queries.leaderboard import Leaderboard, get_leaderboard
from evaluation.queries.score_moves import compare_with_earlier
from evaluation.queries.score_sets import list_score_sets_for
from evaluation.services.estimating import KIND as ESTIMATE_KIND
from evaluation.services.estimating import request_scores
from evaluation.services.release import (
    check_not_released,
    check_publishable,
    publish_scores,
    release_scores,
)
from evaluation.services.score_shares import KIND
from evaluation.views.access import ScoreVisit, build_task_choice, get_score_set, get_visit
from evaluation.views.cells import (
    TEXT_COLUMNS,
    TRUST,
    best_median_worst_rows,
    build_column,
    get_sort,
    leaderboard_rows,
    list_fitting_measures,
    select_visible_measures,
)
from judging.queries.newer_judgments import count_newer_judgments
from poolbench.evaluation.leader_verdict import LEADERBOARD
from poolbench.evaluation.measures.titles import format_full_title, format_measure_hint


def scores_view(request: SignedInRequest, slug: str) -> HttpResponse:
    """The latest score set that the reader may see, or what is missing for one."""
    visit = get_visit(request, slug)
    sets = visit.list_score_sets()
    if task := find_task(visit.campaign, request.GET.get("task", "")):
        sets = sets.filter(task=task)
    return render_leaderboard_page(request, visit, sets.first())


def score_set_view(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    visit = get_visit(request, slug)
    return render_leaderboard_page(request, visit, get_score_set(visit, pk))


@require_POST
def score_evaluate_view(request: SignedInRequest, slug: str) -> HttpResponse:
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    form = EvaluateForm(request.POST, campaign=campaign)
    if form.is_valid():
        with collect_refusal(form):
            job = request_scores(actor=request.user, campaign=campaign, **form.cleaned_data)
            return redirect(f"{reverse('scores', args=[slug])}?job={job.pk}")
    visit = get_visit(request, slug)
    return render_leaderboard_page(
        request, visit, list_score_sets_for(campaign, visit.reader).first(), form
    )


@require_http_methods(["GET", "POST"])
def score_release_view(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    """The page before scores are released; its form releases them."""
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    score_set = get_score_set(get_visit(request, slug), pk)
    check_not_released(score_set)

    def act(decision: Decision) -> HttpResponse:
        release_scores(actor=request.user, score_set=score_set, decision=decision)
        messages.success(request, "Scores released.")
        return redirect(score_set)

    describe = partial(describe_release, score_set)
    return confirm_act(request, campaign, describe=describe, act=act)


@require_http_methods(["GET", "POST"])
def score_publish_view(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    """The page before released scores are shown to everybody; its form publishes them."""
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    score_set = get_score_set(get_visit(request, slug), pk)
    check_publishable(score_set)

    def act(decision: Decision) -> HttpResponse:
        publish_scores(actor=request.user, score_set=score_set, decision=decision)
        messages.success(request, "Scores published.")
        return redirect(score_set)

    describe = partial(describe_publication, score_set)
    return confirm_act(request, campaign, describe=describe, act=act)


def render_leaderboard_page(
    request: SignedInRequest,
    visit: ScoreVisit,
    score_set: ScoreSet | None,
    form: EvaluateForm | None = None,
) -> HttpResponse:
    page = {"campaign": visit.campaign, "visit": visit, "score_set": score_set}
    address = reverse("scores", args=[visit.campaign.slug])
    page["by_task"] = build_task_choice(
        request, visit.campaign, visit.list_score_sets(), score_set, address
    )
    if score_set is not None:
        page |= leaderboard_part(request, get_leaderboard(score_set, visit.reader))
    if visit.may_manage and not visit.preview:
        sets = list(list_score_sets_for(visit.campaign, visit.reader))
        page |= {"sets": sets, **evaluation_part(request, visit.campaign, form)}
        if score_set is not None:
            page["publication"] = visit.campaign.score_publications.first()
            if score_set.task == get_current_task(visit.campaign):
                page["newer"] = count_newer_judgments(score_set.qrels)
            page["moved"] = compare_with_earlier(score_set) if len(sets) > 1 else None
        # Earlier scores and estimates have no verdict.
        if score_set is not None and score_set == sets[0] and not score_set.is_estimate:
            page["current"] = get_report(visit.campaign, LEADERBOARD)
    return render_page(request, "evaluation/scores.html", page)


def leaderboard_part(request: SignedInRequest, leaderboard: Leaderboard) -> dict[str, object]:
    """``low`` counts low values of judged_10, ``undefined`` are the columns with a value missing;
    ``own``: whether the reader has runs in it. ``low_is_common``: most rows have a low value, which
    is said once above the table and not marked in each row. ``median`` is that of ``measure``, the
    first one shown.
    """
    choice = choose_leaderboard_columns(request, leaderboard)
    visible = [name for name in choice.names if name not in TEXT_COLUMNS]
    sort = get_sort(leaderboard, visible, request.GET.get("sort", ""))
    columns = [build_column(leaderboard.measure(name), sort) for name in visible]
    kinds = build_row_filter(
        request,
        "kind",
        _("Run type"),
        Counter(entry.kind for entry in leaderboard.entries if entry.kind),
        dict(Run.Kind.choices),
    )
    rows = leaderboard_rows(leaderboard, columns, sort, kinds.value)
    main = columns[0].name if columns else ""
    low = sum(any(cell.low for cell in row.cells) for row in rows)
    return {
        "leaderboard": leaderboard,
        "columns": columns,
        "text_columns": [c for c in choice.columns if c.name in TEXT_COLUMNS and c.name in choice],
        "rows": rows,
        "summary": best_median_worst_rows(leaderboard, columns),
        "sort": sort,
        "column_choice": choice,
        "kinds": kinds,
        "low": low,
        "low_is_common": 2 * low > len(rows),
        "teams": len({entry.team for entry in leaderboard.entries}),
        "measure": main,
        "median": leaderboard.best_median_worst(main).median if main else None,
        "undefined": [
            column
            for at, column in enumerate(columns)
            if any(row.cells[at].value is None for row in rows)
        ],
        "own": any(entry.own for entry in leaderboard.entries),
    }


def choose_leaderboard_columns(request: SignedInRequest, leaderboard: Leaderboard) -> ColumnChoice:
    """Measures, then team and run type; the parameter ``m`` may repeat."""
    measures = [m for m in leaderboard.measures if not m.family.summary_only]
    place = {name: at for at, name in enumerate(select_visible_measures(leaderboard, ()))}
    measures.sort(key=lambda m: (m.name == TRUST, place.get(m.name, len(place))))
    columns = [
        TableColumn(
            m.name, format_full_title(m.name, over_topics=True), format_measure_hint(m.name)
        )
        for m in measures
    ]
    columns.append(TableColumn("team", _("Team")))
    columns += [TableColumn("kind", _("Run type"))] * any(e.kind for e in leaderboard.entries)
    defaults = [*list_fitting_measures(leaderboard), "team", "kind"]
    return choose_columns(request, columns, defaults, "m")


def evaluation_part(
    request: SignedInRequest, campaign: Campaign, form: EvaluateForm | None
) -> dict[str, object]:
    """``job``: the evaluation just requested, or one in progress."""
    job = campaign.jobs.filter(kind__in=(KIND, ESTIMATE_KIND)).first()
    if job is not None and job.is_over and str(job.pk) != request.GET.get("job"):
        job = None
    has_qrels = campaign.qrels.exists()
    return {
        "form": form or EvaluateForm(campaign=campaign),
        "may_evaluate": has_qrels and campaign.runs.scored().exists(),
        "has_qrels": has_qrels,
        "job": job,
        "job_url": reverse("job", args=[campaign.slug, job.pk]) if job else "",
    }
