"""Automatic assessors, for organizers: list, coverage, and comparison with human judgments.

An automatic judgment is shown only for pairs with a current human judgment.
"""

from django import forms
from django.http import Http404, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.views.decorators.http import require_http_methods, require_safe

from campaigns.errors import ActionRefused
from campaigns.models import Campaign
from campaigns.queries.lists import get_campaign_for
from campaigns.views.helpers import SignedInRequest, paginate
from campaigns.views.pages import render_page
from judging.models import AutomaticAssessor
from judging.queries.automatic import compare_with_people, get_automatic_overview
from judging.queries.exchange import COMPARISON_COLUMNS, automatic_with_human, iter_comparison_rows
from judging.services.automatic import create_automatic_assessor
from judging.views.exports import rows_response


class AutomaticForm(forms.Form):
    name = forms.CharField(
        max_length=60,
        help_text="Letters, digits, - and _, such as llama3-70b-umbrela. Used in policy names.",
    )
    description = forms.CharField(
        required=False,
        max_length=10_000,
        widget=forms.Textarea({"rows": 5}),
        help_text="Model, version, prompt, temperature: everything needed to reproduce it.",
    )


@require_http_methods(["GET", "POST"])
def automatic_list_view(request: SignedInRequest, slug: str) -> HttpResponse:
    """All automatic assessors of the campaign, and the form to add one."""
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    form = AutomaticForm(request.POST if request.method == "POST" else None)
    status = 200
    if form.is_bound and form.is_valid():
        try:
            automatic = create_automatic_assessor(
                actor=request.user, campaign=campaign, **form.cleaned_data
            )
        except ActionRefused as refused:
            form.add_error("name", str(refused))
            status = 409
        else:
            return redirect("automatic", campaign.slug, automatic.name)
    automatics = campaign.automatic_assessors.select_related("user", "campaign")
    rows = [get_automatic_overview(automatic) for automatic in automatics]
    page = {"campaign": campaign, "form": form, "rows": rows}
    return render_page(request, "judging/automatic_list.html", page, status=status)


@require_safe
def automatic_view(request: SignedInRequest, slug: str, name: str) -> HttpResponse:
    """One automatic assessor: grades, coverage, and comparison with assessors by pair."""
    campaign, automatic = get_automatic_assessor(request, slug, name)
    pairs = paginate(request, automatic_with_human(campaign, automatic.user))
    page = {
        "campaign": campaign,
        "automatic": automatic,
        "overview": get_automatic_overview(automatic),
        "page_obj": pairs,
        "pairs": compare_with_people(campaign, pairs.object_list),
        "grades": {grade.value: grade for grade in campaign.grades.order_by("value")},
    }
    return render_page(request, "judging/automatic.html", page)


@require_safe
def automatic_download_view(
    request: SignedInRequest, slug: str, name: str, fmt: str
) -> HttpResponseBase:
    """The model's grades and those of assessors, for pairs with a human judgment."""
    campaign, automatic = get_automatic_assessor(request, slug, name)
    if fmt not in ("csv", "json"):
        raise Http404
    rows = iter_comparison_rows(campaign, automatic.user)
    conditions = {"campaign": slug, "automatic": automatic.name}
    file_name = f"{slug}-{automatic.name}-beside-people"
    return rows_response(rows, COMPARISON_COLUMNS, file_name, fmt, conditions)


def get_automatic_assessor(
    request: SignedInRequest, slug: str, name: str
) -> tuple[Campaign, AutomaticAssessor]:
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    own = campaign.automatic_assessors.select_related("user", "campaign")
    return campaign, get_object_or_404(own, name=name)
