"""A campaign's creation and its settings."""

from collections.abc import Sequence
from functools import partial
from itertools import pairwise
from typing import cast

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_http_methods, require_safe

from campaigns.confirmation import Decision
from campaigns.forms.settings import (
    GRADE_PRESETS,
    PRESET_LEVELS,
    BaseGradeFormSet,
    CampaignForm,
    GradeFormSet,
)
from campaigns.models import Campaign
from campaigns.queries.confirmations.settings import describe_visibility
from campaigns.queries.lists import get_campaign_for, has_released_scores
from campaigns.rules import is_organizer_anywhere, require_permission
from campaigns.services.campaigns import (
    change_visibility,
    create_campaign,
    get_grade_scale,
    update_campaign,
)
from campaigns.views.confirmation import confirm_act
from campaigns.views.helpers import SignedInRequest, collect_refusal
from campaigns.views.pages import PageSection, render_page
from poolbench.judging.scale import (
    SCREEN_KEYS,
    GradeSpec,
    describe_taken_keys,
    list_scale_faults,
    list_taken_keys,
)
from poolbench.texts.text_diff import diff_lines

SETTINGS_SECTIONS = (
    PageSection("general", "General"),
    PageSection("grade-scale", "Grade scale"),
    PageSection("deadlines", "Deadlines"),
    PageSection("teams", "Teams"),
    PageSection("runs-and-release", "Runs and release"),
    PageSection("comparing-runs", "Comparing runs"),
)


@require_http_methods(["GET", "POST"])
def campaign_new_view(request: SignedInRequest) -> HttpResponse:
    require_permission(request.user, "campaigns.create")
    form, scale = build_settings_forms(request, GRADE_PRESETS["four"])
    add_scale_faults(form, scale)
    if form.is_valid():
        with collect_refusal(form):
            fields = form.cleaned_data
            campaign = create_campaign(actor=request.user, scale=scale.scale(), **fields)
            messages.success(request, "Campaign created. Next: import topics.")
            return redirect(campaign)
    page = {"form": form, "scale": scale, "screen_keys": SCREEN_KEYS, "taken_keys": ""}
    return render_page(request, "campaigns/campaign_new.html", page)


@require_http_methods(["GET", "POST"])
def campaign_settings_view(request: SignedInRequest, slug: str) -> HttpResponse:
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    # The form changes its instance; the page header must show the stored campaign.
    edited = Campaign.objects.get(pk=campaign.pk)
    former = get_grade_scale(campaign)
    taken = list_taken_keys(former)
    # With judgments only keys can change, and only those need to that belong to the screen.
    locked = campaign.judgments.exists() and not taken
    form, scale = build_settings_forms(request, former, edited)
    add_scale_faults(form, None if locked else scale, former)
    if form.is_valid():
        with collect_refusal(form):
            steps = None if locked else scale.scale()
            stored = Campaign.objects.get(pk=campaign.pk)
            update_campaign(actor=request.user, campaign=stored, scale=steps, **form.cleaned_data)
            messages.success(request, "Settings saved.")
            return redirect("campaign-settings", campaign.slug)
    page = {
        "campaign": campaign,
        "form": form,
        "scale": scale,
        "screen_keys": SCREEN_KEYS,
        "locked": locked,
        "released": has_released_scores(campaign),
        "taken_keys": describe_taken_keys(taken) if taken else "",
        "grades": campaign.grades.all(),
        "sections": SETTINGS_SECTIONS,
    }
    return render_page(request, "campaigns/campaign_settings.html", page)


@require_http_methods(["GET", "POST"])
def visibility_change_view(request: SignedInRequest, slug: str) -> HttpResponse:
    """After a release: the choices of what participants see, then the page that asks."""
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    board = request.POST.get("board") or request.GET.get("board", "")
    others = [each for each in Campaign.Board if each != campaign.board]
    released = has_released_scores(campaign)
    if not released or board not in others:
        # ``others``: what participants could see instead.
        page = {"campaign": campaign, "others": others, "released": released}
        return render_page(request, "campaigns/visibility.html", page)

    def act(decision: Decision) -> HttpResponse:
        change_visibility(actor=request.user, campaign=campaign, board=board, decision=decision)
        messages.success(request, "Changed. Participants see a notice.")
        return redirect("campaign-settings", campaign.slug)

    # The service changes its campaign; a page shown again must have the stored one.
    stored = Campaign.objects.get(pk=campaign.pk)
    return confirm_act(
        request,
        campaign,
        describe=partial(describe_visibility, stored, board),
        act=act,
        fields=[("board", board)],
    )


def build_settings_forms(
    request: HttpRequest, scale: Sequence[GradeSpec], edited: Campaign | None = None
) -> tuple[CampaignForm, BaseGradeFormSet]:
    """The settings and the grades as posted, else of the campaign. If only a preset of the scale is
    to be filled in, the forms are not bound and keep the current values.
    """
    preset = request.POST.get("preset", "")
    if request.method == "POST" and preset not in GRADE_PRESETS:
        grades = GradeFormSet(request.POST, prefix="scale")
        return CampaignForm(request.POST, instance=edited), cast(BaseGradeFormSet, grades)
    initial = [vars(step) for step in GRADE_PRESETS.get(preset, scale)]
    grades = GradeFormSet(initial=initial, prefix="scale")
    level = {"relevance_level": PRESET_LEVELS[preset]} if preset else {}
    form = CampaignForm(instance=edited, initial={**request.POST.dict(), **level})
    return form, cast(BaseGradeFormSet, grades)


def add_scale_faults(
    form: CampaignForm, scale: BaseGradeFormSet | None, former: Sequence[GradeSpec] = ()
) -> None:
    """To those of the settings, so that one answer names all; nothing without posted fields.
    ``scale``: None where that so far, ``former``, stays.
    """
    if not form.is_bound:
        return
    form.full_clean()
    faults = ["The grade scale has errors: see its rows."]
    if scale is None or scale.is_valid():
        steps = former if scale is None else scale.scale()
        # An invalid level has its own fault; any grade will do here.
        level = form.cleaned_data.get("relevance_level", steps[0].value if steps else 0)
        faults = list_scale_faults(steps, level, former)
    for fault in faults:
        form.add_error(None, fault)


@require_safe
def guidelines_view(request: SignedInRequest, slug: str) -> HttpResponse:
    """Every version, newest first, each with its changes from the one before."""
    campaign = get_campaign_for(request.user, slug, "campaigns.see_guidelines")
    versions = list(campaign.guideline_versions.select_related("by"))
    changed = [diff_lines(old.text, new.text) for new, old in pairwise(versions)]
    page = {
        "campaign": campaign,
        "versions": list(zip(versions, [*changed, []], strict=False)),
        "organizes": is_organizer_anywhere(request.user, campaign),
    }
    return render_page(request, "campaigns/guidelines.html", page)
