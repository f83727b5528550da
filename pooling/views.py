"""Pages: choose runs and depth, look at the pool they make, freeze it; frozen pools."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from django.contrib.auth.decorators import login_not_required
from django.db.models import Q
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from campaigns.attachments import attachment
from campaigns.errors import Refused
from campaigns.models import Campaign
from campaigns.queries import campaign_for
from campaigns.views.signed_in import SignedIn, to
from pooling import services
from pooling.core.formats import FORMATS, FRAME_FORMATS
from pooling.core.page import by_kind
from pooling.forms import FreezeForm, PoolForm, QuickForm, as_yaml
from pooling.models import Pool
from pooling.queries import (
    Composition,
    choose,
    composition_of,
    growth_of,
    judged_campaigns,
    pool_table,
    poolable_runs,
    qrels_asked,
    visible_pools,
)
from pooling.services.growing import spec_of

RULES = (
    ("all", "all"),
    ("priority=1", "every team’s first priority"),
    ("per_team=1", "one a team"),
    ("per_team=0", "none"),
)
"""Quick choices of runs: what ``QuickForm`` reads, and what the button says."""
ENDINGS = {"trec": ".txt", "csv": ".csv", "json": ".json"}


@require_http_methods(["GET", "POST"])
def pools(request: SignedIn, slug: str) -> HttpResponse:
    """The frozen pools; a choice of runs, by hand or by ``tick``; with ``seconds``, a preview."""
    campaign = campaign_for(request.user, slug, "campaigns.manage")
    if request.method == "POST" and "preview" in request.POST:
        # A spec and the ticks of many runs are longer than an address may be.
        return preview(request, campaign, PoolForm.posted(request, campaign))
    if request.method == "POST" and "tick" in request.POST:
        return tick(request, campaign)
    if request.method == "POST":
        return freeze(request, campaign)
    if "seconds" in request.GET:
        return preview(request, campaign, PoolForm(request.GET, campaign=campaign))
    quick = QuickForm(request.GET or None)
    return page(request, campaign, PoolForm(campaign=campaign), quick, chosen_by(campaign, quick))


def chosen_by(campaign: Campaign, quick: QuickForm) -> set[int]:
    rule = quick.cleaned_data if quick.is_valid() else {}
    chosen = choose(
        poolable_runs(campaign),
        up_to_priority=rule.get("priority"),
        per_team=rule.get("per_team"),
    )
    return {run.pk for run in chosen}


def tick(request: SignedIn, campaign: Campaign) -> HttpResponse:
    """The page with runs ticked by a rule, that of the button or what was typed beside it; all
    else that was typed stays as it is, and is not checked before it is needed.
    """
    rule = request.POST["tick"]
    quick = QuickForm(QueryDict(rule) if rule else request.POST)
    checked = chosen_by(campaign, quick) if quick.is_valid() else ticked(request.POST)
    typed = PoolForm.posted(request, campaign)
    form = PoolForm(
        initial={name: typed.data.get(name) for name in typed.fields}, campaign=campaign
    )
    return page(request, campaign, form, quick, checked)


def ticked(asked: QueryDict) -> set[int]:
    return {int(pk) for pk in asked.getlist("run") if pk.isdecimal() and len(pk) < 19}


def preview(
    request: SignedIn, campaign: Campaign, form: PoolForm, refused: Refused | None = None
) -> HttpResponse:
    """The page with what ``form`` would make, or with what is wrong with it."""
    found = None
    if form.is_valid():
        asked = form.cleaned_data
        try:
            found = services.preview(
                actor=request.user, campaign=campaign, spec=asked["spec"], runs=asked["run"]
            )
        except Refused as no:
            form.add_error(None, str(no))
    if refused is not None:
        form.add_error(None, str(refused))
    checked = {run.pk for run in found.runs} if found else ticked(request.POST or request.GET)
    shown = preview_context(campaign, found, form.cleaned_data["seconds"]) if found else {}
    if found is not None:
        shown["simulated_on"] = judged_campaigns(request.user, campaign)
    return page(request, campaign, form, QuickForm(), checked, shown)


def freeze(request: SignedIn, campaign: Campaign) -> HttpResponse:
    form = FreezeForm(request.POST, campaign=campaign)
    if not form.is_valid():
        return preview(request, campaign, form)
    asked = form.cleaned_data
    try:
        pool = services.freeze(
            actor=request.user,
            campaign=campaign,
            spec=asked["spec"],
            runs=asked["run"],
            after=asked["after"],
        )
    except Refused as refused:
        return preview(request, campaign, form, refused)
    return redirect(pool)


def page(
    request: SignedIn,
    campaign: Campaign,
    form: PoolForm,
    quick: QuickForm,
    checked: Collection[int],
    shown: dict[str, Any] | None = None,
) -> HttpResponse:
    runs = list(poolable_runs(campaign))
    context = {
        "campaign": campaign,
        "crumbs": [("Pool", to("pools", campaign) if shown else None)],
        "pools": campaign.pools.select_related("frozen_by"),
        "runs": runs,
        "team_count": len({run.team_id for run in runs}),
        "form": form,
        "quick": quick,
        "rules": RULES,
        "checked": checked,
        "checked_count": sum(run.pk in checked for run in runs),
        **(shown or {}),
    }
    if shown:
        context["crumbs"].append(("Preview", None))
    status = 422 if form.errors or quick.errors else 200
    return render(request, "pooling/pools.html", context, status=status)


def preview_context(
    campaign: Campaign, found: services.PoolPreview, seconds: float
) -> dict[str, Any]:
    return {
        "preview": found,
        "spec_text": as_yaml(found.spec),
        "seconds": seconds,
        "hours": found.hours(seconds),
        "newest": services.newest_version(campaign),
        "floor_at": services.FLOOR_AT,
        "left_out": [(floor, percent(floor.share, 1)) for floor in found.left_out],
        **parts_context(campaign, found.parts, found, seconds),
    }


def parts_context(
    campaign: Campaign,
    parts: Composition,
    found: services.PoolPreview | None = None,
    seconds: float = 0,
) -> dict[str, Any]:
    """The tables of a pool's parts: each row with the length of its bars in percent; those of a
    preview with hours and floors.
    """
    floors = {floor.run.tag: percent(floor.share, 1) for floor in found.floors} if found else {}
    titles = dict(campaign.topics.values_list("number", "title"))
    most = max((run.alone for run in parts.runs), default=0)
    most_of_team = max((team.alone for team in parts.teams), default=0)
    return {
        "parts": parts,
        "size": f"{parts.size:,}",
        "by_topic": [
            (
                topic,
                titles.get(topic.number, ""),
                percent(topic.documents, parts.largest_topic),
                percent(topic.one_team, parts.largest_topic),
                found.hours_of(topic, seconds) if found else None,
            )
            for topic in parts.topics
        ],
        "by_run": by_alone(
            [(run, percent(run.alone, most), floors.get(run.tag)) for run in parts.runs]
        ),
        "by_team": by_alone([(team, percent(team.alone, most_of_team)) for team in parts.teams]),
        "one_run_percent": percent(parts.one_run, parts.size),
        "one_team_percent": percent(parts.one_team, parts.size),
    }


def by_alone(rows: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """What brings most alone comes first."""
    return sorted(rows, key=lambda row: -row[0].alone)


def percent(part: float | None, whole: float) -> float:
    return 100 * part / whole if part and whole else 0.0


@require_safe
def pool(request: SignedIn, slug: str, version: int) -> HttpResponse:
    found = pool_for(request, slug, version)
    campaign = found.campaign
    accepted = set(campaign.runs.accepted().values_list("pk", flat=True))
    context = {
        "campaign": campaign,
        "crumbs": [("Pool", to("pools", campaign)), (f"Version {found.version}", None)],
        "pool": found,
        "spec_text": as_yaml(spec_of(found)) if "steps" in found.spec else "",
        "newer": campaign.pools.filter(version__gt=found.version).first(),
        "qrels": campaign.qrels.first(),
        "gone": [run for run in found.spec["runs"] if run["id"] not in accepted],
        "is_sampled": found.items.filter(Q(stratum__gt=0) | Q(probability__lt=1)).exists(),
        **parts_context(campaign, composition_of(found)),
        **(growth_context(found) if found.grows else {}),
    }
    return render(request, "pooling/pool.html", context)


def growth_context(pool: Pool) -> dict[str, Any]:
    found = growth_of(pool)
    return {
        "growth": [(topic, percent(topic.share, 1)) for topic in found],
        "growth_given": sum(topic.given for topic in found),
        "growth_budget": sum(topic.budget for topic in found),
        "growth_relevant": sum(topic.relevant for topic in found),
        "growth_alone": sum(topic.one_team for topic in found),
        "growth_many": sum(topic.many_relevant for topic in found),
    }


@require_safe
def pool_download(request: SignedIn, slug: str, version: int, fmt: str) -> HttpResponse:
    """The TREC form shows neither run nor rank; CSV and JSON say which runs brought what.

    With ``qrels``, a version, those forms that can hold grades have them.
    """
    found = pool_for(request, slug, version)
    name = f"{slug}-pool-{version}{ENDINGS.get(fmt, f'-{fmt}.txt')}"
    if fmt in FORMATS:
        return attachment(FORMATS[fmt](pool_table(found)), name)
    if fmt not in FRAME_FORMATS:
        raise Http404(f"no format {fmt}")
    return attachment(services.frame_text(found, fmt, qrels_asked(request.GET)), name)


def pool_for(request: SignedIn, slug: str, version: int) -> Pool:
    campaign = campaign_for(request.user, slug, "campaigns.manage")
    return get_object_or_404(visible_pools(request.user), campaign=campaign, version=version)


@login_not_required
@require_safe
def methods(request: HttpRequest) -> HttpResponse:
    """All methods, made from their cards."""
    return render(request, "pooling/methods.html", {"groups": by_kind()})
