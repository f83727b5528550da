"""Today: the alarms of a campaign, put aside or brought back; documents to look at again."""

from collections.abc import Sequence

from django.db import transaction
from django.db.models import Exists, OuterRef
from django.utils.translation import gettext as _

from campaigns.errors import ActionRefused
from campaigns.models import Campaign, Snapshot, User
from campaigns.rules import require_permission
from campaigns.services import events
from campaigns.services.snapshots import Subject, get_report, list_verdict_subjects
from judging.models import AlarmDismissal, Judgment, Plan
from judging.queries.today import identify_today, list_aside_severities, load_today_report
from poolbench.judging.today.alarm import Alarm
from poolbench.judging.today.verdict import QUESTION, TODAY, TodayReport, judge_today
from poolbench.plain_data import to_plain

TODAY_SUBJECT = Subject(
    TODAY,
    identify_today,
    load_today_report,
    TodayReport,
    judge_today,
    QUESTION,
    page="judging-today",
)


def request_first_snapshots() -> int:
    """A chore of the tick: campaigns that are being judged have alarms before anybody opens the
    page, and all verdicts from their first judgment on. Later figures are renewed as those of any
    snapshot.
    """
    judging = Plan.objects.filter(kind=Plan.Kind.JUDGE).exclude(state=Plan.State.CLOSED)
    campaigns = Campaign.objects.filter(pk__in=judging.order_by().values("campaign"))
    begun = campaigns.filter(Exists(Judgment.objects.filter(campaign=OuterRef("pk"))))
    requested = 0
    for subject in list_verdict_subjects():
        chosen = campaigns if subject is TODAY_SUBJECT else begun
        for campaign in chosen.exclude(snapshots__name=subject.snapshot):
            get_report(campaign, subject.name)
            requested += 1
    return requested


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
    report = get_report(campaign, TODAY).report
    alarm = find_alarm(report.alarms if report else (), name, subject)
    return write_dismissal(actor, campaign, alarm, "alarm.put_aside", reason=reason[:500])


def undo_alarm_dismissal(
    *, actor: User, campaign: Campaign, name: str, subject: str
) -> AlarmDismissal:
    """An alarm that was put aside sounds again."""
    require_permission(actor, "campaigns.manage", campaign)
    report = get_report(campaign, TODAY).report
    alarm = find_alarm(report.quiet if report else (), name, subject)
    return write_dismissal(actor, campaign, alarm, "alarm.brought_back", aside=False)


def find_alarm(alarms: Sequence[Alarm], name: str, subject: str) -> Alarm:
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
        stored = Snapshot.objects.select_for_update().filter(
            campaign=campaign, name=TODAY_SUBJECT.snapshot
        )
        snapshot = stored.get()
        is_current = snapshot.inputs == identify_today(campaign)
        events.log_event(
            campaign=campaign, actor=actor, code=code, subject=alarm.subject, alarm=alarm.name,
            reason=reason, sentence=alarm.sentence,
        )  # fmt: skip
        row = AlarmDismissal.objects.create(
            campaign=campaign, name=alarm.name, subject=alarm.subject, severity=alarm.severity,
            sentence=alarm.sentence, reason=reason, aside=aside, actor=actor,
        )  # fmt: skip
        # Every page and the API show it at once, without computing anything again. The inputs
        # change in any case: verdicts are kept by them.
        snapshot.data["aside"] = to_plain(list_aside_severities(campaign))
        snapshot.inputs = identify_today(campaign) if is_current else f"aside {row.pk}"
        snapshot.save(update_fields=["data", "inputs"])
    return row
