"""Today: the alarms of a campaign, put aside or brought back; documents to look at again."""

from __future__ import annotations

from collections.abc import Sequence

from django.db import transaction
from django.db.models import Exists, OuterRef
from django.utils import timezone
from django.utils.translation import gettext as _

from campaigns.errors import ActionRefused
from campaigns.models import Campaign, Snapshot, User
from campaigns.rules import require_open, require_permission
from campaigns.services import events
from campaigns.services.snapshots import Subject, get_report, list_verdict_subjects
from judging.models import AlarmDismissal, Judgment, Plan, ReviewRequest
from judging.queries.screen import current_judgments_by
from judging.queries.today import identify_today, list_aside_severities, load_today_report
from poolbench.judging.today.alarm import Alarm
from poolbench.judging.today.verdict import QUESTION, TODAY, TodayReport, judge_today
from poolbench.plain_data import to_plain

MOST_DOCUMENTS = 200
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


def request_review(
    *,
    actor: User,
    campaign: Campaign,
    assessor: User,
    message: str = "",
    count: int = 20,
    topic: str = "",
    documents: Sequence[tuple[str, str]] = (),
) -> ReviewRequest:
    """Ask ``assessor`` to look at ``documents`` (topic, docno) again that they have judged; if
    none, at their last ``count`` judgments, of ``topic`` if it is not "". With ``count`` 0 only
    the message is sent.
    """
    require_permission(actor, "campaigns.manage", campaign)
    rows = current_judgments_by(campaign, assessor).filter(grade__isnull=False)
    if topic:
        rows = rows.filter(topic__number=topic)
    count = min(max(count, 0), MOST_DOCUMENTS)
    if documents:
        wanted = set(documents)
        candidates = rows.filter(docno__in={docno for _, docno in wanted})
        known = {(row.topic.number, row.docno) for row in candidates}
        if wanted - known:
            number, docno = min(wanted - known)
            raise ActionRefused(
                "not-judged",
                _("The assessor has not judged document %(docno)s of topic %(topic)s.")
                % {"docno": docno, "topic": number},
                _("Choose documents that the assessor has judged."),
            )
        chosen = [list(pair) for pair in dict.fromkeys(documents)]
    else:
        chosen = [[row.topic.number, row.docno] for row in rows[:count]]
    if not chosen and not message.strip():
        raise ActionRefused(
            "nothing",
            _("There is nothing to send: no judged documents, and no message."),
            _("Write a message, or choose a topic that the assessor has judged."),
        )
    with transaction.atomic():
        events.log_event(
            campaign=campaign, actor=actor, code="review.requested", subject=assessor.username,
            documents=len(chosen), topic=topic,
        )  # fmt: skip
        return ReviewRequest.objects.create(
            campaign=campaign, assessor=assessor, message=message.strip(), documents=chosen,
            requested_by=actor,
        )  # fmt: skip


def finish_review(
    *, actor: User, campaign: Campaign, pk: int, answer: str = ""
) -> ReviewRequest | None:
    """The assessor has looked at the documents; None if that was said before."""
    require_open(campaign)
    with transaction.atomic():
        row = (
            ReviewRequest.objects.select_for_update()
            .filter(campaign=campaign, assessor=actor, pk=pk, done_at=None)
            .first()
        )
        if row is None:
            return None
        row.done_at, row.answer = timezone.now(), answer
        row.save(update_fields=["done_at", "answer"])
        events.log_event(campaign=campaign, actor=actor, code="review.done", subject=actor.username)
    return row
