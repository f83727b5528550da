"""Assessor training: pairs with a correct grade, which is explained after each answer."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from uuid import UUID

from django.utils.translation import gettext as _

from campaigns.errors import ActionRefused
from campaigns.models import Campaign, User
from campaigns.rules import require_permission
from judging.models import Audience, Judgment, Purpose, TrainingPair
from judging.queries.training import unanswered_pairs
from judging.services.checks import check_grade
from judging.services.judgment_log import (
    JudgmentSubmission,
    append_judgment,
    find_duplicate_submission,
    lock_judging,
    previous_judgments,
    run_with_retries,
)
from judging.services.presentation import resolve_guideline_version


def next_training_pair(*, actor: User, campaign: Campaign) -> TrainingPair | None:
    """The first training pair that the actor has not answered."""
    require_permission(actor, "campaigns.judge", campaign)
    return unanswered_pairs(actor, campaign).first()


def answer_training_pair(
    *,
    actor: User,
    campaign: Campaign,
    pair: TrainingPair,
    grade: int,
    client_uuid: UUID,
    comment: str = "",
    active_seconds: float | None = None,
    guideline_version: int | None = None,
    source: str = Judgment.Source.SCREEN,
) -> Judgment:
    """Save the actor's grade of a training pair; the first answer counts.

    It is kept apart from judgments and never enters qrels.
    """
    require_permission(actor, "campaigns.judge", campaign)
    if pair.campaign_id != campaign.pk or pair.audience != Audience.MEMBERS:
        raise ActionRefused("not-training", _("This document is not in the training set."))
    submission = JudgmentSubmission(
        actor, campaign, pair.topic, pair.docno, Judgment.Kind.GRADE, client_uuid,
        purpose=Purpose.TRAINING, grade=grade, comment=comment, source=source,
        active_seconds=active_seconds, guideline_version=guideline_version,
    )  # fmt: skip
    return run_with_retries(partial(write_answer, submission))


def write_answer(submission: JudgmentSubmission) -> Judgment:
    lock_judging(submission.campaign)
    known = find_duplicate_submission(submission)
    first = previous_judgments(submission).filter(purpose=Purpose.TRAINING).first()
    if known is not None or first is not None:
        return known or first  # type: ignore[return-value]
    check_grade(submission)
    version = resolve_guideline_version(submission, None)
    return append_judgment(replace(submission, guideline_version=version), None)
