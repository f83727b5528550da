"""Pages: select runs and a spec, preview and freeze the pool; frozen pools and what they hold."""

from collections import Counter
from collections.abc import Collection
from functools import cache
from urllib.parse import urlencode

from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, QueryDict
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_safe

from campaigns.api.attachments import attachment_response, streaming_response
from campaigns.confirmation import Decision
from campaigns.errors import ActionRefused
from campaigns.models import Campaign, Job
from campaigns.queries.lists import get_campaign_for
from campaigns.queries.tasks import find_task
from campaigns.views.confirmation import confirm_act
from campaigns.views.helpers import SignedInRequest, read_digits
from campaigns.views.pages import render_page
from campaigns.views.row_filters import build_choice
from poolbench.pooling.formats import FORMATS, FRAME_FORMATS
from poolbench.pooling.registry import list_methods_by_kind
from poolbench.pooling.spec_file import build_spec
from pooling.forms import FreezeForm, PoolForm, QuickSelectionForm, spec_to_yaml
from pooling.models import Pool
from pooling.queries.adaptive_pools import list_growth
from pooling.queries.composition import Composition
from pooling.queries.frozen_pools import frozen_spec, is_drawn_by_influence
from pooling.queries.inputs import (
    FreezeFacts,
    choose_runs,
    draft_pool,
    list_poolable_runs,
    list_task_runs,
)
from pooling.queries.pools import (
    get_pool_composition,
    iter_pool_file,
    judged_campaigns,
    latest_pool_version,
    list_visible_pools,
    requested_qrels_version,
)
from pooling.queries.preview import SHARE_DEPTH, PoolPreview, preview_pool
from pooling.queries.sample_plans import describe_sample
from pooling.services.adaptive_pools import frame_text
from pooling.services.freeze import check_unchanged, freeze_pool, is_large_pool, request_pool
from pooling.services.previews import (
    describe_missing_preview,
    find_preview,
    load_preview,
    request_preview,
)
from pooling.views.pool_jobs import find_pool_job, get_requested_job, is_stored_preview


def composition_part(
    campaign: Campaign, parts: Composition, preview: PoolPreview | None = None, seconds: float = 0
) -> dict[str, object]:
    """The tables of a composition: topics with title and, in a preview, hours; runs, in a preview
    with their pooled shares, and teams, with the most unique documents first.
    """
    shares = {row.run.tag: row.share or 0.0 for row in preview.pooled_shares} if preview else {}
    titles = dict(campaign.topics.values_list("number", "title"))
    runs = sorted(parts.runs, key=lambda run: -run.alone)
    teams = sorted(parts.teams, key=lambda team: -team.alone)
    return {
        "parts": parts,
        "by_topic": [
            (
                topic,
                titles.get(topic.number, ""),
                preview.topic_hours(topic, seconds) if preview else None,
            )
            for topic in parts.topics
        ],
        "by_run": [(run, shares.get(run.tag)) for run in runs],
        "by_team": teams,
        "most_of_run": max((run.alone for run in runs), default=0),
        "most_of_team": max((team.alone for team in teams), default=0),
    }


def growth_part(pool: Pool) -> dict[str, object]:
    """The growth of an adaptive pool by topic, and its sums."""
    growth = list_growth(pool)
    return {
        "growth": growth,
        "growth_given": sum(topic.selected for topic in growth),
        "growth_budget": sum(topic.budget for topic in growth),
        "growth_relevant": sum(topic.relevant for topic in growth),
        "growth_alone": sum(topic.one_team for topic in growth),
        "growth_many": sum(topic.many_relevant for topic in growth),
    }


RULES = (
    ("all", "All"),
    ("priority=1", "Top-priority run of each team"),
    ("per_team=1", "One run per team"),
    ("per_team=0", "None"),
)
"""The query of ``QuickSelectionForm`` and the label of its button."""
ENDINGS = {"trec": ".txt", "csv": ".csv", "json": ".json"}


@require_http_methods(["GET", "POST"])
def pools_view(request: SignedInRequest, slug: str) -> HttpResponse:
    """The frozen pools and the pool form; ``tick`` selects runs by rule, ``seconds`` previews."""
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    if request.method == "POST" and "preview" in request.POST:
        # A spec and many selected runs are too long for a URL.
        return render_pool_preview(request, campaign, PoolForm.from_request(request, campaign))
    if request.method == "POST" and "tick" in request.POST:
        return select_runs_by_rule(request, campaign)
    if request.method == "POST":
        return pool_freeze_view(request, slug)
    job = get_requested_job(request, campaign)
    if is_stored_preview(job):
        return render_stored_preview(request, campaign, job)
    if "seconds" in request.GET:
        return render_pool_preview(request, campaign, PoolForm(request.GET, campaign=campaign))
    quick = QuickSelectionForm(request.GET or None)
    selected_ids = run_ids_by_rule(request, campaign, quick)
    return render_pools_page(request, campaign, PoolForm(campaign=campaign), quick, selected_ids)


