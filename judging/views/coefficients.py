"""About the coefficients: formula, interpretation, edge cases, source, worked example."""

from __future__ import annotations

from dataclasses import dataclass

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from campaigns.core.cards import Card
from campaigns.views.pages import render_page
from judging.core.agreement.coefficient import AgreementCoefficient
from judging.core.agreement.registry import COEFFICIENTS
from judging.core.quality.report import CARDS


@dataclass(frozen=True)
class CoefficientExample:
    lines: list[str]
    value: float


@dataclass(frozen=True)
class CoefficientEntry:
    card: Card
    examples: list[CoefficientExample]


@dataclass(frozen=True)
class CoefficientsPage:
    coefficients: list[CoefficientEntry]
    cards: list[Card]


@login_not_required
@require_safe
def coefficients_view(request: HttpRequest) -> HttpResponse:
    page = CoefficientsPage(
        coefficients=[
            CoefficientEntry(coefficient.card, list_worked_examples(coefficient))
            for coefficient in COEFFICIENTS.values()
        ],
        cards=list(CARDS.values()),
    )
    return render_page(request, "judging/coefficients.html", page)


def list_worked_examples(coefficient: AgreementCoefficient) -> list[CoefficientExample]:
    """Per example: one line per assessor, with a dot where nothing was judged, and the value."""
    return [
        CoefficientExample(
            [" ".join("·" if g is None else str(g) for g in row) for row in rows], value
        )
        for rows, value in coefficient.examples
    ]
