"""Mail to users: acts queue it in their transaction, the tick sends it."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from datetime import timedelta
from smtplib import SMTPException
from typing import Any

from django.conf import settings
from django.core.mail import EmailMessage
from django.db.models import F
from django.template.loader import render_to_string
from django.utils import timezone

from campaigns.models import Campaign, Mail, User

log = logging.getLogger(__name__)
MOST_ATTEMPTS = 5
FIRST_RETRY = timedelta(minutes=2)
BATCH = 200
"""Mails a tick sends at most, so that it is over before the next."""


def has_mail_server() -> bool:
    """Whether mails leave the installation: the setting EMAIL_URL names a server."""
    return not settings.EMAIL_BACKEND.endswith("dummy.EmailBackend")


def queue_mail(
    kind: str,
    recipients: Iterable[User],
    *,
    key: str,
    campaign: Campaign | None = None,
    context: dict[str, Any] | None = None,
    delay: timedelta = timedelta(),
) -> list[Mail]:
    """Queue ``templates/mail/{kind}.txt`` for each recipient with an address; return the new rows.

    Call it inside the transaction of the act. ``key`` identifies the occasion, such as the run
    that was accepted: a second call with the same kind and key reaches nobody twice. A rehearsal
    sends no mail. The first
    line of the template is the subject. It has the ``recipient``, the ``campaign``, ``site`` (the
    address of the installation, without a slash at the end) and ``context``.
    """
    if campaign is not None and campaign.rehearsal:
        return []
    people = [user for user in recipients if user.email]
    values = {"campaign": campaign, "site": settings.POOLBENCH_URL, **(context or {})}
    had = set(Mail.objects.filter(kind=kind, key=key).values_list("address", flat=True))
    mails = []
    for user in people:
        if user.email not in had:
            had.add(user.email)
            subject, body = render_mail(kind, {**values, "recipient": user})
            mails.append(
                Mail(
                    campaign=campaign,
                    user=user,
                    address=user.email,
                    kind=kind,
                    key=key,
                    subject=subject,
                    body=body,
                    send_after=timezone.now() + delay,
                )
            )
    return Mail.objects.bulk_create(mails, ignore_conflicts=True)


def render_mail(kind: str, context: dict[str, Any]) -> tuple[str, str]:
    """Subject and body of a mail."""
    subject, _, body = render_to_string(f"mail/{kind}.txt", context).strip().partition("\n")
    return " ".join(subject.split())[:200], body.strip() + "\n"


def send_queued_mails() -> int:
    """Send what is due, oldest first; a chore of the tick. Return how many were sent.

    A mail is claimed before it is sent, so that two ticks do not send it twice. If the process
    dies in between it is sent again, with the same Message-ID.
    """
    now = timezone.now()
    due = Mail.objects.filter(state=Mail.State.QUEUED, send_after__lte=now)
    if not has_mail_server():
        due.update(state=Mail.State.NOT_SENT)
        return 0
    return sum(send_mail(mail) for mail in due.order_by("send_after", "pk")[:BATCH])


def send_mail(mail: Mail) -> bool:
    """Send a queued mail, unless another process does; whether the server took it."""
    retry = timezone.now() + FIRST_RETRY * 4**mail.attempts
    same = Mail.objects.filter(pk=mail.pk, state=Mail.State.QUEUED, attempts=mail.attempts)
    if not same.update(attempts=F("attempts") + 1, send_after=retry):
        return False
    row = Mail.objects.filter(pk=mail.pk)
    try:
        build_message(mail).send()
    except (OSError, SMTPException) as error:
        log.warning("mail %s could not be sent: %s", mail.pk, error)
        over = mail.attempts + 1 >= MOST_ATTEMPTS
        state = Mail.State.FAILED if over else Mail.State.QUEUED
        row.update(state=state, error=str(error)[:300])
        return False
    row.update(state=Mail.State.SENT, sent_at=timezone.now(), error="")
    return True


def build_message(mail: Mail) -> EmailMessage:
    """The mail as it goes out."""
    host = settings.POOLBENCH_URL.partition("//")[2].partition("/")[0].partition(":")[0]
    headers = {"Message-ID": f"<poolbench-{mail.pk}@{host}>", "Auto-Submitted": "auto-generated"}
    return EmailMessage(mail.subject, mail.body, to=[mail.address], headers=headers)


def cancel_mails(*, kind: str, key: str) -> int:
    """Cancel what is still queued of an occasion; return how many mails that were."""
    queued = Mail.objects.filter(kind=kind, key=key, state=Mail.State.QUEUED)
    return queued.update(state=Mail.State.CANCELED)
