"""Release scores to participants, and publish them to everybody. Both are permanent."""

from functools import partial

from django.db import transaction
from django.urls import reverse
from django.utils import timezone

from campaigns.confirmation import Decision
from campaigns.errors import ActionRefused
from campaigns.models import Campaign, User
from campaigns.queries.mail import list_people_of_teams
from campaigns.rules import require_permission
from campaigns.services import events
from campaigns.services.campaigns import close_if_chosen
from campaigns.services.decisions import check_decision
from campaigns.services.mail import TAKE_BACK, queue_mail
from evaluation.models import ScorePublication, ScoreSet
from evaluation.queries.confirmations import describe_publication, describe_release


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
            list_people_of_teams(campaign),
            key=f"score set {score_set.pk}, {now:%Y-%m-%dT%H:%M:%S}",
            campaign=campaign,
            path=reverse("scores", args=[campaign.slug]),
            delay=TAKE_BACK,
        )
    score_set.refresh_from_db()
    return score_set


def publish_scores(
    *, actor: User, score_set: ScoreSet, decision: Decision | None = None
) -> ScorePublication:
    """Show a released score set on the public page, as the campaign's board says now."""
    require_permission(actor, "campaigns.manage", score_set.campaign)
    with transaction.atomic():
        locked = Campaign.objects.select_for_update(no_key=True)
        campaign = score_set.campaign = locked.get(pk=score_set.campaign_id)
        score_set.refresh_from_db(fields=["released_at"])
        check_publishable(score_set)
        confirmed = check_decision(partial(describe_publication, score_set), decision)
        publication = ScorePublication.objects.create(
            campaign=campaign, score_set=score_set, board=campaign.board, by=actor
        )
        data = {"score_set": score_set.pk, "board": campaign.board, **confirmed}
        events.log_event(campaign, actor, "scores.published", f"score set {score_set.pk}", **data)
    return publication


def check_publishable(score_set: ScoreSet) -> None:
    """Refuse scores that teams do not know, and those that are published just so."""
    if score_set.released_at is None:
        fix = "Release them to the teams first."
        raise ActionRefused("not-released", "These scores are not released.", fix)
    newest = score_set.campaign.score_publications.first()
    same = (score_set.pk, score_set.campaign.board)
    if newest is not None and (newest.score_set_id, newest.board) == same:
        raise ActionRefused("already-published", "These scores are published already.")


def check_not_released(score_set: ScoreSet) -> None:
    if ScoreSet.objects.filter(pk=score_set.pk, released_at__isnull=False).exists():
        raise ActionRefused(
            "already-released",
            "These scores have already been released.",
            "Released scores cannot be changed. Evaluate again and release the new score set.",
        )
