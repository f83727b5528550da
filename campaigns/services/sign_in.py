"""Limits on wrong passwords, and the log of sign-ins, on top of django-axes.

django-axes records every failure and every sign-in in the database, so that counts hold over all
web processes; this module decides when a client has to wait. Three counts of wrong passwords
are kept: by username and address, by username from anywhere, and by address for any username.
Beyond a count's free tries, each further failure doubles the wait.

A browser that has signed in as the user carries a signed cookie. Its failures are counted by
themselves, and the other counts do not concern it, so no one can lock a user out by guessing. An
address from which the user has signed in before is exempt from the two broad counts likewise.
(OWASP, "Slow down online guessing attacks with device cookies".)
"""

import logging
from datetime import datetime, timedelta
from typing import Any
from uuid import uuid4

from axes.handlers.database import AxesDatabaseHandler
from axes.models import AccessAttempt, AccessLog
from django.conf import settings
from django.core import signing
from django.db.models import Max, QuerySet, Sum
from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from campaigns.models import User

log = logging.getLogger("poolbench.sign_in")
COOKIE, SALT = "device", "campaigns.device"
COOKIE_DAYS = 365
KNOWN, UNKNOWN = "known device", "unknown device"
FIRST_WAIT, LONGEST_WAIT = timedelta(minutes=1), timedelta(hours=1)
BROAD = 5
"""The counts by username alone and by address alone have this many times the free tries."""


def wait_after(failures: int, free: int) -> timedelta:
    """The wait after the last of ``failures`` wrong passwords: 1, 2, 4, … 60 minutes."""
    if failures < free:
        return timedelta()
    doubled: int = 2 ** min(failures - free, 10)
    return min(LONGEST_WAIT, FIRST_WAIT * doubled)


class SignInHandler(AxesDatabaseHandler):  # type: ignore[misc]
    """django-axes' handler with our own counts and log lines (setting ``AXES_HANDLER``)."""

    def get_failures(self, request: Any, credentials: dict[str, Any] | None = None) -> int:
        """1 while the client has to wait, otherwise 0; ``AXES_FAILURE_LIMIT`` is 1."""
        username = str((credentials or {}).get("username") or "")
        record_device(request, username)
        request.sign_in_wait = find_wait(request, username)
        return int(request.sign_in_wait > timedelta())

    def user_login_failed(
        self, sender: Any, credentials: dict[str, Any], request: Any = None, **kwargs: Any
    ) -> None:
        if request is None:
            return
        was_locked = request.axes_locked_out
        super().user_login_failed(sender, credentials, request, **kwargs)
        name = credentials.get("username")
        write_log(logging.WARNING, "refused" if was_locked else "failed", request, name)
        if request.axes_locked_out and not was_locked:
            write_log(logging.WARNING, "locked", request, name)

    def user_logged_in(self, sender: Any, request: Any, user: User, **kwargs: Any) -> None:
        record_device(request, user.get_username())
        super().user_logged_in(sender, request, user, **kwargs)
        write_log(logging.INFO, "accepted", request, user.get_username())

    def user_logged_out(self, sender: Any, request: Any, user: Any, **kwargs: Any) -> None:
        super().user_logged_out(sender, request, user, **kwargs)
        if user is not None:
            write_log(logging.INFO, "ended", request, user.get_username())


def find_wait(request: Any, username: str) -> timedelta:
    """How long this client must wait before it may try a password of ``username``."""
    now, address = timezone.now(), request.axes_ip_address
    failures = AccessAttempt.objects.filter(
        attempt_time__gte=now - timedelta(hours=settings.AXES_COOLOFF_TIME)
    )
    free: int = settings.POOLBENCH_SIGN_IN_TRIES
    device = request.axes_user_agent.partition(";")[0]
    if device != UNKNOWN:
        return measure_wait(failures.filter(username=username, user_agent__startswith=device), free)
    strange = failures.filter(user_agent__startswith=UNKNOWN)
    waits = [measure_wait(strange.filter(username=username, ip_address=address), free)]
    if not AccessLog.objects.filter(username=username, ip_address=address).exists():
        waits.append(measure_wait(strange.filter(username=username), free * BROAD))
        waits.append(measure_wait(strange.filter(ip_address=address), free * BROAD))
    return max(waits)


def measure_wait(failures: QuerySet[Any], free: int) -> timedelta:
    counted = failures.aggregate(count=Sum("failures_since_start"), latest=Max("attempt_time"))
    if not counted["count"]:
        return timedelta()
    end: datetime = counted["latest"] + wait_after(counted["count"], free)
    return max(timedelta(), end - timezone.now())


def record_device(request: Any, username: str) -> None:
    """Begin the recorded user agent with the device, so that failures can be counted by it.

    A browser cannot pretend: whatever it calls itself stands after our own words.
    """
    if getattr(request, "is_device_labelled", False):
        return
    number = read_device_number(request, username)
    device = f"{KNOWN} {number}" if number else UNKNOWN
    request.axes_user_agent = f"{device}; {request.axes_user_agent}"[:255]
    request.is_device_labelled = True


def read_device_number(request: HttpRequest, username: str) -> str:
    """The number in the cookie, if this browser has signed in as ``username``."""
    try:
        data = signing.loads(
            request.COOKIES.get(COOKIE, ""), salt=SALT, max_age=timedelta(days=COOKIE_DAYS)
        )
    except signing.BadSignature:
        return ""
    return str(data["device"]) if data["username"] == username else ""


def set_device_cookie(request: HttpRequest, answer: HttpResponse, user: User) -> None:
    """Set the cookie by which this browser is known as the user's."""
    username = user.get_username()
    number = read_device_number(request, username) or uuid4().hex
    answer.set_cookie(
        COOKIE,
        signing.dumps({"username": username, "device": number}, salt=SALT),
        max_age=timedelta(days=COOKIE_DAYS),
        httponly=True,
        samesite="Lax",
        secure=settings.SESSION_COOKIE_SECURE,
    )


def write_log(level: int, outcome: str, request: Any, username: object) -> None:
    """One line. Names are quoted, so that none can pretend to be a line of its own."""
    line = "sign-in %s: user=%r address=%s path=%s"
    path = ascii(request.path_info)[1:-1]
    log.log(level, line, outcome, str(username), request.META.get("REMOTE_ADDR"), path)
