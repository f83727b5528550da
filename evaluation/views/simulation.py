"""Simulate before you spend: the page that has specs replayed, and what came of it."""

from __future__ import annotations

from typing import Any

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from campaigns.errors import Refused
from campaigns.models import Campaign
from campaigns.queries import campaign_for
from campaigns.views.signed_in import SignedIn, to
from evaluation import services
from evaluation.forms import MOST_SPECS, SimulationForm, Text, texts_of
from evaluation.services.simulation import SIMULATION
from evaluation.views.kept import kept_report, reports_of


@require_http_methods(["GET", "POST"])
def simulation(request: SignedIn, slug: str) -> HttpResponse:
    """The simulations made, and the form for another; ``fill`` in a post only fills it in."""
    campaign = campaign_for(request.user, slug, "campaigns.manage")
    if request.method == "POST" and "fill" in request.POST:
        return filled(request, campaign)
    if request.method == "POST":
        return ask(request, campaign)
    return page(request, campaign, SimulationForm(campaign=campaign))


def filled(request: SignedIn, campaign: Campaign) -> HttpResponse:
    """The form with what was typed so far, and room for another spec. ``on`` names the campaign
    for which it is meant, where that is another.
    """
    asked = request.POST
    if asked.get("on", campaign.slug) != campaign.slug:
        other = campaign_for(request.user, asked["on"], "campaigns.manage")
        return redirect("simulation", other.slug, preserve_request=True)
    typed = {**asked.dict(), "pools": asked.getlist("pools")}
    texts = texts_of(asked, request.FILES.getlist("files"))
    form = SimulationForm(campaign=campaign, initial=typed, texts=texts)
    return page(request, campaign, form)


def ask(request: SignedIn, campaign: Campaign) -> HttpResponse:
    texts = texts_of(request.POST, request.FILES.getlist("files"))
    form = SimulationForm(request.POST, campaign=campaign, texts=texts)
    if form.is_valid():
        wanted = form.cleaned_data["wanted"]
        try:
            services.request_simulation(actor=request.user, campaign=campaign, wanted=wanted)
            return redirect("simulation", campaign.slug)
        except Refused as no:
            form.add_error(None, str(no).splitlines())
    return page(request, campaign, form)


def page(request: SignedIn, campaign: Campaign, form: SimulationForm) -> HttpResponse:
    texts = form.texts[:MOST_SPECS]
    if len(texts) < MOST_SPECS:
        texts.append(Text("", ""))
    context: dict[str, Any] = {
        "campaign": campaign,
        # What somebody is about to send comes first, and nothing may load the page anew.
        "typed": request.method == "POST",
        "crumbs": [("Pool", to("pools", campaign)), ("Simulation", None)],
        "form": form,
        "texts": texts,
        "can": campaign.qrels.exists() or campaign.judgments.exists(),
        **reports_of(campaign, SIMULATION),
    }
    status = 422 if form.errors else 200
    return render(request, "evaluation/simulation/page.html", context, status=status)


@require_safe
def simulation_report(request: SignedIn, slug: str, pk: int, fmt: str) -> HttpResponse:
    """A simulation that was made: ``html`` is shown, with ``?save`` it is saved, as are others."""
    return kept_report(request, slug, pk, SIMULATION, fmt, ("html", "json", "csv"))
