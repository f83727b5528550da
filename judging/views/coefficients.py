"""About the coefficients: formula, interpretation, edge cases, source, worked example."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from campaigns.views.pages import render_page
from judging.core.agreement.registry import COEFFICIENTS
from judging.core.quality.report import CARDS


@dataclass(frozen=True)
class CoefficientsPage:
    coefficients: Sequence[object]
    cards: Sequence[object]


@login_not_required
@require_safe
def coefficients_view(request: HttpRequest) -> HttpResponse:
    page = CoefficientsPage(coefficients=list(COEFFICIENTS.values()), cards=list(CARDS.values()))
    return render_page(request, "judging/coefficients.html", page)
