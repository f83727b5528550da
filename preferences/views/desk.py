"""The pages of a judge: their comparisons, the desk with its latest answers, their preferences."""

from collections.abc import Callable
from typing import Any
from uuid import UUID, uuid4

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from campaigns.errors import ActionRefused
from campaigns.models import Campaign, User
from campaigns.queries.lists import get_campaign_for
from campaigns.views.helpers import SignedInRequest, paginate
from campaigns.views.pages import render_page
from judging.queries.screen import find_document
from judging.rules import SKIP_REASONS
from judging.views.judging_screen import SKIP_KEYS
from preferences.forms import (
    AnswerForm,
    PicksForm,
    SideForm,
    SkipComparisonForm,
    UndoPreferenceForm,
)
from preferences.models import Comparison, ComparisonPlan, Preference
from preferences.queries.comparisons import find_last_answer, list_own_plans, list_own_preferences
from preferences.queries.shown_documents import list_compared_documents
from preferences.services.comparisons import (
    DisplayedComparison,
    claim_comparison,
    read_display,
    sign_display,
    skip_comparison,
    submit_picks,
    submit_preference,
    undo_preference,
)

Kind = ComparisonPlan.Kind
QUESTIONS = {
    Kind.DOCUMENTS: gettext_lazy("Which document answers the topic better?"),
    Kind.RANKINGS: gettext_lazy("Which list answers the topic better?"),
    Kind.INTERLEAVED: gettext_lazy("Pick the documents that answer the topic."),
}


def build_comparison(
    actor: User, display: DisplayedComparison, token: UUID | None
) -> dict[str, Any]:
    """``display`` with its documents. ``previous`` is the actor's last answer, ``side`` the one
    that it named; the answer counts unless ``undone``.
    """
    comparison = display.comparison
    previous = find_last_answer(actor, comparison)
    later = Preference.objects.none()
    if previous is not None:
        later = comparison.preferences.filter(assessor=actor, revision__gt=previous.revision)
    picks = previous.picks if previous else []
    interleaved = comparison.plan.kind == Kind.INTERLEAVED
    campaign = comparison.plan.campaign
    return {
        "display": sign_display(actor, comparison, swapped=display.swapped),
        "token": token,
        "uuid": uuid4(),
        "topic": comparison.topic,
        "sides": () if interleaved else build_sides(campaign, comparison, swapped=display.swapped),
        "documents": (
            list_compared_documents(campaign, comparison.content["documents"], picks)
            if interleaved
            else ()
        ),
        "previous": previous,
        "side": previous.get_side(swapped=display.swapped) if previous else "",
        "undone": later.exists(),
    }


def build_sides(
    campaign: Campaign, comparison: Comparison, *, swapped: bool
) -> list[dict[str, object]]:
    """Left and right: a document, or the ``documents`` of a ranking."""
    order = ("b", "a") if swapped else ("a", "b")
    names = zip(("left", "right"), (_("Left"), _("Right")), order, strict=True)
    ranked = comparison.plan.kind == Kind.RANKINGS
    docnos = {"a": comparison.docno_a, "b": comparison.docno_b}
    return [
        {
            "name": name,
            "label": label,
            "docno": docnos[side],
            "document": None if ranked else find_document(campaign, docnos[side]),
            "documents": (
                list_compared_documents(campaign, comparison.content[side]) if ranked else ()
            ),
        }
        for name, label, side in names
    ]


def build_desk_page(
    request: SignedInRequest, plan: ComparisonPlan, document: dict[str, Any] | None, message: str
) -> dict[str, object]:
    """The names are those of the judging screen, whose templates the desk shares: ``document`` is
    the comparison.
    """
    actor, campaign = request.user, plan.campaign
    args = [campaign.slug, plan.pk]
    (progress,) = list_own_plans(actor, campaign, plan)
    screen = {
        "topic": document["topic"] if document else None,
        "progress": progress,
        "total": progress.done + progress.left,
        "last": list_own_preferences(actor, campaign, plan).first(),
        "rationale": "no",
        "recent": (),
        "new_guidelines": False,
        "undo_uuid": uuid4(),
    }
    return {
        "campaign": campaign,
        "plan": plan,
        "question": plan.question or str(QUESTIONS[Kind(plan.kind)]),
        "screen": screen,
        "document": document,
        "reasons": [(name, SKIP_KEYS[name], label) for name, label in SKIP_REASONS.items()],
        "home_url": reverse("comparisons", args=[campaign.slug]),
        "here_url": reverse("comparison-desk", args=args),
        "skip_url": reverse("comparison-skip", args=args),
        "message": message,
        "is_open": campaign.takes_judgments(),
    }


Act = Callable[..., Preference]


@require_safe
def comparisons_view(request: SignedInRequest, slug: str) -> HttpResponse:
    """The plans with comparisons for this assessor."""
    campaign = get_campaign_for(request.user, slug, "campaigns.judge")
    page = {
        "campaign": campaign,
        "plans": list_own_plans(request.user, campaign),
        "is_open": campaign.takes_judgments(),
    }
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


@require_safe
def my_preferences_view(request: SignedInRequest, slug: str) -> HttpResponse:
    """The assessor's answers, newest first, each with a way to change it."""
    campaign = get_campaign_for(request.user, slug, "campaigns.judge")
    page = {
        "campaign": campaign,
        "page_obj": paginate(request, list_own_preferences(request.user, campaign)),
    }
    return render_page(request, "preferences/desk_history.html", page)


def get_comparison_plan(request: SignedInRequest, slug: str, pk: int) -> ComparisonPlan:
    """A plan of a campaign in which the user is an assessor."""
    campaign = get_campaign_for(request.user, slug, "campaigns.judge")
    return get_object_or_404(campaign.comparison_plans.select_related("campaign"), pk=pk)


def find_comparison(request: SignedInRequest, plan: ComparisonPlan) -> dict[str, Any] | None:
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
        messages.error(request, _("Not saved: the form was incomplete. Answer again."))
        return redirect("comparison-desk", plan.campaign.slug, plan.pk)
    fields = form.cleaned_data
    try:
        display = read_display(request.user, plan.campaign, fields.pop("display"))
        act(actor=request.user, display=display, **fields)
    except ActionRefused as refused:
        messages.error(request, _("Not saved. %(why)s") % {"why": refused})
    return redirect("comparison-desk", plan.campaign.slug, plan.pk)
