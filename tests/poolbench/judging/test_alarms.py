"""Each alarm by a table of cases: quiet, sounding, and not yet enough data."""

import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date, timedelta

import numpy as np
import pytest

from poolbench.judging.today.agreement_fall import check_agreement, list_shared_documents
from poolbench.judging.today.alarm import Alarm, AlarmCheck
from poolbench.judging.today.assessor_alarms import check_lowest_grade, check_pace, check_repeats
from poolbench.judging.today.forecast import check_end, forecast_end
from poolbench.judging.today.registry import ALARM_RULES, check_alarms, sort_alarms, split_alarms
from poolbench.judging.today.situation import (
    GuidelineChange,
    Situation,
    TopicWork,
    WorkLog,
    add_working_days,
    count_days,
    count_working_days,
    format_day,
)
from poolbench.judging.today.verdict import DayProgress, TodayReport, judge_today
from poolbench.judging.today.work_alarms import check_guidelines, check_idle_topics, check_skips
from poolbench.plain_data import read_plain, to_plain
from poolbench.verdicts import VerdictState
from tests.poolbench.judging.situations import (
    EMPTY,
    MONDAY,
    TODAY_DATE,
    Row,
    build_log,
    build_situation,
    pace_case,
    repeats,
    shift_case,
)


def slow_ordinal_alpha(units: Sequence[Sequence[int]]) -> float:
    pairs = [(a, b, len(unit) - 1) for unit in units if len(unit) > 1 for a, b in ordered(unit)]
    n = Counter(grade for unit in units if len(unit) > 1 for grade in unit)
    total = sum(n.values())

    def distance(a: int, b: int) -> float:
        low, high = min(a, b), max(a, b)
        return (sum(n[g] for g in n if low <= g <= high) - (n[low] + n[high]) / 2) ** 2

    observed = sum(distance(a, b) / others for a, b, others in pairs if a != b)
    expected = sum(n[a] * n[b] * distance(a, b) for a in n for b in n if a != b)
    return 1 - observed * (total - 1) / expected


def ordered(unit: Sequence[int]) -> list[tuple[int, int]]:
    return [(a, b) for i, a in enumerate(unit) for j, b in enumerate(unit) if i != j]


# ---------- agreement ----------


def shared_rows(first: Sequence[int], second: Sequence[int]) -> list[Row]:
    pairs = enumerate(zip(first, second, strict=True))
    return [row for at, (a, b) in pairs for row in ((0, 0, at, a), (1, 0, at, b))]


ALTERNATING = [0, 1, 0, 2] * 50
UNRELATED = [0, 0, 1, 0, 2] * 40


def shift(grades: Sequence[int], every: int) -> list[int]:
    """Each ``every``-th grade is another one."""
    return [(g + 1) % 3 if at % every == 0 else g for at, g in enumerate(grades)]


@pytest.mark.parametrize(
    ("first", "second", "sounds"),
    [
        (ALTERNATING[:59], UNRELATED[:59], None),  # not yet enough
        (ALTERNATING[:60], ALTERNATING[:60], False),
        (ALTERNATING[:60], shift(ALTERNATING[:60], 20), False),
        (ALTERNATING[:60], UNRELATED[:60], True),  # below the floor
        # It fell, from perfect, and is still above the floor: 150 documents, the last 60 worse.
        (ALTERNATING[:150], ALTERNATING[:90] + shift(ALTERNATING[90:150], 3), True),
        # Too few documents before to speak of a fall.
        (ALTERNATING[:85], ALTERNATING[:25] + shift(ALTERNATING[25:85], 8), False),
        ([0] * 60, [0] * 60, False),  # alpha is undefined
    ],
)
def test_agreement_of_a_topic(first, second, sounds):
    check = check_agreement(build_situation(build_log(shared_rows(first, second))))
    assert check.examined == (0 if sounds is None else 1)
    assert bool(check.alarms) == bool(sounds)
    if sounds is None:
        assert "fewer than 60" in check.missing
    for alarm in check.alarms:
        assert alarm.state is VerdictState.BAD
        assert alarm.subject == "1"
        assert alarm.acts[0].query == {"of": "1"}