def get_task_slug(request: SignedInRequest, campaign: Campaign) -> str:
    """The task whose runs the page shows: the one in the address or form, else that of the latest
    run; empty in a campaign without tasks.
    """
    slug = request.POST.get("task", request.GET.get("task", ""))
    if find_task(campaign, slug) is not None:
        return slug
    latest = list_poolable_runs(campaign).exclude(task=None).order_by("-pk").first()
    return latest.task.slug if latest and latest.task else ""


def run_ids_by_rule(
    request: SignedInRequest, campaign: Campaign, quick: QuickSelectionForm
) -> set[int]:
    rule = quick.cleaned_data if quick.is_valid() else {}
    runs = choose_runs(
        list_task_runs(campaign, get_task_slug(request, campaign)),
        up_to_priority=rule.get("priority"),
        per_team=rule.get("per_team"),
    )
    return {run.pk for run in runs}


def select_runs_by_rule(request: SignedInRequest, campaign: Campaign) -> HttpResponse:
    """The page with runs selected by the rule of the button or of the quick selection form; other
    input is kept and not yet checked.
    """
    rule = request.POST["tick"]
    quick = QuickSelectionForm(QueryDict(rule) if rule else request.POST)
    selected_ids = (
        run_ids_by_rule(request, campaign, quick)
        if quick.is_valid()
        else {read_digits(pk) or 0 for pk in request.POST.getlist("run")}
    )
    typed = PoolForm.from_request(request, campaign)
    form = PoolForm(
        initial={name: typed.data.get(name) for name in typed.fields}, campaign=campaign
    )
    return render_pools_page(request, campaign, form, quick, selected_ids)


def render_pool_preview(
    request: SignedInRequest,
    campaign: Campaign,
    form: PoolForm,
    refused: ActionRefused | None = None,
) -> HttpResponse:
    """The page with the pool of ``form``, or with its errors; a job previews a large pool."""
    preview = None
    if form.is_valid():
        cleaned = form.cleaned_data
        wanted = {"campaign": campaign, "spec": cleaned["spec"], "runs": cleaned["run"]}
        try:
            if not is_large_pool(**wanted):
                preview = preview_pool(actor=request.user, **wanted)
            elif refused is not None:
                preview = find_preview(**wanted)
            else:
                seconds = cleaned["seconds"]
                job = request_preview(actor=request.user, **wanted, seconds=seconds)
                query = urlencode({"job": job.pk, "task": get_task_slug(request, campaign)})
                return redirect(f"{reverse('pools', args=[campaign.slug])}?{query}")
        except ActionRefused as error:
            form.add_error(None, str(error))
    if refused is not None:
        form.add_error(None, str(refused))
    return render_preview_page(request, campaign, form, preview)


def render_preview_page(
    request: SignedInRequest, campaign: Campaign, form: PoolForm, preview: PoolPreview | None
) -> HttpResponse:
    """The page with ``preview``, which is of the valid ``form``, or with errors."""
    quick = QuickSelectionForm()
    if preview is None:
        selected_ids = {read_digits(str(pk)) or 0 for pk in form["run"].value() or ()}
        return render_pools_page(request, campaign, form, quick, selected_ids)
    seconds = form.cleaned_data["seconds"]
    # ``newest``: the latest version; ``simulated_on``: campaigns with judgments to simulate by.
    part = {
        "preview": preview,
        "spec_text": spec_to_yaml(preview.spec),
        "seconds": seconds,
        "hours": preview.hours(seconds),
        "newest": latest_pool_version(campaign),
        "share_depth": SHARE_DEPTH,
        "simulated_on": judged_campaigns(request.user, campaign).values_list("slug", "title"),
        **composition_part(campaign, preview.parts, preview, seconds),
    }
    if preview.sample is not None:
        forecasts = preview.sample.forecasts
        part["forecasts"] = [(each, each.number * seconds / 3600) for each in forecasts]
    selected_ids = {run.pk for run in preview.runs}
    return render_pools_page(request, campaign, form, quick, selected_ids, part)


def render_stored_preview(request: SignedInRequest, campaign: Campaign, job: Job) -> HttpResponse:
    """The page with the preview that a job has computed."""
    data = QueryDict(mutable=True)
    data["text"], data["seconds"] = spec_to_yaml(build_spec(job.args["spec"])), job.args["seconds"]
    data["task"] = get_task_slug(request, campaign)
    data.setlist("run", [str(pk) for pk in job.args["runs"]])
    form = PoolForm(data, campaign=campaign)
    preview = load_preview(job) if form.is_valid() else None
    if preview is None:
        form.add_error(None, str(describe_missing_preview()))
    return render_preview_page(request, campaign, form, preview)


