"""Training: documents whose grade is known, each explained after the assessor's answer."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from campaigns.errors import Refused
from campaigns.models import Campaign
from campaigns.queries import campaign_for
from campaigns.views.signed_in import SignedIn
from judging.forms import JudgeForm
from judging.models import Judgment, Purpose, TrainingPair
from judging.queries.screen import document_of
from judging.queries.training import unanswered
from judging.services.training import answer, next_pair
from judging.views.screens import Paper, context_of, screen_of


@never_cache
@require_http_methods(["GET", "POST"])
def training(request: SignedIn, slug: str) -> HttpResponse:
    """The next training document; a post is the answer. ``?pair=`` shows one that is answered."""
    campaign = campaign_for(request.user, slug, "campaigns.judge")
    if request.method == "POST":
        return answered(request, campaign)
    if "pair" in request.GET:
        pair = pair_of(campaign, request.GET["pair"])
        given = answer_of(request, pair)
        if given is not None:
            return shown(request, pair, given)
    waiting = next_pair(actor=request.user, campaign=campaign)
    return shown(request, waiting) if waiting else redirect("work", slug)


def answered(request: SignedIn, campaign: Campaign) -> HttpResponse:
    pair = pair_of(campaign, request.POST.get("pair", ""))
    form = JudgeForm(request.POST)
    address = reverse("judge-training", args=[campaign.slug])
    if not form.is_valid() or form.cleaned_data["docno"] != pair.docno:
        messages.error(request, _("Not saved: the form was incomplete. Judge again."))
        return redirect(address)
    names = ("grade", "client_uuid", "comment", "active_seconds")
    said = {name: form.cleaned_data[name] for name in names}
    try:
        answer(actor=request.user, campaign=campaign, pair=pair, **said)
    except Refused as refused:
        messages.error(request, _("Not saved.") + f" {refused}")
        return redirect(address)
    return redirect(reverse("judge-training", args=[campaign.slug], query={"pair": pair.pk}))


def pair_of(campaign: Campaign, pk: str) -> TrainingPair:
    number = int(pk) if pk.isdecimal() and len(pk) < 19 else 0
    return get_object_or_404(campaign.training.select_related("topic"), pk=number)


def answer_of(request: SignedIn, pair: TrainingPair) -> Judgment | None:
    own = Judgment.objects.filter(campaign=pair.campaign_id, assessor=request.user)
    own = own.filter(topic=pair.topic_id, docno=pair.docno, purpose=Purpose.TRAINING)
    return own.order_by("-pk").first()


def shown(request: SignedIn, pair: TrainingPair, given: Judgment | None = None) -> HttpResponse:
    campaign = pair.campaign
    screen = screen_of(request.user, campaign, pair.topic)
    screen.recent, screen.last = [], None
    screen.paper = Paper(pair.topic, pair.docno, document_of(campaign, pair.docno))
    left = unanswered(request.user, campaign).count()
    of = campaign.training.count()
    done = of - left
    context = context_of(screen) | {
        "training": {"pair": pair, "at": done if given else done + 1, "of": of, "left": left},
        "given": given,
    }
    return render(request, "judging/training.html", context)
