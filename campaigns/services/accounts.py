"""Accounts by django-allauth: what our installation does in another way.

``User.email`` is the confirmed address and nothing else: allauth keeps addresses, confirmed or
not, in rows of its own (``EmailAddress``), and the receivers here copy the confirmed one.
"""

import logging
from datetime import timedelta
from smtplib import SMTPException
from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.models import EmailAddress
from allauth.account.signals import email_confirmed, email_removed
from allauth.account.utils import user_pk_to_url_str
from allauth.mfa.signals import authentication_failed
from django.conf import settings
from django.contrib.auth import login
from django.db import transaction
from django.db.models import QuerySet
from django.dispatch import receiver
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils import timezone

from campaigns.errors import ActionRefused
from campaigns.models import Campaign, User
from campaigns.queries.mail import has_mail_server
from campaigns.services.sign_in import set_device_cookie, write_log

log = logging.getLogger(__name__)
UNCONFIRMED_DAYS = 30
BACKEND = "django.contrib.auth.backends.ModelBackend"


def is_sign_up_open() -> bool:
    """Whether anybody may create an account, without an invitation (``POOLBENCH_SIGN_UP``)."""
    if settings.POOLBENCH_SIGN_UP == "campaigns":
        return Campaign.objects.open_for_registration().exists()
    return bool(settings.POOLBENCH_SIGN_UP == "open")


def has_to_confirm_address(user: User) -> bool:
    """Whether ``user`` has signed up but neither signed in nor confirmed the address yet.

    Later an address that is not confirmed locks no one out; it just gets no mail.
    """
    return has_mail_server() and list_unconfirmed_accounts().filter(pk=user.pk).exists()


def list_unconfirmed_accounts() -> QuerySet[User]:
    """Of strangers who have signed up, and never confirmed their address."""
    return User.objects.filter(last_login=None, email="", emailaddress__verified=False)


def remove_unconfirmed_accounts() -> int:
    """Remove those whose link has long expired: their names and addresses are free again."""
    old = timezone.now() - timedelta(days=UNCONFIRMED_DAYS)
    accounts = list_unconfirmed_accounts().filter(date_joined__lt=old, memberships=None)
    return len([user.delete() for user in accounts])


def confirm_address(user: User, address: str) -> None:
    """Give ``user`` an address for which the operator vouches."""
    if EmailAddress.objects.filter(email__iexact=address, verified=True).exists():
        raise ActionRefused("address-taken", "Another account has this e-mail address.")
    user.email = address.lower()
    with transaction.atomic():
        user.save(update_fields=["email"])
        EmailAddress.objects.create(user=user, email=user.email, verified=True, primary=True)


def make_reset_url(user: User) -> str:
    """A link with which the holder sets a new password once."""
    from allauth.account.forms import default_token_generator  # knows the adapter

    key = default_token_generator.make_token(user)
    kwargs = {"uidb36": user_pk_to_url_str(user), "key": key}
    return build_site_url("account_reset_password_from_key", kwargs=kwargs)


def build_site_url(name: str, **route: Any) -> str:
    """The address of a page in a mail."""
    return f"{settings.POOLBENCH_URL}{reverse(name, **route)}"


class AccountAdapter(DefaultAccountAdapter):  # type: ignore[misc]
    """Links begin with ``POOLBENCH_URL``, whatever host a request names."""

    def is_open_for_signup(self, request: HttpRequest) -> bool:  # noqa: ARG002 (allauth's)
        return is_sign_up_open()

    def get_client_ip(self, request: HttpRequest) -> str:
        """As ``ClientAddressMiddleware`` found it."""
        return str(request.META["REMOTE_ADDR"])

    def get_reset_password_from_key_url(self, key: str) -> str:
        uid, _, token = key.partition("-")
        kwargs = {"uidb36": uid, "key": token}
        return build_site_url("account_reset_password_from_key", kwargs=kwargs)

    def get_email_confirmation_url(self, request: HttpRequest, emailconfirmation: Any) -> str:  # noqa: ARG002
        return build_site_url("account_confirm_email", args=[emailconfirmation.key])

    def send_mail(self, template_prefix: str, email: str, context: dict[str, Any]) -> None:
        """Send at once: links with secrets never wait in the outbox. The answer is the same
        whether the mail server takes it or not.
        """
        try:
            super().send_mail(template_prefix, email, {**context, "site": settings.POOLBENCH_URL})
        except (OSError, SMTPException) as error:
            log.error("A mail of %s could not be sent: %s", template_prefix, error)

    def send_notification_mail(
        self,
        template_prefix: str,
        user: User,
        context: dict[str, Any] | None = None,
        email: str | None = None,
    ) -> None:
        """A warning to the confirmed address that something has changed."""
        if address := email or user.email:
            values = {**(context or {}), "user_name": user.username}
            super().send_notification_mail(template_prefix, user, values, address)

    def login(self, request: HttpRequest, user: User) -> None:
        login(request, user, backend=BACKEND)

    def post_login(self, request: HttpRequest, user: User, **kwargs: Any) -> HttpResponse:
        """After the last step of a sign-in: this browser is known as the user's."""
        answer: HttpResponse = super().post_login(request, user, **kwargs)
        set_device_cookie(request, answer, user)
        return answer

    def respond_user_inactive(self, request: HttpRequest, user: User) -> HttpResponse:  # noqa: ARG002
        return HttpResponseRedirect(reverse("login"))


@receiver(email_confirmed)
def store_confirmed_address(email_address: EmailAddress, **_kwargs: Any) -> None:
    User.objects.filter(pk=email_address.user_id).update(email=email_address.email)


@receiver(email_removed)
def remove_address(email_address: EmailAddress, **_kwargs: Any) -> None:
    User.objects.filter(pk=email_address.user_id, email=email_address.email).update(email="")


@receiver(authentication_failed)
def log_wrong_code(request: HttpRequest, user: User, **_kwargs: Any) -> None:
    """A wrong code of the second factor stands in the log like a wrong password."""
    write_log(logging.WARNING, "wrong code", request, user.get_username())
