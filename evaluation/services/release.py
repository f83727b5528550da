"""Release scores to participants. Release is permanent."""

from __future__ import annotations

from django.db import transaction
from django.utils import timezone

from campaigns.errors import ActionRefused
from campaigns.models import User
from campaigns.rules import require_permission
from campaigns.services import events
from evaluation.models import ScoreSet


def release_scores(*, actor: User, score_set: ScoreSet) -> ScoreSet:
    """Show the score set to participants, permanently. Another one may be released later."""
    campaign = score_set.campaign
    require_permission(actor, "campaigns.manage", campaign)
    with transaction.atomic():
        unreleased = ScoreSet.objects.filter(pk=score_set.pk, released_at__isnull=True)
        if not unreleased.update(released_at=timezone.now(), released_by=actor):
            raise ActionRefused(
                "already-released",
                "These scores have already been released.",
                "Released scores cannot be changed. Evaluate again and release the new score set.",
            )
        events.log_event(
            campaign=campaign,
            actor=actor,
            code="scores.released",
            subject=f"score set {score_set.pk}, qrels {score_set.qrels.version}",
            score_set=score_set.pk,
        )
    score_set.refresh_from_db()
    return score_set
