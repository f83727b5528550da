"""Training pairs: what an assessor has not answered yet, and the results for the organizer."""

from collections import defaultdict
from dataclasses import dataclass
from datetime import datetime

import numpy as np
from django.db.models import Exists, OuterRef, Q, QuerySet

from campaigns.models import Campaign, User
from judging.models import Audience, Judgment, Plan, Purpose, TrainingPair
from judging.queries.judgments import current_judgments, mark_counting_rows, select_current_grades
from judging.queries.slots import list_assessors
from pooling.queries.judgment_log import Ints, JudgmentLog, read_judgment_log


def list_training(campaign: Campaign, audience: str = Audience.MEMBERS) -> QuerySet[TrainingPair]:
    """The training pairs of ``audience``, in order."""
    pairs = TrainingPair.objects.filter(campaign=campaign, audience=audience)
    return pairs.select_related("topic").order_by("position", "pk")


def unanswered_pairs(
    assessor: User, campaign: Campaign, audience: str = Audience.MEMBERS
) -> QuerySet[TrainingPair]:
    """The training pairs of ``audience`` that ``assessor`` has not judged, in order."""
    answers = Judgment.objects.filter(
        campaign=campaign,
        topic=OuterRef("topic"),
        docno=OuterRef("docno"),
        assessor=assessor,
        purpose=Purpose.TRAINING,
    )
    return list_training(campaign, audience).filter(~Exists(answers))


@dataclass(frozen=True)
class TrainingProgress:
    """``right`` of ``answered`` have the correct grade; ``off`` is the mean grade difference,
    None before the first answer.
    """

    user: User
    answered: int
    right: int
    total: int
    off: float | None
    last: datetime | None

    @property
    def finished(self) -> bool:
        return self.answered >= self.total

    @property
    def percent(self) -> float | None:
        return 100 * self.right / self.answered if self.answered else None


@dataclass(frozen=True)
class TrainingPairResult:
    """A training pair with the number of answers by grade, ascending."""

    pair: TrainingPair
    answers: list[tuple[int, int]]
    right: int
    total: int

    @property
    def in_words(self) -> str:
        if self.pair.audience == Audience.CROWD:
            return f"{self.right} of {self.total} right"
        return ", ".join(f"{count} × {grade}" for grade, count in self.answers)


def list_training_progress(campaign: Campaign) -> list[TrainingProgress]:
    """Every assessor of the campaign, by username."""
    known = {
        (p.topic_id, p.docno): p.grade for p in campaign.training.filter(audience=Audience.MEMBERS)
    }
    answers: dict[int, list[tuple[int, datetime]]] = defaultdict(list)
    for topic, docno, assessor, grade, at in list_training_answers(campaign):
        if (topic, docno) in known:
            answers[assessor].append((abs(grade - known[topic, docno]), at))
    progress = []
    for user in list_assessors(campaign):
        own = answers[user.pk]
        off = sum(difference for difference, _ in own) / len(own) if own else None
        right = sum(difference == 0 for difference, _ in own)
        last = max((at for _, at in own), default=None)
        progress.append(TrainingProgress(user, len(own), right, len(known), off, last))
    return progress


def list_training_pairs(
    campaign: Campaign, audience: str = Audience.MEMBERS
) -> list[TrainingPairResult]:
    """Every training pair of ``audience`` in order, with its answers."""
    answers: dict[tuple[int, str], dict[int, int]] = defaultdict(lambda: defaultdict(int))
    for topic, docno, _, grade, _ in list_training_answers(campaign, audience):
        answers[topic, docno][grade] += 1
    results = []
    for pair in campaign.training.filter(audience=audience).select_related("topic"):
        own = answers[pair.topic_id, pair.docno]
        results.append(
            TrainingPairResult(pair, sorted(own.items()), own[pair.grade], sum(own.values()))
        )
    return results


def list_training_answers(
    campaign: Campaign, audience: str = Audience.MEMBERS
) -> list[tuple[int, str, int, int, datetime]]:
    """``(topic, docno, assessor, grade, at)`` of every answer by ``audience``."""
    if not read_judgment_log(campaign).select_rows(Purpose.TRAINING).any():
        return []
    rows = current_judgments(campaign, purpose=Purpose.TRAINING).filter(filter_audience(audience))
    return [
        (topic, docno, user, grade or 0, at)
        for topic, docno, user, grade, at in rows.order_by("pk").values_list(
            "topic", "docno", "assessor", "grade", "judged_at"
        )
    ]


def filter_audience(audience: str) -> Q:
    """Within a query of judgments: those of crowd workers, or those of all others."""
    return Q(assessor__crowd_worker__isnull=audience != Audience.CROWD)


def is_locked(campaign: Campaign, audience: str = Audience.MEMBERS) -> bool:
    """Whether anybody of ``audience`` has answered; from then on all must get the same pairs.

    Of crowd workers, those of plans that are not closed, trials aside.
    """
    if not read_judgment_log(campaign).select_rows(Purpose.TRAINING).any():
        return False
    answers = Judgment.objects.filter(campaign=campaign, purpose=Purpose.TRAINING)
    answers = answers.filter(filter_audience(audience))
    if audience == Audience.CROWD:
        answers = answers.exclude(Q(unit__trial=True) | Q(unit__plan__state=Plan.State.CLOSED))
    return answers.exists()


@dataclass(frozen=True)
class AgreedPair:
    """A pair to which all ``count`` assessors gave the same grade."""

    topic_id: int
    number: str
    docno: str
    grade: int
    count: int


def list_agreed_pairs(
    campaign: Campaign, limit: int = 100, audience: str = Audience.MEMBERS
) -> list[AgreedPair]:
    """Candidates for training: pairs with unanimous grades, most assessors first, by topic.

    Without pairs that are already in the training set of ``audience``.
    """
    taken = set(campaign.training.filter(audience=audience).values_list("topic", "docno"))
    topics = {topic.pk: topic for topic in campaign.topics.all()}
    log = read_judgment_log(campaign)
    pairs, grades, counts = find_agreed_pairs(campaign, log)
    position = {pk: at for at, pk in enumerate(topics)}
    places = np.array([position[pk] for pk in log.pair_topics[pairs].tolist()], np.int64)
    rank = places - counts * len(topics)
    # Only the docnos of topics that are shown are compared: there are many pairs.
    last = limit + len(taken)
    chosen = np.flatnonzero(rank <= np.sort(rank)[:last].max(initial=rank.min(initial=0)))
    agreed = []
    docnos = log.pair_docnos
    for at in sorted(chosen.tolist(), key=lambda at: (rank[at], docnos[pairs[at]])):
        topic, docno = int(log.pair_topics[pairs[at]]), docnos[pairs[at]]
        if (topic, docno) not in taken:
            row = topic, topics[topic].number, docno, int(grades[at]), int(counts[at])
            agreed.append(AgreedPair(*row))
    return agreed[:limit]


def find_agreed_pairs(campaign: Campaign, log: JudgmentLog) -> tuple[Ints, Ints, Ints]:
    """The pairs of ``log`` with unanimous grades: their numbers, grades, and how many gave them."""
    rows = select_current_grades(log, mark_counting_rows(campaign, log), Purpose.JUDGE)
    rows = rows[log.numbers["grade"][rows] >= 0]
    rows = rows[np.lexsort((log.numbers["grade"][rows], log.pair[rows]))]
    pairs, first, counts = np.unique(log.pair[rows], return_index=True, return_counts=True)
    low, high = (log.numbers["grade"][rows[at]] for at in (first, first + counts - 1))
    alike = low == high
    return pairs[alike], low[alike], counts[alike]
