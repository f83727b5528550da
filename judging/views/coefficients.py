"""About the coefficients: formula, interpretation, edge cases, source, worked example."""

from __future__ import annotations

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from campaigns.views.pages import render_page
from poolbench.judging.agreement.coefficient import AgreementCoefficient
from poolbench.judging.agreement.registry import COEFFICIENTS
from poolbench.judging.quality.report import CARDS


@login_not_required
@require_safe
def coefficients_view(request: HttpRequest) -> HttpResponse:
    page = {
        "coefficients": [
            {"card": coefficient.card, "examples": list_worked_examples(coefficient)}
            for coefficient in COEFFICIENTS.values()
        ],
        "cards": list(CARDS.values()),
    }
    return render_page(request, "judging/coefficients.html", page)


def list_worked_examples(coefficient: AgreementCoefficient) -> list[dict[str, object]]:
    """Per example: one line per assessor, with a dot where nothing was judged, and the value."""
    return [
        {
            "lines": [" ".join("·" if g is None else str(g) for g in row) for row in rows],
            "value": value,
        }
        for rows, value in coefficient.examples
    ]
