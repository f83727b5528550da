"""How often the alarms of *Today* sound in campaigns in which nothing is wrong, and in others.

    python benchmarks/alarms.py [CAMPAIGNS [SEED]]

Simulates whole judging campaigns day by day and runs all rules on the morning of each day. Prints,
for each rule, the share of campaign-days and of campaigns with an alarm, with Wilson's interval;
then the coverage of the forecast; then how soon each rule sounds after something went wrong.
"""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from common.statistics.proportions import wilson_estimate
from common.verdicts import set_thresholds
from judging.core.today.forecast import forecast_end
from judging.core.today.registry import ALARM_RULES, ALARM_THRESHOLDS, check_alarms
from judging.core.today.situation import (
    BlindRepeat,
    GuidelineChange,
    Situation,
    TopicWork,
    WorkLog,
)
from judging.core.today.working_days import (
    add_working_days,
    count_days,
    count_working_days,
)

START = date(2026, 9, 7)
SCALE = (0, 1, 2, 3)
LIMITS = set_thresholds(ALARM_THRESHOLDS, {})


@dataclass(frozen=True)
class Fault:
    """What goes wrong on day ``day``: ``kind`` is one of ``FAULTS``."""

    kind: str
    day: int = 8


FAULTS = ("none", "agreement", "pace", "grades", "repeats", "idle", "late", "guidelines", "skips")


class SimulatedCampaign:
    """Assessors with their own pace, bias and working days; topics with their own prevalence.

    Every document of half of the topics is judged twice. A grade is the document's true grade with
    noise of the assessor (so that alpha is about 0.7), a second judgment of the same assessor (a
    blind repeat, one in ten) repeats it nearly always.
    """

    def __init__(self, seed: int, fault: Fault) -> None:
        self.rng = np.random.default_rng(seed)
        rng, self.fault = self.rng, fault
        self.people = [f"a{at}" for at in range(int(rng.integers(2, 9)))]
        self.topics = [str(at + 1) for at in range(int(rng.integers(6, 31)))]
        self.depth = int(rng.integers(60, 200))
        self.seconds = rng.lognormal(np.log(12), 0.5, len(self.people))
        self.ease = rng.lognormal(0.0, 0.25, len(self.topics))
        self.noise = rng.uniform(0.15, 0.33, len(self.people))
        self.prevalence = rng.beta(1.2, 4.0, len(self.topics)).clip(0.08, 0.8)
        self.truth = [self.draw_truth(at) for at in range(len(self.topics))]
        # Some judge on three days a week, the same ones.
        self.weekdays = [
            {0, 1, 2, 3, 4} if rng.random() < 0.7 else set(rng.permutation(5)[:3].tolist())
            for _ in self.people
        ]
        self.per_day = rng.lognormal(np.log(90), 0.3, len(self.people))
        self.queues = self.assign()
        self.total = sum(len(queue) for queue in self.queues)
        weekly = sum(self.per_day[at] * len(self.weekdays[at]) for at in range(len(self.people)))
        slack = 1.4 if fault.kind != "late" else 0.6
        # The slowest assessor ends last; the plan is made with slack for that.
        longest = max(
            len(queue) / (self.per_day[at] * len(self.weekdays[at]) / 5)
            for at, queue in enumerate(self.queues)
        )
        days = int(np.ceil(max(longest, self.total / weekly * 5) * slack))
        self.deadline = add_working_days(START, days)
        self.rows: list[tuple[int, int, int, int, int, float]] = []
        self.repeats: list[BlindRepeat] = []
        self.counts: Counter[int] = Counter()
        self.skips: list[date] = []
        self.unread: Counter[str] = Counter()
        self.changed: date | None = None

    def draw_truth(self, topic: int) -> np.ndarray:
        relevant = self.rng.random(self.depth) < self.prevalence[topic]
        return np.where(relevant, self.rng.integers(1, 4, self.depth), 0)

    def assign(self) -> list[list[tuple[int, int]]]:
        """Topic by topic: one assessor, or two for every second topic; documents at random."""
        queues: list[list[tuple[int, int]]] = [[] for _ in self.people]
        for topic in range(len(self.topics)):
            for at in range(2 if topic % 2 == 0 and len(self.people) > 1 else 1):
                person = (topic + at) % len(self.people)
                documents = self.rng.permutation(self.depth).tolist()
                queues[person] += [(topic, document) for document in documents]
        return queues

    def play_day(self, number: int, day: date) -> None:
        broken = number >= self.fault.day
        for at in range(len(self.people)):
            if day.weekday() not in self.weekdays[at]:
                continue
            if self.fault.kind == "idle" and broken and at == 0:
                continue
            wanted = int(self.rng.poisson(self.per_day[at] * self.rng.lognormal(-0.04, 0.3)))
            for topic, document in self.queues[at][:wanted]:
                self.judge(at, topic, document, day, broken)
            del self.queues[at][:wanted]
        if self.fault.kind == "guidelines" and broken and self.changed is None:
            self.changed = day

    def judge(self, at: int, topic: int, document: int, day: date, broken: bool) -> None:
        kind, rng = self.fault.kind, self.rng
        noise = self.noise[at]
        hit = broken and at == 0
        if broken and kind == "agreement" and topic % 4 == 0 and at % 2:
            noise = 3.0
        grade = int(np.clip(np.rint(self.truth[topic][document] + rng.normal(0, noise)), 0, 3))
        if hit and kind == "grades" and rng.random() < 0.6:
            grade = max(grade, 1)
        seconds = self.seconds[at] * self.ease[topic] * rng.lognormal(0, 0.8)
        if hit and kind == "pace":
            seconds /= 3
        self.rows.append((at, topic, document, grade, count_days(day), seconds))
        self.counts[count_days(day)] += 1
        if rng.random() < 0.1:
            wrong = 0.5 if hit and kind == "repeats" else 0.06
            self.repeats.append(BlindRepeat(self.people[at], rng.random() >= wrong))
        if rng.random() < 0.01:
            # An organizer looks after skips on the next working day.
            self.skips.append(day)
        if hit and self.changed:
            self.unread[self.people[at]] += 1

    def describe(self, day: date) -> Situation:
        rows = np.array(self.rows) if self.rows else np.zeros((0, 6))
        left = [Counter(topic for topic, _ in queue) for queue in self.queues]
        topics = tuple(
            TopicWork(
                number,
                sum(counts[at] for counts in left),
                tuple(name for name, counts in zip(self.people, left, strict=True) if counts[at]),
                START - timedelta(1),
            )
            for at, number in enumerate(self.topics)
        )
        limit = 2 if self.fault.kind != "skips" else 99
        waiting = [skip for skip in self.skips if count_working_days(skip, day) < limit]
        change = None
        if self.changed:
            change = GuidelineChange(2, self.changed, tuple(self.unread.items()))
        log = WorkLog(
            tuple(self.people),
            tuple(self.topics),
            rows[:, 0].astype(np.int64),
            rows[:, 1].astype(np.int64),
            (rows[:, 1] * 10_000 + rows[:, 2]).astype(np.int64),
            rows[:, 3].astype(np.int64),
            rows[:, 4].astype(np.int64),
            rows[:, 5],
            np.ones(len(rows), np.bool_),
            np.zeros(len(rows), np.bool_),
        )
        remaining = sum(len(queue) for queue in self.queues)
        return Situation(
            day, SCALE, 1, log, len(rows), self.total, remaining, topics, dict(self.counts),
            dict(zip(self.people, map(len, self.queues), strict=True)), tuple(self.repeats), change,
            tuple(waiting), self.deadline,
        )  # fmt: skip


