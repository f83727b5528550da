"""Training before the real work: pairs whose grade is known, and is explained after each answer."""

from __future__ import annotations

from functools import partial
from uuid import UUID

from django.utils.translation import gettext as _

from campaigns.errors import Refused
from campaigns.models import Campaign, User
from campaigns.rules import require
from judging.models import Judgment, Purpose, TrainingPair
from judging.queries.training import unanswered
from judging.services.checks import check_grade
from judging.services.log import Said, append, lock, repeated, retried, said_before


def next_pair(*, actor: User, campaign: Campaign) -> TrainingPair | None:
    """The first training pair that the actor has not answered."""
    require(actor, "campaigns.judge", campaign)
    return unanswered(actor, campaign).first()


def answer(
    *,
    actor: User,
    campaign: Campaign,
    pair: TrainingPair,
    grade: int,
    client_uuid: UUID,
    comment: str = "",
    active_seconds: float | None = None,
    source: str = Judgment.Source.SCREEN,
) -> Judgment:
    """Write down the actor's grade of a training pair; the first answer stands.

    It is kept apart from the real judgments and never enters qrels.
    """
    require(actor, "campaigns.judge", campaign)
    if pair.campaign_id != campaign.pk:
        raise Refused("not-training", _("This document is not among those for training."))
    said = Said(
        actor, campaign, pair.topic, pair.docno, Judgment.Kind.GRADE, client_uuid,
        purpose=Purpose.TRAINING, grade=grade, comment=comment, source=source,
        active_seconds=active_seconds,
    )  # fmt: skip
    return retried(partial(write_answer, said))


def write_answer(said: Said) -> Judgment:
    lock(said.campaign)
    known = repeated(said)
    first = said_before(said).filter(purpose=Purpose.TRAINING).first()
    if known is not None or first is not None:
        return known or first  # type: ignore[return-value]
    check_grade(said)
    return append(said, None)
