"""Corrections of texts: all of them with their changes, and the form for a new one."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_http_methods, require_safe

from campaigns.forms.corrections import ErratumForm
from campaigns.queries.errata import find_correctable, list_corrections
from campaigns.queries.lists import get_campaign_for
from campaigns.rules import is_organizer_anywhere
from campaigns.services.errata import correct_texts
from campaigns.views.helpers import SignedInRequest, collect_refusal
from campaigns.views.pages import render_page


@require_safe
def errata_view(request: SignedInRequest, slug: str) -> HttpResponse:
    """Every correction, newest first, for all members."""
    campaign = get_campaign_for(request.user, slug)
    page = {
        "campaign": campaign,
        "corrections": list_corrections(campaign),
        "organizes": is_organizer_anywhere(request.user, campaign),
    }
    return render_page(request, "campaigns/errata.html", page)


@require_http_methods(["GET", "POST"])
def erratum_new_view(request: SignedInRequest, slug: str) -> HttpResponse:
    """The form with the texts of ``?kind=…&name=…``; without them, what can be corrected."""
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    kind, name = request.GET.get("kind", ""), request.GET.get("name", "")
    row = find_correctable(campaign, kind, name)
    form = None
    if row is not None:
        posted = request.POST if request.method == "POST" else None
        form = ErratumForm(posted, row=row, kind=kind, initial={"seen": campaign.last_erratum})
    if form is not None and form.is_valid():
        texts, reason = form.read_texts(), form.cleaned_data["reason"]
        with collect_refusal(form):
            correct_texts(
                actor=request.user, campaign=campaign, kind=kind, name=name, texts=texts,
                reason=reason, seen=form.cleaned_data["seen"],
            )  # fmt: skip
            messages.success(
                request, "Corrected. Members see a notice, and get a mail if concerned."
            )
            return redirect("errata", campaign.slug)
    page = {
        "campaign": campaign,
        "form": form,
        "kind": kind,
        "name": name,
        "grades": campaign.grades.all(),
    }
    return render_page(request, "campaigns/erratum_new.html", page)
