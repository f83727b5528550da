"""Today: the alarms of a campaign, put aside or brought back; documents to look at again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from campaigns.errors import ActionRefused
from campaigns.models import Campaign, Job, User
from campaigns.rules import require_permission
from campaigns.services import events
from campaigns.services.snapshots import SnapshotKind, ensure_snapshot
from common.verdicts import Verdict, set_thresholds
from judging.core.today.agreement_fall import compute_recent_alphas
from judging.core.today.alarm import Alarm, decode_alarm, encode_alarm
from judging.core.today.aside import split_alarms
from judging.core.today.forecast import EndForecast, forecast_end
from judging.core.today.registry import ALARM_RULES, check_alarms, sort_alarms
from judging.core.today.situation import Situation
from judging.core.today.verdict import (
    TODAY,
    TODAY_THRESHOLDS,
    DayProgress,
    TodayFigures,
)
from judging.core.today.working_days import count_days
from judging.models import AlarmDismissal, Plan, ReviewRequest
from judging.queries.screen import current_judgments_by
from judging.queries.today import identify_today, list_aside_alarms, load_situation
from judging.rules import TODAY_SNAPSHOT_NAME

MOST_DOCUMENTS = 200


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
class TodayState:
    """``alarms`` sound, ``aside`` are put aside; ``computed_at`` is None before the first job has
    ended, and then the rest is empty.
    """

    verdict: Verdict | None = None
    alarms: tuple[Alarm, ...] = ()
    aside: tuple[tuple[Alarm, AlarmDismissal], ...] = ()
    topics: tuple[TopicToday, ...] = ()
    watched: tuple[WatchedRule, ...] = ()
    computed_at: datetime | None = None
    is_current: bool = False
    job: Job | None = None


def identify_inputs(campaign: Campaign) -> str:
    values = sorted(load_threshold_values(campaign).items())
    return f"{identify_today(campaign)} {values}"


def load_threshold_values(campaign: Campaign) -> dict[str, float]:
    """Those of the alarms and the verdict that the campaign has set."""
    names = [threshold.name for threshold in TODAY_THRESHOLDS]
    return dict(campaign.thresholds.filter(name__in=names).values_list("name", "value"))


def compute_today(campaign: Campaign) -> dict[str, Any]:
    """Alarms, progress and topics of the moment as plain JSON."""
    situation = load_situation(campaign, timezone.now().date())
    thresholds = set_thresholds(TODAY_THRESHOLDS, load_threshold_values(campaign))
    outcomes = check_alarms(situation, thresholds)
    alphas = compute_recent_alphas(situation)
    return {
        "alarms": [encode_alarm(alarm) for alarm in sort_alarms(outcomes)],
        "watched": [
            {
                "name": outcome.rule.name,
                "alarms": len(outcome.check.alarms),
                "examined": outcome.check.examined,
                "missing": outcome.check.missing,
            }
            for outcome in outcomes
        ],
        "progress": encode_progress(situation),
        "topics": [
            {
                "number": topic.number,
                "left": topic.left,
                "people": list(topic.people),
                "alpha": alphas.get(topic.number),
            }
            for topic in situation.topics
        ],
    }


TODAY_SNAPSHOT = SnapshotKind(TODAY_SNAPSHOT_NAME, identify_inputs, compute_today)


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
        "today": situation.today.isoformat(),
        "deadline": situation.deadline.isoformat() if situation.deadline else None,
        "is_paused": situation.is_paused,
        "forecast": {
            **vars(forecast),
            **{name: encode_day(getattr(forecast, name)) for name in days},
        },
    }


def encode_day(day: date | None) -> str | None:
    return day.isoformat() if day else None


def decode_progress(data: Mapping[str, Any]) -> DayProgress:
    def day(text: str | None) -> date | None:
        return date.fromisoformat(text) if text else None

    forecast = dict(data["forecast"])
    forecast |= {name: day(forecast[name]) for name in ("end", "soonest", "latest")}
    return DayProgress(
        **{
            **data,
            "today": date.fromisoformat(data["today"]),
            "deadline": day(data["deadline"]),
            "forecast": EndForecast(**forecast),
        }
    )


def read_today(campaign: Campaign) -> TodayState:
    """The state of the snapshot, with what is put aside at the moment; a job is queued if the
    figures are out of date.
    """
    snapshot = ensure_snapshot(campaign=campaign, name=TODAY_SNAPSHOT_NAME)
    if snapshot.data is None:
        return TodayState(job=snapshot.job)
    data = snapshot.data
    dismissals = list_aside_alarms(campaign)
    alarms, aside = split_alarms(
        [decode_alarm(alarm) for alarm in data["alarms"]],
        {key: row.severity for key, row in dismissals.items()},
    )
    figures = TodayFigures(decode_progress(data["progress"]), alarms)
    rules = {rule.name: rule for rule in ALARM_RULES}
    return TodayState(
        verdict=TODAY.apply(figures, load_threshold_values(campaign)),
        alarms=tuple(alarms),
        aside=tuple((alarm, dismissals[alarm.name, alarm.subject]) for alarm in aside),
        topics=tuple(
            TopicToday(row["number"], row["left"], tuple(row["people"]), row["alpha"])
            for row in data["topics"]
        ),
        watched=tuple(
            WatchedRule(
                (rule := rules[row["name"]]).title,
                rule.watches,
                row["alarms"],
                row["examined"],
                row["missing"],
            )
            for row in data["watched"]
            if row["name"] in rules
        ),
        computed_at=snapshot.computed_at,
        is_current=snapshot.is_current,
        job=snapshot.job,
    )


def request_first_snapshots() -> int:
    """A chore of the tick: campaigns that are being judged have alarms before anybody opens the
    page. Later figures are renewed as those of any snapshot.
    """
    judging = Plan.objects.filter(kind=Plan.Kind.JUDGE).exclude(state=Plan.State.CLOSED)
    campaigns = Campaign.objects.filter(pk__in=judging.order_by().values("campaign"))
    missing = campaigns.exclude(snapshots__name=TODAY_SNAPSHOT_NAME)
    for campaign in missing:
        ensure_snapshot(campaign=campaign, name=TODAY_SNAPSHOT_NAME)
    return len(missing)


def put_alarm_aside(
    *, actor: User, campaign: Campaign, name: str, subject: str, reason: str
) -> AlarmDismissal:
    """It sounds no more, with this reason, unless it gets worse."""
    require_permission(actor, "campaigns.manage", campaign)
    reason = reason.strip()
    if not reason:
        raise ActionRefused(
            "reason", _("An alarm is put aside with a reason."), _("Write one sentence.")
        )
    alarm = find_alarm(read_today(campaign).alarms, name, subject)
    return write_dismissal(actor, campaign, alarm, "alarm.put_aside", reason=reason[:500])


def bring_alarm_back(*, actor: User, campaign: Campaign, name: str, subject: str) -> AlarmDismissal:
    """An alarm that was put aside sounds again."""
    require_permission(actor, "campaigns.manage", campaign)
    aside = tuple(alarm for alarm, _row in read_today(campaign).aside)
    alarm = find_alarm(aside, name, subject)
    return write_dismissal(actor, campaign, alarm, "alarm.brought_back", aside=False)


def find_alarm(alarms: tuple[Alarm, ...], name: str, subject: str) -> Alarm:
    for alarm in alarms:
        if (alarm.name, alarm.subject) == (name, subject):
            return alarm
    raise ActionRefused(
        "no-alarm", _("This alarm is over, or was changed by another organizer."), _("Reload.")
    )


def write_dismissal(
    actor: User,
    campaign: Campaign,
    alarm: Alarm,
    code: str,
    *,
    reason: str = "",
    aside: bool = True,
) -> AlarmDismissal:
    with transaction.atomic():
        events.log_event(
            campaign=campaign, actor=actor, code=code, subject=alarm.subject, alarm=alarm.name,
            reason=reason, sentence=alarm.sentence,
        )  # fmt: skip
        return AlarmDismissal.objects.create(
            campaign=campaign, name=alarm.name, subject=alarm.subject, severity=alarm.severity,
            sentence=alarm.sentence, reason=reason, aside=aside, actor=actor,
        )  # fmt: skip


def request_review(
    *,
    actor: User,
    campaign: Campaign,
    assessor: User,
    message: str = "",
    count: int = 20,
    topic: str = "",
) -> ReviewRequest:
    """Ask ``assessor`` to look at their last ``count`` judgments again, of ``topic`` if it is not
    "". With ``count`` 0 only the message is sent.
    """
    require_permission(actor, "campaigns.manage", campaign)
    rows = current_judgments_by(campaign, assessor).filter(grade__isnull=False)
    if topic:
        rows = rows.filter(topic__number=topic)
    count = min(max(count, 0), MOST_DOCUMENTS)
    documents = [[row.topic.number, row.docno] for row in rows[:count]]
    if not documents and not message.strip():
        raise ActionRefused(
            "nothing",
            _("There is nothing to send: no judged documents, and no message."),
            _("Write a message, or choose a topic that the assessor has judged."),
        )
    with transaction.atomic():
        events.log_event(
            campaign=campaign, actor=actor, code="review.requested", subject=assessor.username,
            documents=len(documents), topic=topic,
        )  # fmt: skip
        return ReviewRequest.objects.create(
            campaign=campaign, assessor=assessor, message=message.strip(), documents=documents,
            requested_by=actor,
        )  # fmt: skip


def finish_review(*, actor: User, campaign: Campaign, pk: int) -> ReviewRequest | None:
    """The assessor has looked at the documents; None if that was said before."""
    with transaction.atomic():
        row = (
            ReviewRequest.objects.select_for_update()
            .filter(campaign=campaign, assessor=actor, pk=pk, done_at=None)
            .first()
        )
        if row is None:
            return None
        row.done_at = timezone.now()
        row.save(update_fields=["done_at"])
        events.log_event(campaign=campaign, actor=actor, code="review.done", subject=actor.username)
    return row
