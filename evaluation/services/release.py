"""Release scores to participants. Release is permanent."""

from __future__ import annotations

from functools import partial

from django.db import transaction
from django.urls import reverse
from django.utils import timezone

from campaigns.confirmation import Decision
from campaigns.errors import ActionRefused
from campaigns.models import Campaign, User
from campaigns.queries.mail import list_team_members
from campaigns.rules import require_permission
from campaigns.services import events
from campaigns.services.campaigns import close_if_chosen
from campaigns.services.decisions import check_decision
from campaigns.services.mail import TAKE_BACK, queue_mail
from evaluation.models import ScoreSet
from evaluation.queries.confirmations import describe_release


def release_scores(
    *, actor: User, score_set: ScoreSet, decision: Decision | None = None
) -> ScoreSet:
    """Show the score set to participants, permanently; close submission with it if ``decision``
    says so. Another score set may be released later. Mails to the teams wait for 15 minutes.
    """
    require_permission(actor, "campaigns.manage", score_set.campaign)
    with transaction.atomic():
        # Locked, so that a withdrawal comes before, or knows that scores are released; read
        # anew, since deadline and visibility are among the facts.
        locked = Campaign.objects.select_for_update(no_key=True)
        campaign = score_set.campaign = locked.get(pk=score_set.campaign_id)
        check_not_released(score_set)
        confirmed = check_decision(partial(describe_release, score_set), decision)
        close_if_chosen(actor, campaign, decision)
        unreleased = ScoreSet.objects.filter(pk=score_set.pk, released_at__isnull=True)
        now = timezone.now()
        unreleased.update(released_at=now, released_by=actor)
        subject = f"score set {score_set.pk}, qrels {score_set.qrels.version}"
        data = {"score_set": score_set.pk, **confirmed}
        events.log_event(campaign, actor, "scores.released", subject, **data)
        queue_mail(
            "scores_released",
            list_team_members(campaign),
            key=f"score set {score_set.pk}, {now:%Y-%m-%dT%H:%M:%S}",
            campaign=campaign,
            path=reverse("scores", args=[campaign.slug]),
            delay=TAKE_BACK,
        )
    score_set.refresh_from_db()
    return score_set


def check_not_released(score_set: ScoreSet) -> None:
    if ScoreSet.objects.filter(pk=score_set.pk, released_at__isnull=False).exists():
        raise ActionRefused(
            "already-released",
            "These scores have already been released.",
            "Released scores cannot be changed. Evaluate again and release the new score set.",
        )
