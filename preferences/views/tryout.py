"""Examples of interleaving and of preferences from clicks, worked on a public page."""

from fractions import Fraction

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from campaigns.views.pages import render_page
from poolbench.preferences.click_log import PREFERENCES
from poolbench.preferences.interleaving import METHODS
from poolbench.preferences.tryout import (
    EXAMPLE_A,
    EXAMPLE_B,
    EXAMPLE_CLICKED,
    EXAMPLE_PICKS,
    EXAMPLE_RANKING,
    EXAMPLE_SHOWN,
)
from preferences.forms import ClicksForm, InterleavingForm

LIST_EXAMPLE = {
    "a": "\n".join(EXAMPLE_A), "b": "\n".join(EXAMPLE_B),
    "method": "alternating", "first": "B", "seed": "0",
}  # fmt: skip
"""The lecture's two rankings, B first."""
CLICK_EXAMPLE = {
    "documents": "\n".join(EXAMPLE_SHOWN),
    "clicked": "\n".join(EXAMPLE_CLICKED),
    "ranking": "\n".join(EXAMPLE_RANKING),
}
PART = "part"
"""The form that was submitted: ``lists`` or ``clicks``; the other one has its example."""


@login_not_required
@require_safe
def interleaving_view(request: HttpRequest) -> HttpResponse:
    """Two rankings interleaved, with ticked documents credited; clicks become preferences."""
    lists = request.GET.get(PART) == "lists"
    clicks = request.GET.get(PART) == "clicks"
    form = InterleavingForm(request.GET if lists else LIST_EXAMPLE)
    clicks_form = ClicksForm(request.GET if clicks else CLICK_EXAMPLE)
    picks = request.GET.getlist("pick") if lists else list(EXAMPLE_PICKS)
    worked = form.work(picks) if form.is_valid() else None
    worked_clicks = clicks_form.work() if clicks_form.is_valid() else None
    merged = worked.interleaved if worked else None
    # ``worked`` and ``clicks`` are None while their form has errors.
    page = {
        "form": form,
        "clicks_form": clicks_form,
        "cards": [method.card for method in METHODS.values()],
        "clicks_card": PREFERENCES,
        "worked": worked,
        "documents": list(zip(merged.documents, merged.by, strict=True)) if merged else [],
        "clicks": worked_clicks,
        "share": format_preference_share(worked_clicks.share) if worked_clicks else "",
    }
    return render_page(request, "preferences/interleaving.html", page)


def format_preference_share(share: float | None) -> str:
    """``0.3333 = 1/3``; empty where undefined."""
    if share is None:
        return ""
    fraction = Fraction(share).limit_denominator(10_000)
    return f"{share:.4f}" + (f" = {fraction}" if fraction.denominator > 1 else "")
