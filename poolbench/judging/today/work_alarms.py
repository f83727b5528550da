"""Alarms about work: topics without anybody, a standstill, changed guidelines, skips."""

from collections import defaultdict
from collections.abc import Mapping
from datetime import date, timedelta
from itertools import pairwise

from poolbench.files.faults import format_count
from poolbench.judging.today.alarm import Alarm, AlarmCheck, AlarmRule, make_alarm_threshold
from poolbench.judging.today.situation import (
    EPOCH,
    Situation,
    TopicWork,
    count_working_days,
    format_day,
)
from poolbench.verdicts import Act, VerdictState

STANDSTILL = "standstill"
HISTORY = 10
"""Working days since an assessor's first judgment from which on their pauses are known; before, one
working day more has to pass, for many do not judge on every day of the week.
"""
IDLE_DAYS = make_alarm_threshold(
    "idle-days", 2, "working days on which no assessor of the topic has judged anything"
)


def check_idle_topics(situation: Situation) -> AlarmCheck:
    """Topics with documents left whose assessors, each of them, have judged nothing anywhere in
    the campaign for longer than the threshold and than their own longest pause so far; or which
    have no assessor. If that is true of all topics with documents left, judging stands still.
    """
    waiting = [topic for topic in situation.topics if topic.left]
    if situation.is_paused or not waiting:
        return AlarmCheck(examined=len(waiting))
    limit = int(IDLE_DAYS.value)
    work = list_days_of_work(situation)
    idle = [topic for topic in waiting if is_idle(topic, work, situation.today, limit)]
    if not idle:
        return AlarmCheck(examined=len(waiting))
    if len(idle) == len(waiting):
        return AlarmCheck((describe_standstill(idle, work, situation),), len(waiting))
    groups: dict[tuple[str, ...], list[TopicWork]] = defaultdict(list)
    for topic in idle:
        groups[topic.people].append(topic)
    alarms = [describe_idle(topics, people, situation) for people, topics in groups.items()]
    return AlarmCheck(tuple(alarms), len(waiting))


def list_days_of_work(situation: Situation) -> dict[str, list[date]]:
    """By assessor, the days on which they judged, in order."""
    days: dict[str, set[int]] = defaultdict(set)
    log = situation.log
    for at, day in {*zip(log.assessor.tolist(), log.day.tolist(), strict=True)}:
        days[log.assessors[at]].add(day)
    return {
        name: [EPOCH + timedelta(day) for day in sorted(worked)] for name, worked in days.items()
    }


def is_idle(topic: TopicWork, work: Mapping[str, list[date]], today: date, limit: int) -> bool:
    if not topic.people:
        return count_working_days(topic.since, today) >= limit
    return all(
        measure_pause(work.get(name, []), topic.since, today)
        >= compute_allowed_pause(work.get(name, []), today, limit)
        for name in topic.people
    )


def compute_allowed_pause(days: list[date], today: date, limit: int) -> int:
    """The working days without a judgment from which on an assessor is not at work."""
    begun = days[0] if days else today
    # The most working days between two days of work; 0 before there are two.
    longest = max((count_working_days(a, b) for a, b in pairwise(days)), default=0)
    return max(limit if count_working_days(begun, today) >= HISTORY else limit + 1, 1 + longest)


def measure_pause(days: list[date], since: date, today: date) -> int:
    """Working days without a judgment since the last one, or since the topic could be judged."""
    return count_working_days(max([*days[-1:], since]), today)


def describe_standstill(
    idle: list[TopicWork], work: Mapping[str, list[date]], situation: Situation
) -> Alarm:
    days = [worked[-1] for worked in work.values() if worked]
    last = max(days, default=min(topic.since for topic in idle))
    pause = count_working_days(last, situation.today)
    begin = f"since {format_day(last)}" if days else "yet"
    return Alarm(
        STANDSTILL,
        "",
        VerdictState.BAD,
        pause,
        f"Judging stands still: no one has judged {begin}, and {situation.left:,} judgments are "
        f"left on {format_count(len(idle), 'topic')}.",
        f"{pause} working days without a judgment.",
        (Act("See who could judge what", "judging"), Act("Reassign topics", "judging")),
    )


