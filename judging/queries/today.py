"""What the alarms of a day are computed from, read from the log and the plans; and the report."""

from collections import Counter, defaultdict
from datetime import date, datetime, timedelta
from typing import NamedTuple

import numpy as np
from django.db.models import F, Max
from django.utils import timezone

from campaigns.models import Campaign
from campaigns.queries.lists import list_judging_grades
from judging.models import AlarmDismissal, Audience, Judgment, Plan, Purpose, ReviewRequest
from judging.queries.agreement import topic_numbers_by_id, usernames_by_id
from judging.queries.exclusions import list_units_set_aside
from judging.queries.judgments import ON_SCREEN
from judging.queries.remaining import remaining_by_assessor
from judging.queries.tallies import (
    SlotTally,
    add_to_tally,
    assignments_by_topic,
    list_judging_plans,
    list_unresolved_skips,
    tally_topics,
)
from poolbench.judging.today.agreement_fall import compute_recent_alphas
from poolbench.judging.today.first_day import describe_assessors
from poolbench.judging.today.forecast import forecast_end
from poolbench.judging.today.registry import check_alarms, sort_alarms
from poolbench.judging.today.situation import (
    GuidelineChange,
    Situation,
    TopicWork,
    WorkLog,
    count_days,
)
from poolbench.judging.today.verdict import DayProgress, TodayReport, TopicToday, WatchedRule

MOVED = ("plan.assigned", "plan.resumed", "assignment.resumed", "assignment.reassigned")
"""Events after which assessors have a new reason to begin."""
COLUMNS = (
    "purpose", "assessor_id", "topic_id", "docno", "grade", "active_seconds", "order", "third",
    "judged_at", "guideline_version", "unit_id",
)  # fmt: skip


MOST_ANSWERED = 10


def list_aside_alarms(campaign: Campaign) -> dict[tuple[str, str], AlarmDismissal]:
    """By name and subject, the latest row of the alarms that are put aside."""
    rows = AlarmDismissal.objects.filter(campaign=campaign).select_related("actor")
    latest = {(row.name, row.subject): row for row in rows.order_by("pk")}
    return {key: row for key, row in latest.items() if row.aside}


def list_aside_severities(campaign: Campaign) -> tuple[tuple[str, str, float], ...]:
    """Name, subject and severity of the alarms that are put aside."""
    aside = list_aside_alarms(campaign)
    return tuple((name, subject, row.severity) for (name, subject), row in aside.items())


def list_open_reviews(campaign: Campaign) -> list[ReviewRequest]:
    """Newest first, with assessor and organizer; also lists of the assessors' own."""
    rows = ReviewRequest.objects.filter(campaign=campaign, done_at=None)
    return list(rows.select_related("assessor", "requested_by"))


def list_answered_reviews(campaign: Campaign) -> list[ReviewRequest]:
    """The last that assessors finished, with what they answered."""
    rows = ReviewRequest.objects.filter(campaign=campaign, done_at__isnull=False)
    rows = rows.exclude(requested_by=F("assessor"))
    return list(rows.select_related("assessor").order_by("-done_at")[:MOST_ANSWERED])


class FirstGrade(NamedTuple):
    """The circumstances in which an assessor first graded a pair."""

    at: datetime
    seconds: float | None
    shuffled: bool
    third: bool


