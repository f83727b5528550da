"""Training sets: what assessors judge before they start, and how they did."""

from __future__ import annotations

from django.http import HttpResponse
from django.views.decorators.http import require_http_methods

from campaigns.queries.lists import get_campaign_for
from campaigns.views.helpers import SignedInRequest
from judging.queries.training_results import (
    is_locked,
    list_agreed_pairs,
    list_training_pairs,
    list_training_progress,
)
from judging.services.training_sets import add_training, remove_training
from judging.views.example_pairs import ExamplePairs, serve_example_pairs


@require_http_methods(["GET", "POST"])
def training_sets_view(request: SignedInRequest, slug: str) -> HttpResponse:
    """List training pairs; add pairs from text, a file or agreed judgments; remove pairs."""
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    actor = request.user
    training = ExamplePairs(
        campaign,
        noun="training pair",
        address="training-sets",
        template="judging/training_sets.html",
        act="remove",
        add=lambda rows, file: add_training(actor=actor, campaign=campaign, rows=rows, file=file),
        drop=lambda pairs: remove_training(actor=actor, campaign=campaign, pairs=pairs),
        picks=lambda: list_agreed_pairs(campaign),
        explain=lambda pair: f"{pair.count} assessors gave this grade.",
        part=lambda: {
            "pairs": list_training_pairs(campaign),
            "people": list_training_progress(campaign),
        },
        locked=is_locked(campaign),
    )
    return serve_example_pairs(request, training)