def describe_idle(topics: list[TopicWork], people: tuple[str, ...], situation: Situation) -> Alarm:
    left = sum(topic.left for topic in topics)
    numbers = name_topics(topics)
    pause = max(count_working_days(topic.since, situation.today) for topic in topics)
    if people:
        work = list_days_of_work(situation)
        pause = min(
            measure_pause(work.get(name, []), topic.since, situation.today)
            for name in people
            for topic in topics
        )
    why = f"The last judgments of {', '.join(people)} are {pause} working days old."
    return Alarm(
        "topics-idle",
        ", ".join(people) or "no assessor",
        VerdictState.AMBER,
        pause,
        f"No one has been on {numbers} for {pause} working days; {left:,} judgments are left.",
        why if people else "No assessor is assigned and active.",
        (Act("Reassign them", "judging", documents=left),),
    )


def name_topics(topics: list[TopicWork]) -> str:
    numbers = [topic.number for topic in topics]
    if len(numbers) == 1:
        return f"topic {numbers[0]}"
    if len(numbers) <= 4:
        return f"topics {', '.join(numbers[:-1])} and {numbers[-1]}"
    return f"{len(numbers)} topics ({', '.join(numbers[:3])}, …)"


IDLE_TOPICS = AlarmRule(
    "topics-idle",
    "Topics without anybody at work",
    "A topic has documents left, and none of its assessors has judged anything for so many working "
    "days, nor for longer than their longest pause so far. All such topics: judging stands still.",
    (IDLE_DAYS,),
    worse=2,
    check=check_idle_topics,
)


MOST_UNREAD = make_alarm_threshold(
    "unread",
    20,
    "judgments since the change of the guidelines, all with an older version on the page",
)


def check_guidelines(situation: Situation) -> AlarmCheck:
    """The judgments say which version the assessor has had open."""
    change = situation.guidelines
    if change is None:
        return AlarmCheck(missing="the guidelines have not changed since judging began")
    alarms = tuple(
        Alarm(
            "guidelines-unread",
            f"{name}, version {change.version}",
            VerdictState.AMBER,
            count,
            f"{name} has judged {count:,} documents since the guidelines changed on "
            f"{format_day(change.day)}, and has not opened version {change.version}.",
            "With each of them the page showed an older version, or the new one was folded away.",
            (
                Act("What has changed", "guidelines"),
                Act(f"Write to {name}", "review-new", (name,), documents=count),
            ),
        )
        for name, count in change.unread
        if count >= MOST_UNREAD.value
    )
    return AlarmCheck(alarms, 1)


UNREAD_GUIDELINES = AlarmRule(
    "guidelines-unread",
    "Changed guidelines",
    "Since the guidelines changed, an assessor has judged without opening them.",
    (MOST_UNREAD,),
    worse=50,
    check=check_guidelines,
)


SKIP_DAYS = make_alarm_threshold(
    "skip-days", 2, "working days that a skipped document has waited without an assessor"
)


def check_skips(situation: Situation) -> AlarmCheck:
    limit = SKIP_DAYS.value
    late = [day for day in situation.skips if count_working_days(day, situation.today) >= limit]
    if not late:
        return AlarmCheck(examined=len(situation.skips))
    count = len(late)
    documents = "1 skipped document waits" if count == 1 else f"{count:,} skipped documents wait"
    alarm = Alarm(
        "skips-waiting",
        "",
        VerdictState.AMBER,
        count,
        f"{documents} for no one, the oldest since {format_day(min(late))}.",
        "Every assessor of the topic has skipped it, or the document cannot be read.",
        (Act("Reassign or close them", "judging", documents=count),),
    )
    return AlarmCheck((alarm,), len(situation.skips))


WAITING_SKIPS = AlarmRule(
    "skips-waiting",
    "Skipped documents",
    "A skipped document has waited for so many working days, and no assessor is to judge it.",
    (SKIP_DAYS,),
    worse=5,
    check=check_skips,
)
