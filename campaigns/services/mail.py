"""Mail to users: acts queue it in their transaction, the tick sends it; the link in each reminder
ends all reminders.
"""

import logging
from collections.abc import Iterable
from datetime import timedelta
from smtplib import (
    SMTPDataError,
    SMTPNotSupportedError,
    SMTPRecipientsRefused,
    SMTPResponseException,
)
from time import monotonic
from typing import Any

from django.conf import settings
from django.core import signing
from django.core.exceptions import PermissionDenied
from django.core.mail import EmailMessage, get_connection
from django.db import IntegrityError, transaction
from django.db.models import F
from django.urls import reverse
from django.utils import timezone
from django.utils.text import wrap
from django.utils.translation import gettext as _

from campaigns.errors import ActionRefused
from campaigns.models import Campaign, Mail, User
from campaigns.models.mail import REMINDERS
from campaigns.queries.mail import find_unsent_state, list_late_mails, render_letter, render_mail
from campaigns.rules import require_permission
from campaigns.services import events

log = logging.getLogger(__name__)
COLUMNS = 72
MOST_ATTEMPTS = 5
FIRST_RETRY = timedelta(minutes=2)
NO_END = "The process that should send it ended each time."
MOST_SECONDS = 40.0
"""A tick is over before the next, however slow the mail server is."""
TAKE_BACK = timedelta(minutes=15)
"""The delay of mails about an act that may turn out to be a mistake."""
OF_THIS_MAIL = (SMTPRecipientsRefused, SMTPDataError, SMTPNotSupportedError, ValueError)
"""What the server, or a header, says against one mail; all other errors are of the server."""


def queue_mail(
    kind: str,
    recipients: Iterable[User],
    *,
    key: str,
    campaign: Campaign | None = None,
    context: dict[str, Any] | None = None,
    path: str = "",
    reply_to: str = "",
    delay: timedelta = timedelta(),
) -> list[Mail]:
    """Queue ``templates/mail/{kind}.txt`` for each recipient; return the new rows.

    Call it inside the transaction of the act. ``key`` identifies the occasion, such as the run
    that was accepted: a second call with the same kind and key sends nothing twice. A rehearsal
    sends no mail. The first line of the template is the subject. It has the ``recipient``, the
    ``campaign``, ``site`` (the address of the installation, without a slash at the end), ``url``
    (that of the page ``path`` there) and ``context``, and is written in the recipient's language.

    A user without an address gets a row as well, to be read in the outbox and on their account;
    one who wants no reminders gets none of these.
    """
    if campaign is not None and campaign.rehearsal:
        return []
    site = settings.POOLBENCH_URL
    values = {"campaign": campaign, "site": site, "url": site + path, **(context or {})}
    earlier = Mail.objects.filter(kind=kind, key=key).values_list("address", "user")
    reached = {address or user for address, user in earlier}
    mails = []
    for user in recipients:
        if not user.is_active or (kind in REMINDERS and not user.reminders):
            continue
        if (user.email or user.pk) in reached:
            continue
        reached.add(user.email or user.pk)
        subject, body = render_mail(kind, {**values, "recipient": user})
        mails.append(
            Mail(
                campaign=campaign,
                user=user,
                address=user.email,
                reply_to=reply_to,
                kind=kind,
                key=key,
                subject=subject,
                body=body,
                send_after=timezone.now() + delay,
            )
        )
    return Mail.objects.bulk_create(mails, ignore_conflicts=True)


