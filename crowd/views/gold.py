"""Pairs with a known grade for crowd workers: gold tests them, practice tells them."""

from django.http import HttpResponse
from django.views.decorators.http import require_http_methods

from campaigns.models import Campaign
from campaigns.queries.lists import get_campaign_for
from campaigns.views.helpers import SignedInRequest
from crowd.models import Study
from crowd.queries.gold import (
    build_gold_balance,
    count_gold,
    list_adjudicated_pairs,
    list_gold_pairs,
)
from crowd.queries.studies import list_studies
from crowd.services.gold import add_gold, add_practice, retire_gold
from judging.models import Audience
from judging.queries.training import is_locked, list_agreed_pairs, list_training_pairs
from judging.services.training import remove_training
from judging.views.example_pairs import ExamplePairs, serve_example_pairs


@require_http_methods(["GET", "POST"])
def study_gold_view(request: SignedInRequest, slug: str) -> HttpResponse:
    """List gold; add pairs from a table or from adjudications; retire pairs."""
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    actor = request.user
    gold = ExamplePairs(
        campaign,
        noun="gold pair",
        address="study-gold",
        template="crowd/study_gold.html",
        act="retire",
        add=lambda rows, file: add_gold(actor=actor, campaign=campaign, rows=rows, file=file),
        drop=lambda pairs: retire_gold(actor=actor, campaign=campaign, pairs=pairs),
        picks=lambda: list_adjudicated_pairs(campaign),
        explain=lambda _pair: "Adjudicated.",
        part=lambda: load_gold_part(campaign),
    )
    return serve_example_pairs(request, gold)


def load_gold_part(campaign: Campaign) -> dict[str, object]:
    grades, available = list(campaign.grades.all()), count_gold(campaign)
    studies = [each for each in list_studies(campaign) if each.state != Study.State.STOPPED]
    # ``balances``: of the studies that are not stopped. ``in_use``: gold that is not retired.
    return {
        "pairs": list_gold_pairs(campaign),
        "in_use": sum(available.values()),
        "balances": [build_gold_balance(study, available, grades) for study in studies],
    }


CROWD = Audience.CROWD


@require_http_methods(["GET", "POST"])
def study_practice_view(request: SignedInRequest, slug: str) -> HttpResponse:
    """List practice pairs; add pairs from a table or from agreed judgments; remove pairs."""
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    actor, typed = request.user, request.POST
    practice = ExamplePairs(
        campaign,
        noun="practice pair",
        address="study-practice",
        template="crowd/study_practice.html",
        act="remove",
        add=lambda rows, file: add_practice(actor=actor, campaign=campaign, rows=rows, file=file),
        drop=lambda pairs: remove_training(
            actor=actor, campaign=campaign, pairs=pairs, audience=CROWD
        ),
        picks=lambda: list_agreed_pairs(campaign, audience=CROWD),
        explain=lambda pair: typed.get(f"why {pair.topic_id} {pair.docno}", "").strip(),
        part=lambda: load_practice_part(campaign),
        locked=is_locked(campaign, CROWD),
    )
    return serve_example_pairs(request, practice)


def load_practice_part(campaign: Campaign) -> dict[str, object]:
    studies = [each for each in list_studies(campaign) if each.state != Study.State.STOPPED]
    # ``studies``: those that are not stopped.
    return {"pairs": list_training_pairs(campaign, CROWD), "studies": studies}
