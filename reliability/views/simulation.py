"""Pool simulation: the page that requests simulations, and their reports."""

from django.http import HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_http_methods, require_safe

from campaigns.errors import ActionRefused
from campaigns.models import Campaign
from campaigns.queries.lists import get_campaign_for
from campaigns.views.helpers import SignedInRequest
from campaigns.views.pages import render_page
from reliability.forms import MOST_SPECS, SimulationForm, SpecText, collect_specs
from reliability.services.simulation import SIMULATION, request_simulation
from reliability.views.stored_reports import list_stored_reports, stored_report_response


@require_http_methods(["GET", "POST"])
def simulation_view(request: SignedInRequest, slug: str) -> HttpResponse:
    """The stored simulations, and the form for a new one; a POST with ``fill`` only fills it in."""
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    if request.method == "POST" and "fill" in request.POST:
        return refilled_form(request, campaign)
    if request.method == "POST":
        return request_simulation_from_form(request, campaign)
    return render_simulation_page(request, campaign, SimulationForm(campaign=campaign))


def refilled_form(request: SignedInRequest, campaign: Campaign) -> HttpResponse:
    """The form with the data posted, and fields for another spec. ``on`` names the campaign
    to simulate on, if it is another one.
    """
    posted = request.POST
    if posted.get("on", campaign.slug) != campaign.slug:
        other = get_campaign_for(request.user, posted["on"], "campaigns.manage")
        return redirect("simulation", other.slug, preserve_request=True)
    typed = {**posted.dict(), "pools": posted.getlist("pools")}
    texts = collect_specs(posted, request.FILES.getlist("files"))
    form = SimulationForm(campaign=campaign, initial=typed, texts=texts)
    return render_simulation_page(request, campaign, form)


def request_simulation_from_form(request: SignedInRequest, campaign: Campaign) -> HttpResponse:
    texts = collect_specs(request.POST, request.FILES.getlist("files"))
    form = SimulationForm(request.POST, campaign=campaign, texts=texts)
    if form.is_valid():
        simulation_request = form.cleaned_data["request"]
        try:
            request_simulation(actor=request.user, campaign=campaign, request=simulation_request)
            return redirect("simulation", campaign.slug)
        except ActionRefused as refused:
            form.add_error(None, str(refused).splitlines())
    return render_simulation_page(request, campaign, form)


def render_simulation_page(
    request: SignedInRequest, campaign: Campaign, form: SimulationForm
) -> HttpResponse:
    texts = form.texts[:MOST_SPECS]
    if len(texts) < MOST_SPECS:
        texts.append(SpecText("", ""))
    # ``typed``: a form in progress comes first, and the page must not reload itself. ``can``:
    # whether there are judgments to simulate by.
    page = {
        "campaign": campaign,
        "typed": request.method == "POST",
        "form": form,
        "texts": texts,
        "can": campaign.qrels.exists() or campaign.judgments.exists(),
    }
    stored = list_stored_reports(campaign, SIMULATION)
    status = 422 if form.errors else 200
    return render_page(request, "reliability/simulation/page.html", page, stored, status=status)


@require_safe
def simulation_report_view(request: SignedInRequest, slug: str, pk: int, fmt: str) -> HttpResponse:
    """A stored simulation: ``html`` is displayed, or with ``?save`` downloaded like the others."""
    return stored_report_response(request, slug, pk, SIMULATION, fmt)
