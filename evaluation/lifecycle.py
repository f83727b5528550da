"""Scores in the life cycle of a campaign."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Exists, OuterRef, Subquery
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from campaigns.errors import lowercase_label
from campaigns.lifecycle.campaign import CampaignFacts
from campaigns.lifecycle.registry import (
    OUTER,
    AppFacts,
    AudienceLine,
    CampaignDate,
    LifeCycle,
    Phase,
    Status,
    Tab,
    Task,
    Text,
)
from campaigns.lifecycle.status import count_rows_subquery
from campaigns.lifecycle.texts import format_moment, ngettext
from campaigns.models import Role
from evaluation.models import ScorePublication, ScoreSet
from judging.lifecycle import JudgingFacts
from judging.queries.newer_judgments import list_newer_judgments


@dataclass(frozen=True)
class ScoreFacts(AppFacts):
    """``latest``, ``qrels`` and ``latest_released_at`` belong to the latest score set,
    ``released``, ``released_qrels`` and ``released_at`` to the latest released one; the first of
    each are IDs. ``newer``: judgments newer than the released qrels.
    """

    latest: int | None
    released: int | None
    qrels: int | None
    latest_released_at: datetime | None
    released_at: datetime | None
    released_qrels: int | None
    is_published: bool
    newer: int

    @classmethod
    def columns(cls) -> dict[str, Any]:
        sets = ScoreSet.objects.filter(campaign=OUTER)
        released = sets.filter(released_at__isnull=False).order_by("-released_at", "-pk")
        return {
            "latest": Subquery(sets.values("pk")[:1]),
            "released": Subquery(released.values("pk")[:1]),
            "qrels": Subquery(sets.values("qrels__version")[:1]),
            "latest_released_at": Subquery(sets.values("released_at")[:1]),
            "released_at": Subquery(released.values("released_at")[:1]),
            "released_qrels": Subquery(released.values("qrels__version")[:1]),
            "is_published": Exists(ScorePublication.objects.filter(campaign=OUTER)),
            "newer": count_rows_subquery(list_newer_judgments(OUTER, find_released_moment())),
        }


def find_released_moment() -> Subquery:
    """The time up to which the released qrels have judgments, within a query of judgments."""
    # The campaign of the row, not of the judgment: so it is looked up once, and not for each.
    released = ScoreSet.objects.filter(campaign=OuterRef(OUTER), released_at__isnull=False)
    return Subquery(released.order_by("-released_at", "-pk").values("qrels__as_of")[:1])


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
    outdated = facts.newer > 0 and qrels == facts.released_qrels
    newer = ngettext(
        "%(n)s judgment is newer than the released qrels: freeze a version, evaluate",
        "%(n)s judgments are newer than the released qrels: freeze a version, evaluate",
        facts.newer,
    )
    return [
        Task(outdated, newer, "qrels-list", _("Freeze qrels")),
        Task(unscored, no_scores, "scores", _("Evaluate runs")),
        Task(unreleased, not_released, "scores", _("Release scores")),
    ]


def participant_tasks(status: Status) -> list[Task]:
    text, action = _("Scores released"), _("View your scores")
    return [Task(has_released(status), text, "scores", action, first=True)]


def list_score_dates(status: Status) -> list[CampaignDate]:
    released_at, label = status.get(ScoreFacts).released_at, _("Scores released")
    return [CampaignDate(released_at, label, label)] if released_at else []


def list_score_audiences(status: Status) -> list[AudienceLine]:
    """Who reads scores today, and after a release."""
    board = lowercase_label(status.campaign.get_board_display())
    if has_released(status):
        readers, page = _("organizers; each team: %(board)s") % {"board": board}, "scores"
        if status.get(ScoreFacts).is_published:
            readers += "; " + _("everybody on the public page")
        if status.is_organizer:
            page = "visibility-change"
        return [AudienceLine(_("Scores"), readers, page if _reads_scores(status) else "")]
    readers = _("organizers; after the release each team: %(board)s") % {"board": board}
    return [AudienceLine(_("Scores"), readers, "campaign-settings" if status.is_organizer else "")]


def _reads_scores(status: Status) -> bool:
    return status.is_organizer or status.is_participant


SCORES = Phase(
    name="scores",
    label=gettext_lazy("Scores"),
    begun=lambda status: status.get(ScoreFacts).qrels is not None,
    done=has_released,
    note=describe_scores_phase,
    pages={Role.ORGANIZER: "scores", Role.PARTICIPANT: "scores"},
)
READERS, ORGANIZER = (Role.ORGANIZER, Role.PARTICIPANT), (Role.ORGANIZER,)
SCORES_PATH, INTERIM_PATH = ("results/scores",), ("results/scores/now",)


def get_score_set_arguments(status: Status) -> dict[str, int] | None:
    """The latest score set that the user may read."""
    facts = status.get(ScoreFacts)
    score_set = facts.latest if status.is_organizer else facts.released
    return None if score_set is None else {"pk": score_set}


def build_set_tab(position: int, label: Text, page: str, word: str) -> Tab:
    paths = (f"results/scores/<int:pk>/{word}",)
    return Tab("results", position, label, page, paths, READERS, arguments=get_score_set_arguments)


PROMPTS = "results/prompts"
"""The prompts of models whose grades scores have used, released to teams."""
TABS = (
    Tab("results", 10, gettext_lazy("Leaderboard"), "scores", (*SCORES_PATH, PROMPTS), READERS),
    Tab("results", 15, gettext_lazy("For a paper"), "paper", ("results/paper",), READERS),
    build_set_tab(20, gettext_lazy("Compare"), "compare", "compare"),
    build_set_tab(30, gettext_lazy("All pairs"), "pairs", "pairs"),
    build_set_tab(40, gettext_lazy("Measures compared"), "measures-compared", "measures"),
    Tab("results", 45, gettext_lazy("Interim scores"), "interim-scores", INTERIM_PATH, ORGANIZER),
    Tab("results", 46, gettext_lazy("Estimates"), "estimates", ("results/estimates",), ORGANIZER),
)
LIFE_CYCLE = LifeCycle(
    facts=ScoreFacts,
    phases=(SCORES,),
    tasks={Role.ORGANIZER: evaluation_tasks, Role.PARTICIPANT: participant_tasks},
    tabs=TABS,
    dates=(list_score_dates,),
    audiences=(list_score_audiences,),
)
