"""The figures behind the verdict of the day, as they are stored and as its rule takes them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from django.db.models import Max
from django.utils import timezone

from campaigns.models import Campaign
from common.verdicts import set_thresholds
from judging.core.today.agreement_fall import compute_recent_alphas
from judging.core.today.alarm import Alarm, decode_alarm, encode_alarm
from judging.core.today.aside import split_alarms
from judging.core.today.forecast import EndForecast, forecast_end
from judging.core.today.registry import ALARM_RULES, check_alarms, sort_alarms
from judging.core.today.situation import Situation
from judging.core.today.verdict import TODAY_THRESHOLDS, DayProgress, TodayFigures
from judging.core.today.working_days import count_days
from judging.queries.today import encode_aside, load_situation


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
class TodayBoard(TodayFigures):
    """``alarms`` sound, the worst first; those in ``aside`` do not."""

    aside: tuple[Alarm, ...] = ()
    topics: tuple[TopicToday, ...] = ()
    watched: tuple[WatchedRule, ...] = ()


@dataclass(frozen=True)
class StoredToday:
    """A board as plain JSON; ``aside`` has name, subject and severity at that time."""

    alarms: list[dict[str, Any]]
    aside: list[list[Any]]
    watched: list[dict[str, Any]]
    progress: dict[str, Any]
    topics: list[dict[str, Any]]


def identify_today(campaign: Campaign) -> str:
    """Changes with the day, each judgment and event of the campaign, and its thresholds, whose
    changes are events.
    """
    judged = campaign.judgments.order_by().aggregate(last=Max("pk"))["last"]
    logged = campaign.events.order_by().aggregate(last=Max("pk"))["last"]
    return f"{timezone.now():%Y-%m-%d} {judged} {logged}"


def load_today_figures(campaign: Campaign) -> StoredToday:
    """Alarms, progress and topics of the moment."""
    situation = load_situation(campaign, timezone.now().date())
    own = dict(campaign.thresholds.values_list("name", "value"))
    outcomes = check_alarms(situation, set_thresholds(TODAY_THRESHOLDS, own))
    alphas = compute_recent_alphas(situation)
    return StoredToday(
        alarms=[encode_alarm(alarm) for alarm in sort_alarms(outcomes)],
        aside=encode_aside(campaign),
        watched=[
            {
                "name": outcome.rule.name,
                "alarms": len(outcome.check.alarms),
                "examined": outcome.check.examined,
                "missing": outcome.check.missing,
            }
            for outcome in outcomes
        ],
        progress=encode_progress(situation),
        topics=[
            {
                "number": topic.number,
                "left": topic.left,
                "people": list(topic.people),
                "alpha": alphas.get(topic.number),
            }
            for topic in situation.topics
        ],
    )


def restore_today_figures(data: Mapping[str, Any]) -> TodayBoard:
    alarms, aside = restore_alarms(data)
    rules = {rule.name: rule for rule in ALARM_RULES}
    return TodayBoard(
        progress=decode_progress(data["progress"]),
        alarms=tuple(alarms),
        aside=tuple(aside),
        topics=tuple(
            TopicToday(**{**row, "people": tuple(row["people"])}) for row in data["topics"]
        ),
        watched=tuple(
            WatchedRule(
                rules[row["name"]].title,
                rules[row["name"]].watches,
                row["alarms"],
                row["examined"],
                row["missing"],
            )
            for row in data["watched"]
            if row["name"] in rules
        ),
    )


def restore_alarms(data: Mapping[str, Any]) -> tuple[list[Alarm], list[Alarm]]:
    """The stored alarms that sound, and those that are put aside."""
    severities = {(name, subject): severity for name, subject, severity in data["aside"]}
    return split_alarms([decode_alarm(alarm) for alarm in data["alarms"]], severities)


def encode_progress(situation: Situation) -> dict[str, Any]:
    forecast = forecast_end(situation)
    today = count_days(situation.today)
    days = ("end", "soonest", "latest")
    return {
        "judged": situation.judged,
        "total": situation.total,
        "left": situation.left,
        "yesterday": sum(n for day, n in situation.counts.items() if day >= today - 1),
        "days": len(situation.counts),
        "skips": len(situation.skips),
        "today": encode_day(situation.today),
        "deadline": encode_day(situation.deadline),
        "is_paused": situation.is_paused,
        "forecast": {
            **vars(forecast),
            **{name: encode_day(getattr(forecast, name)) for name in days},
        },
    }


def decode_progress(data: Mapping[str, Any]) -> DayProgress:
    forecast = dict(data["forecast"])
    forecast |= {name: decode_day(forecast[name]) for name in ("end", "soonest", "latest")}
    return DayProgress(
        **{
            **data,
            "today": date.fromisoformat(data["today"]),
            "deadline": decode_day(data["deadline"]),
            "forecast": EndForecast(**forecast),
        }
    )


def encode_day(day: date | None) -> str | None:
    return day.isoformat() if day else None


def decode_day(text: str | None) -> date | None:
    return date.fromisoformat(text) if text else None