class DayLogReader:
    """The log in one pass: first and current grades, repeats, judgments by day and version.

    Imports are left out, for they are no work of a day; crowd work counts by day only, since it
    has alarms of its own.
    """

    def __init__(self, campaign: Campaign) -> None:
        self.campaign = campaign
        self.first: dict[tuple[int, int, str], FirstGrade] = {}
        self.grades: dict[tuple[int, int, str], int | None] = {}
        self.repeats: list[tuple[int, int, int]] = []
        self.counts: Counter[int] = Counter()
        self.versions: dict[int, list[tuple[datetime, int]]] = defaultdict(list)
        change = campaign.guideline_versions.first()
        self.change = change if change is not None and change.version > 1 else None

    def read(self) -> None:
        log = Judgment.objects.filter(campaign=self.campaign, purpose__in=ON_SCREEN)
        log = log.exclude(source=Judgment.Source.IMPORT).order_by("pk")
        repeated: set[tuple[int, int, str]] = set()
        counted: set[tuple[int, int, str]] = set()
        units = list_units_set_aside().filter(plan__campaign=self.campaign)
        aside = set(units.values_list("pk", flat=True))
        for row in log.values_list(*COLUMNS).iterator(chunk_size=10_000):
            purpose, assessor, topic, docno, grade, seconds, order, third, at, version, unit = row
            key = assessor, topic, docno
            if purpose == Purpose.JUDGE:
                if grade is not None and key not in counted and unit not in aside:
                    counted.add(key)
                    self.counts[count_days(at.date())] += 1
                if unit is not None:
                    continue
                if grade is not None and key not in self.first:
                    shuffled = order == Plan.Order.RANDOM
                    self.first[key] = FirstGrade(at, seconds, shuffled, third)
                self.grades[key] = grade
            elif unit is None and grade is not None and key not in repeated:
                repeated.add(key)
                before = self.grades.get(key)
                if before is not None and before >= 0 and grade >= 0:
                    self.repeats.append((assessor, before, grade))
            if self.change is not None and at > self.change.at and unit is None:
                self.versions[assessor].append((at, version))

    def list_rows(self) -> list[tuple[tuple[int, int, str], FirstGrade, int]]:
        """Those that are graded now, in order of their first grade."""
        rows = []
        for key, first in self.first.items():
            grade = self.grades[key]
            if grade is not None and grade >= 0:
                rows.append((key, first, grade))
        return rows


def load_situation(campaign: Campaign, today: date) -> Situation:
    reader = DayLogReader(campaign)
    reader.read()
    scale = list_judging_grades(campaign)
    rows = reader.list_rows()
    people = {key[0] for key, _, _ in rows} | {row[0] for row in reader.repeats}
    names = usernames_by_id(people | set(reader.versions))
    log = build_log(rows, names, topic_numbers_by_id(campaign), scale)
    plans = list_judging_plans(campaign)
    tallies = tally_topics([campaign.pk], plans)
    total = add_to_tally(tallies.values())
    working = [plan for plan in plans if not plan.is_closed]
    level = campaign.relevance_level
    deadline = campaign.judging_deadline
    return Situation(
        today=today,
        scale=scale,
        relevant=sum(grade < level for grade in scale),
        log=log,
        judged=total.judged,
        total=total.total - total.dropped,
        left=total.left,
        topics=list_topic_work(campaign, working, tallies),
        counts=dict(reader.counts),
        reserved=count_reserved(campaign),
        repeats=tuple(
            (names[who], (before >= level) == (after >= level))
            for who, before, after in reader.repeats
        ),
        guidelines=describe_change(reader, names),
        skips=list_waiting_skips(campaign) if total.unresolved else (),
        # A deadline at midnight leaves the day before.
        deadline=(deadline - timedelta(microseconds=1)).date() if deadline else None,
        is_paused=total.left > 0 and all(p.state == Plan.State.PAUSED for p in working),
    )


def build_log(
    rows: list[tuple[tuple[int, int, str], FirstGrade, int]],
    names: dict[int, str],
    numbers: dict[int, str],
    scale: tuple[int, ...],
) -> WorkLog:
    people = sorted({key[0] for key, _, _ in rows}, key=lambda pk: names[pk])
    person = {pk: at for at, pk in enumerate(people)}
    topic = {pk: at for at, pk in enumerate(numbers)}
    step = {grade: at for at, grade in enumerate(scale)}
    pairs: dict[tuple[int, str], int] = {}
    known = [row for row in rows if row[2] in step]
    return WorkLog(
        tuple(names[pk] for pk in people),
        tuple(numbers.values()),
        np.array([person[key[0]] for key, _, _ in known], np.int64),
        np.array([topic[key[1]] for key, _, _ in known], np.int64),
        np.array([pairs.setdefault(key[1:], len(pairs)) for key, _, _ in known], np.int64),
        np.array([step[grade] for _, _, grade in known], np.int64),
        np.array([count_days(first.at.date()) for _, first, _ in known], np.int64),
        np.array(
            [np.nan if first.seconds is None else first.seconds for _, first, _ in known],
            np.float64,
        ),
        np.array([first.shuffled for _, first, _ in known], np.bool_),
        np.array([first.third for _, first, _ in known], np.bool_),
    )


