"""The pages of a judge: their comparisons, the desk, and their preferences."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from uuid import UUID

from django.contrib import messages
from django.core.paginator import Page
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from campaigns.errors import ActionRefused
from campaigns.models import Campaign
from campaigns.queries.lists import get_campaign_for
from campaigns.views.helpers import SignedInRequest, paginate
from campaigns.views.pages import render_page
from preferences.forms.comparisons import (
    AnswerForm,
    PicksForm,
    SideForm,
    SkipComparisonForm,
    UndoPreferenceForm,
)
from preferences.models import ComparisonPlan, Preference
from preferences.queries.comparisons import OwnPlan, list_own_plans, list_own_preferences
from preferences.services.comparisons import (
    DisplayedComparison,
    claim_comparison,
    read_display,
    skip_comparison,
    submit_picks,
    submit_preference,
    undo_preference,
)
from preferences.views.comparison_screen import (
    ComparisonOnScreen,
    build_comparison,
    build_desk_page,
    describe_answer,
)

Act = Callable[..., Preference]


@dataclass(frozen=True)
class MyComparisonsPage:
    campaign: Campaign
    plans: list[OwnPlan]
    is_open: bool


@require_safe
def comparisons_view(request: SignedInRequest, slug: str) -> HttpResponse:
    """The plans with comparisons for this assessor."""
    campaign = get_campaign_for(request.user, slug, "campaigns.judge")
    page = MyComparisonsPage(
        campaign=campaign,
        plans=list_own_plans(request.user, campaign),
        is_open=campaign.takes_judgments(),
    )
    return render_page(request, "preferences/desk_plans.html", page)


@never_cache
@require_http_methods(["GET", "POST"])
def comparison_desk_view(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    """The next comparison; a post saves the answer and leads to the next.

    ``?change=``: an answer of the assessor, by its ``client_uuid``, to be changed.
    """
    plan = get_comparison_plan(request, slug, pk)
    if request.method == "POST":
        interleaved = plan.kind == ComparisonPlan.Kind.INTERLEAVED
        form = PicksForm(request.POST) if interleaved else SideForm(request.POST)
        return save_comparison_answer(
            request, plan, form, submit_picks if interleaved else submit_preference
        )
    message, document = "", None
    try:
        document = find_comparison(request, plan)
    except ActionRefused as refused:
        message = str(refused)
    page = build_desk_page(request, plan, document, message)
    return render_page(request, "preferences/desk.html", page)


@require_POST
def comparison_skip_view(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    plan = get_comparison_plan(request, slug, pk)
    return save_comparison_answer(request, plan, SkipComparisonForm(request.POST), skip_comparison)


@require_POST
def comparison_undo_view(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    """Undo the last answer in this plan and show its comparison again."""
    plan = get_comparison_plan(request, slug, pk)
    form = UndoPreferenceForm(request.POST)
    fields = form.cleaned_data if form.is_valid() else {}
    try:
        undo_preference(actor=request.user, campaign=plan.campaign, plan=plan, **fields)
    except ActionRefused as refused:
        messages.error(request, str(refused))
    return redirect("comparison-desk", plan.campaign.slug, plan.pk)


@dataclass(frozen=True)
class MyPreferenceRow:
    preference: Preference
    answer: str


@dataclass(frozen=True)
class MyPreferencesPage:
    campaign: Campaign
    page_obj: Page[Preference]
    rows: list[MyPreferenceRow]


@require_safe
def my_preferences_view(request: SignedInRequest, slug: str) -> HttpResponse:
    """The assessor's answers, newest first, each with a way to change it."""
    campaign = get_campaign_for(request.user, slug, "campaigns.judge")
    listed = paginate(request, list_own_preferences(request.user, campaign))
    page = MyPreferencesPage(
        campaign=campaign,
        page_obj=listed,
        rows=[MyPreferenceRow(row, describe_answer(row)) for row in listed],
    )
    return render_page(request, "preferences/desk_history.html", page)


def get_comparison_plan(request: SignedInRequest, slug: str, pk: int) -> ComparisonPlan:
    """A plan of a campaign in which the user is an assessor."""
    campaign = get_campaign_for(request.user, slug, "campaigns.judge")
    return get_object_or_404(campaign.comparison_plans.select_related("campaign"), pk=pk)


def find_comparison(request: SignedInRequest, plan: ComparisonPlan) -> ComparisonOnScreen | None:
    """The answer to be changed, or the next comparison."""
    if "change" in request.GET:
        return build_comparison(request.user, *find_answer_to_change(request, plan))
    slot = claim_comparison(actor=request.user, campaign=plan.campaign, plan=plan)
    if slot is None:
        return None
    display = DisplayedComparison(slot.comparison, slot.swapped)
    return build_comparison(request.user, display, slot.token)


def find_answer_to_change(
    request: SignedInRequest, plan: ComparisonPlan
) -> tuple[DisplayedComparison, UUID | None]:
    """An own answer as it was shown, and its lease; 404 if there is none."""
    try:
        uuid = UUID(request.GET["change"])
    except ValueError:
        raise Http404("not a UUID") from None
    own = list_own_preferences(request.user, plan.campaign, plan)
    answer = get_object_or_404(own, client_uuid=uuid)
    return DisplayedComparison(answer.comparison, answer.swapped), answer.lease


def save_comparison_answer(
    request: SignedInRequest, plan: ComparisonPlan, form: AnswerForm, act: Act
) -> HttpResponse:
    """Save the answer or skip, with a message if that fails; then show the next comparison."""
    if not form.is_valid():
        messages.error(request, "Not saved: the form was incomplete. Answer again.")
        return redirect("comparison-desk", plan.campaign.slug, plan.pk)
    fields = form.cleaned_data
    try:
        display = read_display(request.user, plan.campaign, fields.pop("display"))
        act(actor=request.user, display=display, **fields)
    except ActionRefused as refused:
        messages.error(request, f"Not saved. {refused}")
    return redirect("comparison-desk", plan.campaign.slug, plan.pk)
