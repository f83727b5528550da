"""Training: pairs with a correct grade, shown with its explanation after each answer."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from campaigns.errors import ActionRefused
from campaigns.models import Campaign
from campaigns.queries.lists import get_campaign_for
from campaigns.views.helpers import SignedInRequest, read_digits
from campaigns.views.pages import render_page
from judging.forms.screen import JudgeForm
from judging.models import Judgment, Purpose, TrainingPair
from judging.queries.screen import find_document
from judging.queries.training import list_training, unanswered_pairs
from judging.services.training import answer_training_pair, next_training_pair
from judging.views.judging_screen import JudgingDocument, build_screen, build_screen_page


@never_cache
@require_http_methods(["GET", "POST"])
def judge_training_view(request: SignedInRequest, slug: str) -> HttpResponse:
    """The next training pair; a post is the answer. ``?pair=`` shows an answered one."""
    campaign = get_campaign_for(request.user, slug, "campaigns.judge")
    if request.method == "POST":
        return save_answer(request, campaign)
    if "pair" in request.GET:
        pair = get_training_pair(campaign, request.GET["pair"])
        own = Judgment.objects.filter(campaign=campaign, assessor=request.user)
        own = own.filter(topic=pair.topic_id, docno=pair.docno, purpose=Purpose.TRAINING)
        answer = own.order_by("-pk").first()
        if answer is not None:
            return render_training(request, pair, answer)
    waiting = next_training_pair(actor=request.user, campaign=campaign)
    return render_training(request, waiting) if waiting else redirect("work", slug)


def save_answer(request: SignedInRequest, campaign: Campaign) -> HttpResponse:
    pair = get_training_pair(campaign, request.POST.get("pair", ""))
    form = JudgeForm(request.POST)
    address = reverse("judge-training", args=[campaign.slug])
    if not form.is_valid() or form.cleaned_data["docno"] != pair.docno:
        messages.error(request, _("Not saved: the form was incomplete. Judge again."))
        return redirect(address)
    names = (
        "grade", "client_uuid", "comment", "active_seconds", "guideline_version", "language_shown",
    )  # fmt: skip
    fields = {name: form.cleaned_data[name] for name in names}
    try:
        answer_training_pair(actor=request.user, campaign=campaign, pair=pair, **fields)
    except ActionRefused as refused:
        messages.error(request, _("Not saved.") + f" {refused}")
        return redirect(address)
    return redirect(reverse("judge-training", args=[campaign.slug], query={"pair": pair.pk}))


def get_training_pair(campaign: Campaign, pk: str) -> TrainingPair:
    return get_object_or_404(list_training(campaign), pk=read_digits(pk))


def render_training(
    request: SignedInRequest, pair: TrainingPair, answer: Judgment | None = None
) -> HttpResponse:
    campaign = pair.campaign
    screen = build_screen(request.user, campaign, pair.topic)
    own = Judgment.objects.filter(campaign=campaign, assessor=request.user)
    screen.recent, screen.last = [], own.filter(purpose=Purpose.TRAINING).order_by("-pk").first()
    screen.document = JudgingDocument(pair.topic, pair.docno, find_document(campaign, pair.docno))
    remaining = unanswered_pairs(request.user, campaign).count()
    total = list_training(campaign).count()
    at = total - remaining + (answer is None)
    training = {"pair": pair, "at": at, "total": total, "remaining": remaining}
    page = {"training": training, "answer": answer}
    return render_page(request, "judging/training.html", build_screen_page(screen), page)
