"""About the coefficients: formula, interpretation, edge cases, source, worked example."""

from __future__ import annotations

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from judging.core.agreement.registry import COEFFICIENTS
from judging.core.quality.report import CARDS


@login_not_required
@require_safe
def coefficients_view(request: HttpRequest) -> HttpResponse:
    context = {"coefficients": COEFFICIENTS.values(), "cards": CARDS.values()}
    return render(request, "judging/coefficients.html", context)