def test_alpha_of_shared_documents_is_that_of_the_slow_program():
    rng = np.random.default_rng(4)
    rows = [(a, 0, d, int(rng.integers(0, 3))) for d in range(40) for a in range(2 + d % 2)]
    (shared,) = list_shared_documents(build_log(rows), (0, 1, 2))
    units = [[grade for _, _, d, grade in rows if d == document] for document in range(40)]
    assert shared.compute_alpha(np.ones((1, 40)))[0] == pytest.approx(slow_ordinal_alpha(units))


def test_third_judgments_do_not_make_a_document_shared():
    rows = [(0, 0, 1, 1), (1, 0, 1, 2), (0, 0, 2, 1), (1, 0, 2, 1)]
    shared = list_shared_documents(build_log(rows, third=[False, True, False, False]), (0, 1, 2))
    assert [len(each.coincident) for each in shared] == [1]


def test_a_topic_at_rest_sounds_no_more():
    rows = shared_rows(ALTERNATING[:60], UNRELATED[:60])
    old = build_situation(build_log(rows, day=TODAY_DATE - timedelta(30)))
    assert not check_agreement(old).alarms


# ---------- end ----------


def steady(per_day: int, days: int = 5) -> dict[int, int]:
    last = count_days(TODAY_DATE) - 1
    counts: dict[int, int] = {}
    while len(counts) < days:
        if (date(1970, 1, 1) + timedelta(last)).weekday() < 5:
            counts[last] = per_day + len(counts) % 2
        last -= 1
    return counts


@pytest.mark.parametrize(
    ("left", "days", "deadline", "sounds", "missing"),
    [
        (100, 5, None, False, "no judging deadline"),
        (100, 2, TODAY_DATE + timedelta(30), False, "fewer than 3 days"),
        (100, 5, TODAY_DATE + timedelta(30), False, ""),
        (1_000, 5, TODAY_DATE + timedelta(7), True, ""),
        (0, 5, TODAY_DATE - timedelta(7), False, ""),
        (10, 5, TODAY_DATE - timedelta(7), True, ""),  # closed with judgments missing
    ],
)
def test_end_of_judging(left, days, deadline, sounds, missing):
    situation = build_situation(counts=steady(20, days), left=left, deadline=deadline)
    check = check_end(situation)
    assert bool(check.alarms) == sounds
    assert missing in check.missing if missing else not check.missing


def test_forecast_by_hand():
    """100 left at 20, 21, 20, 21, 20: mean 20.4, T = 4.90; the last of five days is Monday."""
    forecast = forecast_end(build_situation(counts=steady(20), left=100))
    assert forecast.per_day == pytest.approx(20.4)
    assert forecast.end == date(2026, 11, 30)
    # T · exp(± 2.132 · 0.548 / 20.4 · √(1/5 + 1/4.90)): 4.73 to 5.08 working days.
    assert (forecast.soonest, forecast.latest) == (forecast.end, date(2026, 12, 1))


def test_what_is_reserved_for_one_assessor_ends_last():
    counts = steady(20)
    log = build_log([(0, 0, at, 0) for at in range(10)], day=TODAY_DATE - timedelta(1))
    situation = build_situation(log, counts=counts, left=100, reserved={"a0": 90})
    forecast = forecast_end(situation)
    assert forecast.whose == "a0"
    # 90 at 10 a day: nine working days, Tuesday the first.
    assert forecast.end == date(2026, 12, 4)


def test_weekend_work_counts_for_the_friday_before():
    saturday = count_days(date(2026, 11, 21))
    counts = {saturday - 1: 10, saturday: 5, saturday + 2: 15, saturday - 2: 15}
    assert forecast_end(build_situation(counts=counts, left=30)).per_day == pytest.approx(15)


# ---------- topics ----------


def topic(number: str, *people: str, left: int = 10) -> TopicWork:
    return TopicWork(number, left, people, MONDAY - timedelta(30))


def worked(*days: tuple[int, date]) -> WorkLog:
    logs = [build_log([(who, 0, at, 0)], day=day) for at, (who, day) in enumerate(days)]
    first = build_log([(who, 0, at, 0) for at, (who, _) in enumerate(days)])
    return replace(first, day=np.concatenate([log.day for log in logs]))


