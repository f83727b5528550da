"""The link in each reminder that ends all reminders, without signing in."""

from __future__ import annotations

from django.conf import settings
from django.core import signing
from django.urls import reverse
from django.utils.translation import gettext as _

from campaigns.errors import ActionRefused
from campaigns.models import User

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