def send_queued_mails() -> int:
    """Send what is due, oldest first; a chore of the tick. Return how many were sent.

    A mail is claimed before it is sent, so that two ticks do not send it twice. If the process
    dies in between it is sent again, with the same Message-ID. While the server takes no
    connection, mails wait without losing an attempt.
    """
    due = Mail.objects.filter(state=Mail.State.QUEUED, send_after__lte=timezone.now())
    due.filter(address="").update(state=Mail.State.NO_ADDRESS)
    if state := find_unsent_state():
        due.update(state=state)
        return 0
    due.filter(kind__in=REMINDERS, user__reminders=False).update(state=Mail.State.CANCELED)
    due.filter(attempts__gte=MOST_ATTEMPTS).update(state=Mail.State.FAILED, error=NO_END)
    mails = list(
        due.select_related("user").order_by("send_after", "pk")[: settings.POOLBENCH_MAILS_PER_TICK]
    )
    sent = send_mails(mails) if mails else 0
    report_late_mails()
    return sent


def send_mails(mails: list[Mail]) -> int:
    """Send them by one connection, until it breaks or the time is over."""
    server, end, sent = get_connection(), monotonic() + MOST_SECONDS, 0
    try:
        server.open()
        for mail in mails:
            if monotonic() > end:
                break
            sent += send_mail(mail, server)
    except OSError as error:  # also every other SMTPException
        log.warning("the mail server failed: %s", error)
        waiting = Mail.objects.filter(
            pk__in=[mail.pk for mail in mails], state=Mail.State.QUEUED, attempts=0
        )
        waiting.update(error=explain_error(error))
    finally:
        server.close()
    return sent


def send_mail(mail: Mail, server: Any) -> bool:
    """Send a queued mail, unless another process does; whether the server took it.

    A mail that the server refuses for good (5xx) has failed. One that breaks the connection has
    lost an attempt: it must not be the first of every tick.
    """
    retry = timezone.now() + FIRST_RETRY * 4**mail.attempts
    queued = Mail.objects.filter(pk=mail.pk, state=Mail.State.QUEUED)
    claim = queued.filter(attempts=mail.attempts, send_after=mail.send_after)
    if not claim.update(attempts=F("attempts") + 1, send_after=retry):
        return False
    try:
        build_message(mail, server).send()
    except (OSError, *OF_THIS_MAIL) as error:
        is_over = mail.attempts + 1 >= MOST_ATTEMPTS or is_permanent(error)
        state = Mail.State.FAILED if is_over else Mail.State.QUEUED
        queued.update(state=state, error=explain_error(error))
        log.warning("mail %s could not be sent: %s", mail.pk, explain_error(error))
        if isinstance(error, OF_THIS_MAIL):
            return False
        raise
    # Whatever the state of the row is by now: it went out.
    Mail.objects.filter(pk=mail.pk).update(state=Mail.State.SENT, sent_at=timezone.now(), error="")
    return True


def is_permanent(error: Exception) -> bool:
    """Whether the same mail would be refused again."""
    if isinstance(error, SMTPRecipientsRefused):
        return all(code >= 500 for code, _reply in error.recipients.values())
    if isinstance(error, SMTPDataError):
        return error.smtp_code >= 500
    return isinstance(error, (SMTPNotSupportedError, ValueError))


def explain_error(error: Exception) -> str:
    """What the server said, or what went wrong."""
    answer: tuple[int, bytes | str]
    if isinstance(error, SMTPRecipientsRefused):
        answer = next(iter(error.recipients.values()))
    elif isinstance(error, SMTPResponseException):
        answer = error.smtp_code, error.smtp_error
    else:
        return str(error)[:300]
    code, reply = answer
    text = reply.decode(errors="replace") if isinstance(reply, bytes) else reply
    return f"{code} {text}"[:300]