DAILY = [(0, MONDAY - timedelta(days)) for days in range(28, 0, -1)]


@pytest.mark.parametrize(
    ("log", "topics", "names"),
    [
        # a0 worked on Monday, a1 last on the Wednesday before: three working days ago.
        (
            worked(*DAILY, (0, date(2026, 11, 23)), (1, date(2026, 11, 18))),
            [topic("1", "a0"), topic("2", "a1")],
            ["a1"],
        ),
        # One of two is enough.
        (
            worked(*DAILY, (0, date(2026, 11, 23)), (1, date(2026, 11, 10))),
            [topic("1", "a0", "a1")],
            [],
        ),
        # a1 usually pauses for a week.
        (
            worked(
                *DAILY, (0, date(2026, 11, 23)), (1, date(2026, 10, 20)), (1, date(2026, 11, 16))
            ),
            [topic("1", "a0"), topic("2", "a1")],
            [],
        ),
        # No assessor.
        (worked(*DAILY, (0, date(2026, 11, 23))), [topic("1", "a0"), topic("2")], ["no assessor"]),
        # Nothing left there.
        (worked(*DAILY, (0, date(2026, 11, 23))), [topic("1", "a0"), topic("2", left=0)], []),
    ],
)
def test_topics_without_anybody(log, topics, names):
    check = check_idle_topics(build_situation(log, topics=tuple(topics)))
    assert [alarm.subject for alarm in check.alarms] == names


def test_judging_stands_still_and_pausing_is_no_alarm():
    topics = (topic("1", "a0"), topic("2", "a0"))
    log = worked(*DAILY, (0, date(2026, 11, 18)))
    (alarm,) = check_idle_topics(build_situation(log, topics=topics)).alarms
    assert (alarm.name, alarm.state) == ("standstill", VerdictState.BAD)
    assert "no one has judged since 18 November" in alarm.sentence
    assert not check_idle_topics(build_situation(log, topics=topics, is_paused=True)).alarms


def test_before_the_first_days_one_day_more_has_to_pass():
    begun = replace(topic("1", "a0"), since=date(2026, 11, 19))
    for since, sounds in ((date(2026, 11, 19), False), (date(2026, 11, 18), True)):
        situation = build_situation(topics=(replace(begun, since=since),))
        assert bool(check_idle_topics(situation).alarms) == sounds


# ---------- guidelines and skips ----------


@pytest.mark.parametrize(("change", "names"), [
    (None, []), (GuidelineChange(2, MONDAY), []), (GuidelineChange(2, MONDAY, (("a0", 19),)), []),
    (GuidelineChange(2, MONDAY, (("a0", 20), ("a1", 3))), ["a0, version 2"]),
])  # fmt: skip
def test_guidelines_that_were_not_opened(change, names):
    check = check_guidelines(build_situation(guidelines=change))
    assert [alarm.subject for alarm in check.alarms] == names
    assert bool(check.missing) == (change is None)


@pytest.mark.parametrize(
    ("days", "count"), [([], 0), ([date(2026, 11, 23)], 0), ([date(2026, 11, 19), MONDAY], 2)]
)
def test_skips_that_wait_for_no_one(days, count):
    alarms = check_skips(build_situation(skips=tuple(days))).alarms
    assert [alarm.severity for alarm in alarms] == ([count] if count else [])


# ---------- all of them ----------


@pytest.mark.parametrize("rule", ALARM_RULES, ids=lambda rule: rule.name)
def test_nothing_sounds_without_data(rule):
    check = rule.check(Situation(TODAY_DATE, (0, 1), 1, EMPTY, 0, 0, 0))
    assert check.alarms == ()


def test_alarms_survive_storage_and_bad_ones_come_first():
    situation = build_situation(
        build_log(shared_rows(ALTERNATING[:60], UNRELATED[:60])),
        skips=(MONDAY,),
        guidelines=GuidelineChange(3, MONDAY, (("a0", 40),)),
    )
    alarms = sort_alarms(check_alarms(situation))
    names = [alarm.name for alarm in alarms]
    assert names == ["agreement-fell", "guidelines-unread", "skips-waiting"]
    assert read_plain(tuple[Alarm, ...], json.loads(json.dumps(to_plain(alarms)))) == tuple(alarms)


