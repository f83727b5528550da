"""Scores in the life cycle of a campaign."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Subquery
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from campaigns.lifecycle.campaign import CampaignFacts
from campaigns.lifecycle.registry import (
    AppFacts,
    LifeCycle,
    Phase,
    Status,
    Tab,
    Task,
    Viewer,
)
from campaigns.lifecycle.texts import format_moment
from campaigns.models import Role
from evaluation.models import ScoreSet
from judging.lifecycle import JudgingFacts


@dataclass(frozen=True)
class ScoreFacts(AppFacts):
    """``qrels`` and ``latest_released_at`` belong to the latest score set, ``released_at`` to
    the latest released one.
    """

    qrels: int | None
    latest_released_at: datetime | None
    released_at: datetime | None

    @classmethod
    def columns(cls, viewer: Viewer) -> dict[str, Any]:
        sets = ScoreSet.objects.filter(campaign=viewer.campaign)
        released = sets.filter(released_at__isnull=False).order_by("-released_at")
        return {
            "qrels": Subquery(sets.values("qrels__version")[:1]),
            "latest_released_at": Subquery(sets.values("released_at")[:1]),
            "released_at": Subquery(released.values("released_at")[:1]),
        }


def has_released(status: Status) -> bool:
    return status.get(ScoreFacts).released_at is not None


def describe_scores_phase(status: Status) -> list[str]:
    facts = status.get(ScoreFacts)
    if facts.released_at:
        return [_("released %(at)s") % {"at": format_moment(facts.released_at)}]
    return [_("not released")] if status.is_organizer and facts.qrels else []


def evaluation_tasks(status: Status) -> list[Task]:
    facts, qrels = status.get(ScoreFacts), status.get(JudgingFacts).qrels
    unscored = qrels not in (None, facts.qrels) and status.get(CampaignFacts).runs > 0
    no_scores = _("No scores for qrels %(number)s") % {"number": qrels}
    unreleased = facts.qrels is not None and facts.latest_released_at is None and not unscored
    not_released = _("Scores not released")
    if has_released(status):
        not_released = _("Latest scores not released")
    return [
        Task(unscored, no_scores, "scores", _("Evaluate runs")),
        Task(unreleased, not_released, "scores", _("Release scores")),
    ]


def release_steps(status: Status) -> list[Task]:
    text = _("Scores released. Freeze a new qrels version to include later judgments")
    return [Task(has_released(status), text, "qrels-list")]


def participant_tasks(status: Status) -> list[Task]:
    text, action = _("Scores released"), _("View your scores")
    return [Task(has_released(status), text, "scores", action, first=True)]


SCORES = Phase(
    name="scores",
    label=gettext_lazy("Scores"),
    begun=lambda status: status.get(ScoreFacts).qrels is not None,
    done=has_released,
    note=describe_scores_phase,
    pages={Role.ORGANIZER: "scores", Role.PARTICIPANT: "scores"},
)
READERS = (Role.ORGANIZER, Role.PARTICIPANT)
LIFE_CYCLE = LifeCycle(
    facts=ScoreFacts,
    phases=(SCORES,),
    tasks={Role.ORGANIZER: evaluation_tasks, Role.PARTICIPANT: participant_tasks},
    steps={Role.ORGANIZER: release_steps},
    tabs=(Tab(120, gettext_lazy("Scores"), "scores", ("scores",), READERS),),
)