@require_http_methods(["GET", "POST"])
def pool_freeze_view(request: SignedInRequest, slug: str) -> HttpResponse:
    """The page before a pool is frozen; its form freezes. A spec that is too long for a URL comes
    by POST too: only with the digest of the page it is the decision.
    """
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    query = request.POST or request.GET
    form = FreezeForm(query, campaign=campaign)
    if not form.is_valid():
        return render_pool_preview(request, campaign, form)
    cleaned = form.cleaned_data
    wanted = {"campaign": campaign, "spec": cleaned["spec"], "runs": cleaned["run"]}
    fields = [
        (name, value) for name, values in query.lists() for value in values if name in form.fields
    ]

    @cache
    def load_facts() -> FreezeFacts:
        if is_large_pool(**wanted):
            preview = find_preview(**wanted)
            if preview is None:
                raise describe_missing_preview()
            facts = preview.facts
        else:
            facts = draft_pool(actor=request.user, **wanted).facts
        check_unchanged(facts, cleaned["after"])
        return facts

    def act(decision: Decision) -> HttpResponse:
        arguments = {
            "actor": request.user,
            "after": cleaned["after"],
            "decision": decision,
            **wanted,
        }
        if not is_large_pool(**wanted):
            return redirect(freeze_pool(**arguments))
        job = request_pool(**arguments)
        return redirect(f"{reverse('pools', args=[slug])}?job={job.pk}")

    try:
        return confirm_act(
            request, campaign, describe=lambda: load_facts().describe(), act=act, fields=fields
        )
    except ActionRefused as refused:
        return render_pool_preview(request, campaign, form, refused)


def render_pools_page(
    request: SignedInRequest,
    campaign: Campaign,
    form: PoolForm,
    quick: QuickSelectionForm,
    selected_ids: Collection[int],
    preview: dict[str, object] | None = None,
) -> HttpResponse:
    slug = get_task_slug(request, campaign)
    runs = list(list_task_runs(campaign, slug))
    counts = Counter(
        campaign.runs.accepted().exclude(task=None).values_list("task__slug", flat=True)
    )
    names = dict(campaign.tasks.values_list("slug", "name"))
    page = {
        "campaign": campaign,
        "pools": campaign.pools.select_related("frozen_by", "task"),
        "task": slug,
        "by_task": build_choice(request, "task", "Task", counts, names, slug),
        "runs": runs,
        "team_count": len({run.team_id for run in runs}),
        "form": form,
        "quick": quick,
        "rules": RULES,
        "selected_ids": selected_ids,
        "checked_count": sum(run.pk in selected_ids for run in runs),
        **find_pool_job(request, campaign),
    }
    status = 422 if form.errors or quick.errors else 200
    return render_page(request, "pooling/pools.html", page, preview, status=status)


@require_safe
def pool_view(request: SignedInRequest, slug: str, version: int) -> HttpResponse:
    pool = get_pool(request, slug, version)
    campaign = pool.campaign
    accepted = set(campaign.runs.accepted().values_list("pk", flat=True))
    # ``qrels``: the latest version, of an upper app. ``gone``: the runs replaced or withdrawn
    # since, as the spec names them.
    page = {
        "campaign": campaign,
        "pool": pool,
        "spec_text": spec_to_yaml(frozen_spec(pool)) if "steps" in pool.spec else "",
        "newer": campaign.pools.filter(version__gt=pool.version).first(),
        "qrels": campaign.qrels.first(),
        "gone": [run for run in pool.spec["runs"] if run["id"] not in accepted],
        "sample": describe_sample(pool) if is_drawn_by_influence(pool) else None,
    }
    composition = composition_part(campaign, get_pool_composition(pool))
    growth = growth_part(pool) if pool.is_adaptive else None
    return render_page(request, "pooling/pool.html", page, composition, growth)


@require_safe
def pool_download_view(
    request: SignedInRequest, slug: str, version: int, fmt: str
) -> HttpResponseBase:
    """The TREC format shows neither run nor rank; CSV and JSON list the contributing runs.

    With ``qrels``, a version, formats that can hold grades include them.
    """
    pool = get_pool(request, slug, version)
    name = f"{slug}-pool-{version}{ENDINGS.get(fmt, f'-{fmt}.txt')}"
    if fmt in FORMATS:
        return streaming_response(iter_pool_file(pool, fmt), name)
    if fmt not in FRAME_FORMATS:
        raise Http404(f"unknown format {fmt}")
    return attachment_response(frame_text(pool, fmt, requested_qrels_version(request.GET)), name)


def get_pool(request: SignedInRequest, slug: str, version: int) -> Pool:
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    return get_object_or_404(list_visible_pools(request.user), campaign=campaign, version=version)


@login_not_required
@require_safe
def pooling_methods_view(request: HttpRequest) -> HttpResponse:
    """All methods, from their cards."""
    return render_page(request, "pooling/methods.html", {"groups": list_methods_by_kind()})
