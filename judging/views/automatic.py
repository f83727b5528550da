"""Automatic assessors, for organizers: who they are, what they cover, where people agree.

What a model says of a pair is shown only where a person's judgment of it stands.
"""

from __future__ import annotations

from django import forms
from django.http import Http404, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from campaigns.errors import Refused
from campaigns.models import Campaign
from campaigns.queries import campaign_for
from campaigns.views.signed_in import SignedIn, page_of, to
from judging.models import AutomaticAssessor
from judging.queries.automatic import beside, overview, overviews
from judging.queries.exchange import BESIDE_COLUMNS, beside_people, beside_rows
from judging.services.automatic import add_automatic
from judging.views.exports import rows_as


class AutomaticForm(forms.Form):
    name = forms.CharField(
        max_length=60, help_text="Of a-z 0-9 - _, such as llama3-70b-umbrela. It names policies."
    )
    description = forms.CharField(
        required=False,
        max_length=10_000,
        widget=forms.Textarea({"rows": 5}),
        help_text="Model, version, prompt, temperature: what somebody needs to do it again.",
    )


@require_http_methods(["GET", "POST"])
def automatic_list(request: SignedIn, slug: str) -> HttpResponse:
    """All automatic assessors of the campaign, and the form for one more."""
    campaign = campaign_for(request.user, slug, "campaigns.manage")
    form = AutomaticForm(request.POST if request.method == "POST" else None)
    status = 200
    if form.is_bound and form.is_valid():
        try:
            made = add_automatic(actor=request.user, campaign=campaign, **form.cleaned_data)
        except Refused as refused:
            form.add_error("name", str(refused))
            status = 409
        else:
            return redirect("automatic", campaign.slug, made.name)
    context = {
        "campaign": campaign,
        "crumbs": [("Judging", to("judging", campaign)), ("Automatic assessors", None)],
        "form": form,
        "rows": overviews(campaign),
    }
    return render(request, "judging/automatic_list.html", context, status=status)


@require_safe
def automatic(request: SignedIn, slug: str, name: str) -> HttpResponse:
    """One automatic assessor: grades, coverage, and pair by pair beside people."""
    campaign, found = automatic_for(request, slug, name)
    pairs = page_of(request, beside_people(campaign, found.user))
    back = ("Automatic assessors", to("automatic-list", campaign))
    context = {
        "campaign": campaign,
        "crumbs": [("Judging", to("judging", campaign)), back, (found.name, None)],
        "automatic": found,
        "overview": overview(found),
        "page_obj": pairs,
        "pairs": beside(campaign, pairs.object_list),
        "grades": {grade.value: grade for grade in campaign.grades.order_by("value")},
    }
    return render(request, "judging/automatic.html", context)


@require_safe
def automatic_download(request: SignedIn, slug: str, name: str, fmt: str) -> HttpResponseBase:
    """The model's grades beside people's, of pairs that a person has judged."""
    campaign, found = automatic_for(request, slug, name)
    if fmt not in ("csv", "json"):
        raise Http404
    rows = beside_rows(campaign, found.user)
    return rows_as(rows, BESIDE_COLUMNS, f"{slug}-{found.name}-beside-people", fmt)


def automatic_for(request: SignedIn, slug: str, name: str) -> tuple[Campaign, AutomaticAssessor]:
    campaign = campaign_for(request.user, slug, "campaigns.manage")
    own = campaign.automatic_assessors.select_related("user", "campaign")
    return campaign, get_object_or_404(own, name=name)