def list_topic_work(
    campaign: Campaign, plans: list[Plan], tallies: dict[tuple[int, int], SlotTally]
) -> tuple[TopicWork, ...]:
    """The topics of the open plans with assessors, in the order of the campaign."""
    assigned = assignments_by_topic([campaign.pk])
    moved = campaign.events.filter(code__in=MOVED).aggregate(last=Max("at"))["last"]
    work = []
    for pk, number in topic_numbers_by_id(campaign).items():
        own = [
            plan
            for plan in plans
            if plan.audience == Audience.MEMBERS
            and plan.state == Plan.State.OPEN
            and (plan.pk, pk) in tallies
        ]
        if not own:
            continue
        seats = [seat for plan in own for seat in assigned.get((plan.pk, pk), ())]
        # All are paused: that is a decision, not an oversight.
        if seats and all(seat.paused for seat in seats):
            continue
        since = max(filter(None, (*(plan.created_at for plan in own), moved)))
        people = dict.fromkeys(seat.assessor.username for seat in seats if not seat.paused)
        left = sum(tallies[plan.pk, pk].left for plan in own)
        work.append(TopicWork(number, left, tuple(people), since.date()))
    return tuple(work)


def count_reserved(campaign: Campaign) -> dict[str, int]:
    """By assessor, the documents to come that no other assessor may judge."""
    remaining = remaining_by_assessor(campaign)
    names = usernames_by_id(set(remaining))
    return {
        names[user]: count
        for user, topics in remaining.items()
        if (count := sum(part.most for part in topics.values() if part.most <= part.count))
    }


def describe_change(reader: DayLogReader, names: dict[int, str]) -> GuidelineChange | None:
    """The latest change of the guidelines, if there were judgments before it."""
    change = reader.change
    if change is None or not any(first.at < change.at for first in reader.first.values()):
        return None
    unread = tuple(
        (names[user], len(versions))
        for user, versions in reader.versions.items()
        if all(version < change.version for _, version in versions)
    )
    return GuidelineChange(change.version, change.at.date(), tuple(sorted(unread)))


def list_waiting_skips(campaign: Campaign) -> tuple[date, ...]:
    """For each skipped document that no one is to judge, the day of its last skip."""
    skips = Judgment.objects.filter(
        kind=Judgment.Kind.SKIP, slot__in=list_unresolved_skips([campaign.pk]).values("pk")
    ).order_by()
    return tuple(row["last"].date() for row in skips.values("slot").annotate(last=Max("judged_at")))


def identify_today(campaign: Campaign) -> str:
    """Changes with the day, and each judgment and event of the campaign."""
    judged = campaign.judgments.order_by().aggregate(last=Max("pk"))["last"]
    logged = campaign.events.order_by().aggregate(last=Max("pk"))["last"]
    return f"{timezone.now():%Y-%m-%d} {judged} {logged}"


def load_today_report(campaign: Campaign) -> TodayReport:
    situation = load_situation(campaign, timezone.now().date())
    outcomes = check_alarms(situation)
    alphas = compute_recent_alphas(situation)
    progress = measure_progress(situation)
    return TodayReport(
        progress=progress,
        every_alarm=tuple(sort_alarms(outcomes)),
        aside=list_aside_severities(campaign),
        topics=tuple(
            TopicToday(topic.number, topic.left, tuple(topic.people), alphas.get(topic.number))
            for topic in situation.topics
        ),
        watched=tuple(
            WatchedRule(rule.title, rule.watches, len(check.alarms), check.examined, check.missing)
            for rule, check in outcomes
        ),
        assessors=describe_assessors(situation.log) if progress.is_first_day else (),
    )


def measure_progress(situation: Situation) -> DayProgress:
    today = count_days(situation.today)
    return DayProgress(
        judged=situation.judged,
        total=situation.total,
        left=situation.left,
        yesterday=sum(n for day, n in situation.counts.items() if day >= today - 1),
        days=len(situation.counts),
        skips=len(situation.skips),
        today=situation.today,
        deadline=situation.deadline,
        is_paused=situation.is_paused,
        forecast=forecast_end(situation),
    )