def build_message(mail: Mail, server: Any = None) -> EmailMessage:
    """The mail as it goes out. Only here a reminder gets its link to unsubscribe, which works
    without signing in, so it is not to be read in the outbox.
    """
    host = settings.POOLBENCH_URL.partition("//")[2].partition("/")[0].partition(":")[0]
    headers = {"Message-ID": f"<poolbench-{mail.pk}@{host}>", "Auto-Submitted": "auto-generated"}
    body = mail.body
    if mail.is_reminder and mail.user:
        url = make_reminder_url(mail.user)
        headers["List-Unsubscribe"] = f"<{url}>"
        headers["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"
        body += render_letter("mail/unsubscribe.txt", {"url": url}, mail.user)
    reply_to = [mail.reply_to] if mail.reply_to else None
    return EmailMessage(
        mail.subject, wrap(body, COLUMNS), to=[mail.address], reply_to=reply_to, headers=headers,
        connection=server,
    )  # fmt: skip


def report_late_mails() -> None:
    """Tell the operators, by the log and the mail of errors, that mails fail for an hour."""
    late = list_late_mails()
    if count := late.count():
        error = late.exclude(error="").values_list("error", flat=True).first()
        log.error("%s mails could not be sent for an hour: %s", count, error or "no reason known")


def cancel_mails(*, kind: str, key: str) -> int:
    """Cancel what is still queued of an occasion; return how many mails that were."""
    queued = Mail.objects.filter(kind=kind, key=key, state=Mail.State.QUEUED)
    return queued.update(state=Mail.State.CANCELED)


def cancel_mail(*, actor: User, mail: Mail, is_whole: bool = False) -> int:
    """Cancel a queued mail about a campaign, or all of its occasion; return how many."""
    campaign = require_campaign(actor, mail)
    same = campaign.mails.filter(kind=mail.kind, key=mail.key, state=Mail.State.QUEUED)
    with transaction.atomic():
        queued = same if is_whole else same.filter(pk=mail.pk)
        count = queued.update(state=Mail.State.CANCELED)
        if not count:
            raise ActionRefused("not-queued", "This mail is not queued any more.")
        events.log_event(campaign, actor, "mail.canceled", mail.subject, mails=count)
    return count


def requeue_mail(*, actor: User, mail: Mail) -> None:
    """Send a mail again that was not sent, to the present address of its user."""
    campaign = require_campaign(actor, mail)
    address = mail.user.email if mail.user else mail.address
    if not address:
        fix = "Copy its text, or ask the person to enter an address on their account page."
        raise ActionRefused("no-address", "The recipient has no address.", fix)
    fields = {"state": Mail.State.QUEUED, "attempts": 0, "error": "", "address": address}
    try:
        with transaction.atomic():
            unsent = Mail.objects.filter(pk=mail.pk, state__in=Mail.UNSENT)
            if not unsent.update(send_after=timezone.now(), **fields):
                raise ActionRefused("not-unsent", "This mail is queued, or was sent.")
            events.log_event(campaign, actor, "mail.requeued", mail.subject)
    except IntegrityError as error:
        message = "The same mail was queued for this address before."
        raise ActionRefused("queued-before", message) from error


def require_campaign(actor: User, mail: Mail) -> Campaign:
    """The campaign of the mail, which the actor must organize."""
    if mail.campaign is None:
        raise PermissionDenied("a mail about no campaign")
    require_permission(actor, "campaigns.manage", mail.campaign)
    return mail.campaign


SALT = "campaigns.reminders"


def make_reminder_url(user: User) -> str:
    """It never expires: mails are kept for years."""
    path = reverse("reminders-stop", args=[sign_reminder_token(user)])
    return f"{settings.POOLBENCH_URL}{path}"


def sign_reminder_token(user: User) -> str:
    """The part of the link that cannot be guessed or forged."""
    return signing.Signer(salt=SALT).sign(str(user.pk))


def stop_reminders(token: str) -> None:
    """No more reminders for the user of the link; on their account they can be switched on again.

    Raises ``ActionRefused`` for a link that was cut or forged.
    """
    User.objects.filter(pk=read_reminder_token(token)).update(reminders=False)


def read_reminder_token(token: str) -> int:
    """The primary key of the user of a link."""
    try:
        return int(signing.Signer(salt=SALT).unsign(token))
    except (signing.BadSignature, ValueError) as error:
        fix = _("Check that you copied the complete link, or switch reminders off on your account.")
        raise ActionRefused("bad-link", _("Invalid link."), fix) from error
