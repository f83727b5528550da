"""One more judgment where the grade is unsure, within the extra budget."""

from __future__ import annotations

from django.db import transaction

from campaigns.errors import ActionRefused
from campaigns.models import User
from campaigns.rules import require_permission
from campaigns.services.events import log_event
from crowd.models import Study
from crowd.queries.unsure_pairs import preview_unsure_pairs
from judging.models import Plan
from judging.services.exclusions import ask_one_more


def request_more_labels(*, actor: User, study: Study) -> int:
    """Ask one more judgment of each pair that the study's model is least sure of; return how many.

    Refused (``nothing-unsure``) where there is no such pair or no budget left.
    """
    require_permission(actor, "campaigns.manage", study.campaign)
    with transaction.atomic():
        # Locked: a second click waits, and then finds what the first has left of the budget.
        Plan.objects.select_for_update(no_key=True).get(pk=study.plan_id)
        preview = preview_unsure_pairs(study)
        if not preview.items:
            fix = "Raise the extra budget, or wait for more judgments."
            raise ActionRefused("nothing-unsure", f"Nothing to request: {preview.reason}.", fix)
        count = ask_one_more(actor=actor, plan=study.plan, pairs=preview.items)
        log_event(
            campaign=study.campaign,
            actor=actor,
            code="study.labels_requested",
            subject=study.title,
            plan=study.plan_id,
            judgments=count,
            model=preview.model,
            pairs=[f"{pair.topic} {pair.docno}" for pair in preview.pairs[:100]],
        )
    return count