def play(seed: int, fault: Fault) -> tuple[list[set[str]], list[bool], int]:
    """The alarms of each day; whether each forecast's interval held; the day of the fault."""
    campaign = SimulatedCampaign(seed, fault)
    alarms: list[set[str]] = []
    forecasts = []
    day = START
    for number in range(200):
        situation = campaign.describe(day)
        if number and not situation.left:
            break
        if number:
            outcomes = check_alarms(situation, LIMITS)
            alarms.append({alarm.name for row in outcomes for alarm in row.check.alarms})
            forecasts.append(forecast_end(situation))
        campaign.play_day(number, day)
        day += timedelta(1)
    held = [
        forecast.soonest <= day <= forecast.latest
        for forecast in forecasts
        if forecast.soonest and forecast.latest
    ]
    return alarms, held, fault.day


def report_quiet(campaigns: int, seed: int) -> None:
    days: Counter[str] = Counter()
    whole: Counter[str] = Counter()
    total, covered = 0, []
    for at in range(campaigns):
        alarms, held, _ = play(seed + at, Fault("none"))
        total += len(alarms)
        covered += held
        for names in alarms:
            days.update(names)
        whole.update(set().union(*alarms) if alarms else ())
    print(f"{campaigns} quiet campaigns, {total} campaign-days\n")
    print("| alarm | days with it | 95 % interval | campaigns with it |\n|---|---|---|---|")
    for name in [rule.name for rule in ALARM_RULES] + ["standstill"]:
        share = wilson_estimate(days[name], total)
        print(
            f"| {name} | {days[name] / total:.2%} | {share.low or 0:.2%} to {share.high or 0:.2%} "
            f"| {whole[name] / campaigns:.1%} |"
        )
    print(f"\nend within the 90 % interval: {np.mean(covered):.1%} of {len(covered)} mornings\n")


def report_faults(campaigns: int, seed: int) -> None:
    print("| fault | campaigns in which its alarm sounds | median working days until then |")
    print("|---|---|---|")
    rules = dict(
        zip(
            FAULTS[1:],
            (
                "agreement-fell", "pace-changed", "grades-shifted", "repeats-disagree",
                "topics-idle", "end-late", "guidelines-unread", "skips-waiting",
            ),
            strict=True,
        )
    )  # fmt: skip
    for kind, name in rules.items():
        delays, enough = [], 0
        for at in range(campaigns):
            fault = Fault(kind, 8 if kind != "late" else 0)
            alarms, _, begins = play(seed + 50_000 + at, fault)
            # ``alarms[n]`` is the morning of day n + 1.
            later = alarms[begins:]
            if len(later) < 5:
                continue
            enough += 1
            first = next((n for n, names in enumerate(later, 1) if name in names), None)
            if first is None and kind == "idle":
                first = next((n for n, x in enumerate(later, 1) if "standstill" in x), None)
            if first is not None:
                delays.append(first * 5 / 7)
        middle = f"{np.median(delays):.0f}" if delays else "–"
        print(f"| {kind} | {len(delays)} of {enough} | {middle} |", flush=True)


if __name__ == "__main__":
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    first = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    report_quiet(count, first)
    report_faults(min(count, 20), first)
