"""The verdict of the day: can everybody go on, and when are we done?"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from poolbench.files.faults import format_count
from poolbench.judging.today.alarm import Alarm, make_alarm_threshold
from poolbench.judging.today.first_day import AssessorToday
from poolbench.judging.today.forecast import EndForecast
from poolbench.judging.today.registry import ALARM_THRESHOLDS, split_alarms
from poolbench.judging.today.situation import count_days, format_day
from poolbench.verdicts import Act, KeyFigure, Verdict, VerdictState, finish_verdict

TODAY = "today"
QUESTION = "Can everybody go on, and when are we done?"
RULE = (
    "Good: no alarm. With care: an alarm about pace, dates, guidelines, skips or an assessor. Not "
    "good enough: the agreement of a topic fell, or work stands still. Cannot be determined: on "
    "the first day."
)
FIRST_DAY = make_alarm_threshold("least-judgments", 50, "judgments before anything can be said")
TODAY_THRESHOLDS = (FIRST_DAY, *ALARM_THRESHOLDS)
MOST_ACTS = 3


@dataclass(frozen=True)
class DayProgress:
    """``yesterday``: judgments since the midnight before today's; ``days``: the days on which any
    judgment was made; ``skips``: those that wait for no one.
    """

    judged: int
    total: int
    left: int
    yesterday: int
    days: int
    skips: int
    today: date
    deadline: date | None
    is_paused: bool
    forecast: EndForecast

    @property
    def is_first_day(self) -> bool:
        """Whether alarms cannot speak yet."""
        return self.days < 2 or self.judged < FIRST_DAY.value


@dataclass(frozen=True)
class TopicToday:
    """``alpha`` is None where too few documents have two assessors."""

    number: str
    left: int
    people: tuple[str, ...]
    alpha: float | None


@dataclass(frozen=True)
class WatchedRule:
    """What a rule could examine, and what is missing for the rest."""

    title: str
    watches: str
    alarms: int
    examined: int
    missing: str


@dataclass(frozen=True)
class TodayReport:
    """``every_alarm`` are all, the worst first; ``aside`` names those that are put aside, by
    name, subject and severity at that time. ``assessors`` only on the first day.
    """

    progress: DayProgress
    every_alarm: tuple[Alarm, ...]
    aside: tuple[tuple[str, str, float], ...] = ()
    topics: tuple[TopicToday, ...] = ()
    watched: tuple[WatchedRule, ...] = ()
    assessors: tuple[AssessorToday, ...] = ()

    @property
    def alarms(self) -> list[Alarm]:
        """Those that sound."""
        return self._split()[0]

    @property
    def quiet(self) -> list[Alarm]:
        """Those that are put aside."""
        return self._split()[1]

    def _split(self) -> tuple[list[Alarm], list[Alarm]]:
        return split_alarms(
            self.every_alarm, {(name, subject): at for name, subject, at in self.aside}
        )


def judge_today(report: TodayReport) -> Verdict:
    state, sentence, reason, acts = decide_state(report.progress, report.alarms)
    figures = build_figures(report.progress)
    verdict = Verdict(TODAY, state, sentence, reason, figures, acts[:MOST_ACTS])
    return finish_verdict(verdict, TODAY_THRESHOLDS)


Answer = tuple[VerdictState, str, str, tuple[Act, ...]]


def decide_state(progress: DayProgress, alarms: Sequence[Alarm]) -> Answer:
    if alarms:
        worst = alarms[0]
        more = len(alarms) - 1
        others = f" {format_count(more, 'more alarm')} below." if more else ""
        firsts = [alarm.acts[0] for alarm in alarms if alarm.acts]
        acts = (*worst.acts[:2], *(act for act in firsts if act not in worst.acts))
        return worst.state, worst.sentence, worst.evidence + others, acts
    if not progress.total and not progress.left:
        return (
            VerdictState.UNKNOWN,
            "No judging plan has documents to judge.",
            "",
            (Act("Create judging plan", "plan-new"),),
        )
    if not progress.left:
        return (
            VerdictState.GOOD,
            f"All {progress.judged:,} judgments are in.",
            "Nothing remains to be judged, and no alarm sounds.",
            (Act("Freeze qrels", "qrels-list"),),
        )
    if progress.is_first_day:
        return describe_first_day(progress, FIRST_DAY.value)
    if progress.is_paused:
        return (
            VerdictState.AMBER,
            f"Judging is paused with {progress.left:,} judgments left.",
            "No alarm sounds; no plan is open.",
            (Act("Resume a plan", "judging"),),
        )
    return VerdictState.GOOD, describe_progress(progress), "No alarm sounds.", ()


def describe_first_day(progress: DayProgress, least: float) -> Answer:
    sentence = (
        f"Too early: {progress.judged:,} of {progress.total:,} judgments, "
        f"on {format_count(progress.days, 'day')} of work."
    )
    reason = f"Alarms need a second day of judging and {least:g} judgments."
    if progress.days == 0 and progress.judged:
        sentence = (
            f"All {progress.judged:,} judgments are imported, and {progress.left:,} are left."
        )
        reason = "Imported judgments have no days of work."
    return VerdictState.UNKNOWN, sentence, reason, (Act("See the plans", "judging"),)


def describe_progress(progress: DayProgress) -> str:
    forecast = progress.forecast
    if forecast.end is None:
        return (
            "Everybody can go on; when judging ends cannot be determined yet: "
            f"{progress.left:,} judgments are left."
        )
    return (
        f"Everybody can go on: at {forecast.per_day:,.0f} judgments a working day, judging is done "
        f"on {format_day(forecast.end)}."
    )


def build_figures(progress: DayProgress) -> tuple[KeyFigure, ...]:
    forecast = progress.forecast
    share = progress.judged / progress.total if progress.total else None
    return (
        KeyFigure(
            "judgments",
            share,
            f"{progress.judged:,}",
            f"of {progress.total:,}, {progress.yesterday:,} since yesterday",
        ),
        KeyFigure(
            "a working day",
            None,
            "–" if forecast.per_day is None else f"{forecast.per_day:,.0f}",
            forecast.reason or f"mean of the last {forecast.days} working days",
        ),
        build_end_figure(progress),
        KeyFigure(
            "skipped documents",
            None,
            f"{progress.skips:,}",
            "no assessor can take them" if progress.skips else "waiting for an assessor",
        ),
    )


def build_end_figure(progress: DayProgress) -> KeyFigure:
    """The day on which judging ends; without a gauge, for a date has no good region but the
    deadline, which the note names.
    """
    forecast = progress.forecast
    deadline = (
        f"deadline {format_day(progress.deadline)}" if progress.deadline else "no deadline is set"
    )
    if forecast.end is None or forecast.soonest is None or forecast.latest is None:
        return KeyFigure("end of judging", None, "–", f"{forecast.reason}; {deadline}")
    return KeyFigure(
        "end of judging",
        float(count_days(forecast.end)),
        f"{forecast.end.day} {forecast.end:%b}",
        f"likely {format_day(forecast.soonest)} to {format_day(forecast.latest)}; {deadline}",
        scale=(
            float(count_days(progress.today)),
            float(max(count_days(forecast.latest), count_days(progress.deadline or progress.today)))
            + 1,
        ),
    )
