"""The report of the day on a campaign: alarms, progress and topics of the moment."""

from __future__ import annotations

from django.db.models import Max
from django.utils import timezone

from campaigns.models import Campaign
from judging.queries.today import list_aside_severities, load_situation
from poolbench.judging.today.agreement_fall import compute_recent_alphas
from poolbench.judging.today.forecast import forecast_end
from poolbench.judging.today.registry import check_alarms, sort_alarms
from poolbench.judging.today.situation import Situation, count_days
from poolbench.judging.today.verdict import DayProgress, TodayReport, TopicToday, WatchedRule


def identify_today(campaign: Campaign) -> str:
    """Changes with the day, and each judgment and event of the campaign."""
    judged = campaign.judgments.order_by().aggregate(last=Max("pk"))["last"]
    logged = campaign.events.order_by().aggregate(last=Max("pk"))["last"]
    return f"{timezone.now():%Y-%m-%d} {judged} {logged}"


def load_today_report(campaign: Campaign) -> TodayReport:
    situation = load_situation(campaign, timezone.now().date())
    outcomes = check_alarms(situation)
    alphas = compute_recent_alphas(situation)
    return TodayReport(
        progress=measure_progress(situation),
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
