"""How the assessors did in training, for the organizer."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, F, Max, Min

from campaigns.models import Campaign, Role, User
from judging.models import Judgment, Purpose, TrainingPair
from judging.queries.judgments import current_judgments


@dataclass(frozen=True)
class TrainingProgress:
    """``right`` of ``answered`` had the known grade; ``off`` is the mean distance of grades,
    None before the first answer.
    """

    user: User
    answered: int
    right: int
    of: int
    off: float | None
    last: datetime | None

    @property
    def finished(self) -> bool:
        return self.answered >= self.of

    @property
    def percent(self) -> float | None:
        return 100 * self.right / self.answered if self.answered else None


@dataclass(frozen=True)
class TrainingPairResult:
    """A training pair with the answers it got, by grade: how often, ascending."""

    pair: TrainingPair
    answers: list[tuple[int, int]]
    right: int
    of: int


def list_training_progress(campaign: Campaign) -> list[TrainingProgress]:
    """Every assessor of the campaign, by name."""
    known = {(p.topic_id, p.docno): p.grade for p in campaign.training.all()}
    answers: dict[int, list[tuple[int, datetime]]] = defaultdict(list)
    for topic, docno, assessor, grade, at in list_training_answers(campaign):
        if (topic, docno) in known:
            answers[assessor].append((abs(grade - known[topic, docno]), at))
    roles = campaign.members.filter(role=Role.ASSESSOR).values("user")
    progress = []
    for user in User.objects.filter(pk__in=roles).order_by("username"):
        own = answers[user.pk]
        off = sum(apart for apart, _ in own) / len(own) if own else None
        right = sum(apart == 0 for apart, _ in own)
        last = max((at for _, at in own), default=None)
        progress.append(TrainingProgress(user, len(own), right, len(known), off, last))
    return progress


def list_training_pairs(campaign: Campaign) -> list[TrainingPairResult]:
    """Every training pair in order, with what was answered."""
    answers: dict[tuple[int, str], dict[int, int]] = defaultdict(lambda: defaultdict(int))
    for topic, docno, _, grade, _ in list_training_answers(campaign):
        answers[topic, docno][grade] += 1
    results = []
    for pair in campaign.training.select_related("topic"):
        own = answers[pair.topic_id, pair.docno]
        results.append(
            TrainingPairResult(pair, sorted(own.items()), own[pair.grade], sum(own.values()))
        )
    return results


def list_training_answers(campaign: Campaign) -> list[tuple[int, str, int, int, datetime]]:
    """``(topic, docno, assessor, grade, at)`` of every answer."""
    rows = current_judgments(campaign, purpose=Purpose.TRAINING).order_by("pk")
    return [
        (topic, docno, user, grade or 0, at)
        for topic, docno, user, grade, at in rows.values_list(
            "topic", "docno", "assessor", "grade", "judged_at"
        )
    ]


def is_locked(campaign: Campaign) -> bool:
    """Has anybody answered? Then all shall be asked the same."""
    return Judgment.objects.filter(campaign=campaign, purpose=Purpose.TRAINING).exists()


@dataclass(frozen=True)
class AgreedPair:
    """A pair that ``count`` people judged alike, all who judged it."""

    topic_id: int
    number: str
    docno: str
    grade: int
    count: int


def list_agreed_pairs(campaign: Campaign, limit: int = 100) -> list[AgreedPair]:
    """Pairs that could train others: those judged alike by the most people, by topic.

    Pairs that are in training already are left out.
    """
    taken = set(campaign.training.values_list("topic", "docno"))
    pair = ("topic", "topic__number", "docno", "topic__position")
    cast = current_judgments(campaign).filter(grade__gte=0).order_by().values_list(*pair)
    alike = cast.annotate(given=Count("pk"), low=Min("grade"), high=Max("grade"))
    alike = alike.filter(low=F("high")).order_by("-given", "topic__position", "docno")
    return [
        AgreedPair(topic, number, docno, grade, count)
        for topic, number, docno, _, count, grade, _ in alike[: limit + len(taken)]
        if (topic, docno) not in taken
    ][:limit]