def test_an_alarm_that_is_put_aside_comes_back_if_it_gets_worse():
    def skips(count: int) -> AlarmCheck:
        return check_skips(build_situation(skips=(MONDAY,) * count))

    aside = {("skips-waiting", ""): 3.0}
    for count, sounds in ((2, False), (3, False), (7, False), (8, True)):
        sounding, quiet = split_alarms(skips(count).alarms, aside)
        assert (bool(sounding), bool(quiet)) == (sounds, not sounds), count


# ---------- the verdict ----------


def progress(situation: Situation, **more: object) -> DayProgress:
    facts = {
        "judged": situation.judged, "total": situation.total, "left": situation.left,
        "yesterday": 20, "days": len(situation.counts), "skips": 0, "today": situation.today,
        "deadline": situation.deadline, "is_paused": False, "forecast": forecast_end(situation),
    }  # fmt: skip
    return DayProgress(**(facts | more))


WORKING = build_situation(counts=steady(20), left=100, judged=100, total=200)
SKIPS = check_skips(replace(WORKING, skips=(MONDAY,))).alarms
FELL = check_agreement(
    build_situation(build_log(shared_rows(ALTERNATING[:60], UNRELATED[:60])))
).alarms


DAYS: list[tuple[dict, Sequence[Alarm], str, str]] = [
    ({}, (), "good", "Everybody can go on: at 20 judgments a working day"),
    ({}, SKIPS, "amber", "1 skipped document waits for no one"),
    ({}, (*FELL, *SKIPS), "bad", "On topic 1 the assessors disagree"),
    ({"days": 1}, (), "unknown", "100 of 200 judgments, on 1 day of work"),
    ({"days": 0}, (), "unknown", "All 100 judgments are imported"),
    ({"judged": 49}, (), "unknown", "Too early: 49 of 200"),
    ({"total": 0, "left": 0, "judged": 0}, (), "unknown", "No judging plan"),
    ({"left": 0, "judged": 200}, (), "good", "All 200 judgments are in"),
    ({"is_paused": True}, (), "amber", "paused with 100 judgments left"),
    ({"forecast": forecast_end(build_situation())}, (), "good", "cannot be determined yet"),
]


@pytest.mark.parametrize(("facts", "alarms", "state", "words"), DAYS)
def test_verdict_of_the_day(facts, alarms, state, words):
    verdict = judge_today(TodayReport(progress(WORKING, **facts), alarms))
    assert verdict.state.value == state
    assert words in verdict.sentence
    assert len(verdict.sentence.split()) <= 30
    assert len(verdict.figures) == 4
    assert len(verdict.acts) <= 3


LOUD: list[Callable[[], AlarmCheck]] = [
    lambda: check_pace(pace_case(10, 3)),
    lambda: check_lowest_grade(shift_case(86, 60)),
    lambda: check_repeats(build_situation(repeats=repeats("a0", 6))),
    lambda: check_end(build_situation(counts=steady(20), left=1_000, deadline=TODAY_DATE)),
    lambda: check_guidelines(build_situation(guidelines=GuidelineChange(2, MONDAY, (("a0", 20),)))),
    lambda: check_idle_topics(build_situation(topics=(topic("1"), topic("2", "a0")))),
]


def all_sentences() -> list[str]:
    return [alarm.sentence for check in LOUD for alarm in check().alarms]


def test_sentences_have_at_most_thirty_words():
    assert len(all_sentences()) >= 6
    assert [text for text in all_sentences() if len(text.split()) > 30] == []


# ---------- working days ----------


def test_working_days_by_hand():
    friday, tuesday = date(2026, 11, 20), date(2026, 11, 24)
    assert count_working_days(friday, tuesday) == 1
    assert count_working_days(tuesday, friday) == 0
    assert count_working_days(friday, friday) == 0
    assert add_working_days(friday, 1) == date(2026, 11, 23)
    assert add_working_days(date(2026, 11, 21), 0) == date(2026, 11, 23)
    assert format_day(date(2026, 12, 9)) == "9 December"
