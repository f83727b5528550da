"""Examples of interleaving and of preferences from clicks, worked on a public page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from campaigns.core.cards import Card
from campaigns.views.pages import render_page
from preferences.core.click_preferences import PREFERENCES
from preferences.core.interleaving import Side
from preferences.core.interleaving_methods import METHODS
from preferences.core.tryout import (
    EXAMPLE_A,
    EXAMPLE_B,
    EXAMPLE_CLICKED,
    EXAMPLE_PICKS,
    EXAMPLE_RANKING,
    EXAMPLE_SHOWN,
    WorkedClicks,
    WorkedInterleaving,
)
from preferences.forms.tryout import ClicksForm, InterleavingForm

PART = "part"
"""The form that was submitted: ``lists`` or ``clicks``; the other one has its example."""


@dataclass(frozen=True)
class InterleavedDocument:
    position: int
    docno: str
    side: Side
    is_picked: bool


@dataclass(frozen=True)
class WorkedPair:
    better: str
    worse: str
    satisfied: bool


@dataclass(frozen=True)
class InterleavingPage:
    """``worked`` and ``clicks`` are None while their form has errors."""

    form: InterleavingForm
    clicks_form: ClicksForm
    cards: list[Card]
    clicks_card: Card
    worked: WorkedInterleaving | None
    documents: list[InterleavedDocument]
    clicks: WorkedClicks | None
    pairs: list[WorkedPair]
    share: str


@login_not_required
@require_safe
def interleaving_view(request: HttpRequest) -> HttpResponse:
    """Two rankings interleaved, with ticked documents credited; clicks become preferences."""
    lists = request.GET.get(PART) == "lists"
    clicks = request.GET.get(PART) == "clicks"
    form = InterleavingForm(request.GET if lists else build_list_example())
    clicks_form = ClicksForm(request.GET if clicks else build_click_example())
    picks = request.GET.getlist("pick") if lists else list(EXAMPLE_PICKS)
    worked = form.work(picks) if form.is_valid() else None
    worked_clicks = clicks_form.work() if clicks_form.is_valid() else None
    page = InterleavingPage(
        form=form,
        clicks_form=clicks_form,
        cards=[method.card for method in METHODS.values()],
        clicks_card=PREFERENCES,
        worked=worked,
        documents=list_interleaved_documents(worked) if worked else [],
        clicks=worked_clicks,
        pairs=[
            WorkedPair(*pair, satisfied)
            for pair, satisfied in (worked_clicks.preferences if worked_clicks else ())
        ],
        share=format_preference_share(worked_clicks.share) if worked_clicks else "",
    )
    return render_page(request, "preferences/interleaving.html", page)


def list_interleaved_documents(worked: WorkedInterleaving) -> list[InterleavedDocument]:
    merged = worked.interleaved
    return [
        InterleavedDocument(position, docno, side, docno in worked.picks)
        for position, (docno, side) in enumerate(
            zip(merged.documents, merged.by, strict=True), start=1
        )
    ]


def build_list_example() -> dict[str, str]:
    """The lecture's two rankings, B first."""
    return {
        "a": join_ranking_lines(EXAMPLE_A), "b": join_ranking_lines(EXAMPLE_B),
        "method": "alternating", "first": "B", "seed": "0",
    }  # fmt: skip


def build_click_example() -> dict[str, str]:
    return {
        "documents": join_ranking_lines(EXAMPLE_SHOWN),
        "clicked": join_ranking_lines(EXAMPLE_CLICKED),
        "ranking": join_ranking_lines(EXAMPLE_RANKING),
    }  # fmt: skip


def join_ranking_lines(names: Sequence[str]) -> str:
    return "\n".join(names)


def format_preference_share(share: float | None) -> str:
    """``0.3333 = 1/3``; empty where undefined."""
    if share is None:
        return ""
    fraction = Fraction(share).limit_denominator(10_000)
    return f"{share:.4f}" + (f" = {fraction}" if fraction.denominator > 1 else "")
