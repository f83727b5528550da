"""``/metrics``: figures of the installation for Prometheus, in its text format."""

from collections.abc import Iterator
from datetime import timedelta
from ipaddress import ip_address
from itertools import accumulate
from typing import Any

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.core.exceptions import PermissionDenied
from django.db.models import Count
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.crypto import constant_time_compare
from django.views.decorators.http import require_safe

from campaigns.models import Job, Mail
from campaigns.queries.mail import summarize_mails
from campaigns.services.health import FAILED, OK, get_health
from judging.models import Judgment
from workbench.request_times import BOUNDS, ERRORS, SECONDS, sum_requests

FORWARDED = ("Forwarded", "Via", "X-Forwarded", "X-Real")
"""Beginnings of the headers by which proxies are known."""
LATEST = 10_000
"""Judgments that are looked at: more a minute are not counted."""


@login_not_required
@require_safe
def metrics_view(request: HttpRequest) -> HttpResponse:
    """To the machine itself, to addresses that are allowed, or with the token."""
    if not may_read_metrics(request):
        raise PermissionDenied
    text = "".join(f"{line}\n" for line in list_metrics())
    return HttpResponse(text, content_type="text/plain; version=0.0.4; charset=utf-8")


def may_read_metrics(request: HttpRequest) -> bool:
    """A request that a proxy forwards needs the token: it may come from anywhere."""
    if token := settings.POOLBENCH_METRICS_TOKEN:
        sent = request.headers.get("Authorization", "").removeprefix("Bearer ")
        if constant_time_compare(sent, token):
            return True
    if any(name.startswith(FORWARDED) for name in request.headers):
        return False
    address = ip_address(request.META["REMOTE_ADDR"] or "0.0.0.0")  # noqa: S104 -- of a socket file
    return address.is_loopback or str(address) in settings.POOLBENCH_METRICS_ADDRESSES


def list_metrics() -> Iterator[str]:
    """The lines of all metrics; those of a database that is away are left out."""
    health = get_health()
    yield from _gauge("up", "Whether pages and uploads work.", health["status"] != FAILED)
    yield from _gauge("degraded", "Whether anything is amiss.", health["status"] != OK)
    yield from _gauge("store_free_bytes", "Free space for files.", health["store_free_bytes"])
    for name in ("newest_tick", "newest_worker", "oldest_queued_job"):
        text = f"Seconds since the {name.replace('_', ' ')}."
        yield from _gauge(f"{name}_seconds", text, health[f"{name}_seconds"])
    if health["database"] != FAILED:
        yield from _list_counts()
    yield from _list_request_times(sum_requests())


def _list_counts() -> Iterator[str]:
    by_state = dict(Job.objects.order_by().values_list("state").annotate(Count("pk")))
    yield from _head("jobs", "gauge", "Background jobs by state.")
    yield from (
        f'poolbench_jobs{{state="{state}"}} {by_state.get(state, 0)}' for state in Job.State.values
    )
    mails = summarize_mails()
    yield from _head("mails", "gauge", "Mails by state.")
    yield from (
        f'poolbench_mails{{state="{state}"}} {mails["states"].get(state, 0)}'
        for state in Mail.State.values
    )
    text = "Seconds that the oldest mail which is due has waited."
    yield from _gauge("oldest_queued_mail_seconds", text, mails["oldest_seconds"])
    latest = Judgment.objects.order_by("-pk").values_list("judged_at", flat=True)[:LATEST]
    minute_ago = timezone.now() - timedelta(minutes=1)
    number = sum(at >= minute_ago for at in latest)
    yield from _gauge("judgments_per_minute", "Judgments of the last minute.", number)


def _list_request_times(sums: list[float]) -> Iterator[str]:
    name = "request_seconds"
    yield from _head(name, "histogram", "Requests by the seconds until the answer began.")
    totals = [int(total) for total in accumulate(sums[:SECONDS])]
    for bound, total in zip([*BOUNDS, "+Inf"], totals, strict=True):
        yield f'poolbench_{name}_bucket{{le="{bound}"}} {total}'
    yield f"poolbench_{name}_sum {sums[SECONDS]:.6f}"
    yield f"poolbench_{name}_count {totals[-1]}"
    yield from _head("request_errors_total", "counter", "Requests answered with 500 or more.")
    yield f"poolbench_request_errors_total {int(sums[ERRORS])}"


def _head(name: str, kind: str, text: str) -> Iterator[str]:
    yield f"# HELP poolbench_{name} {text}"
    yield f"# TYPE poolbench_{name} {kind}"


def _gauge(name: str, text: str, value: Any) -> Iterator[str]:
    if value is not None:
        yield from _head(name, "gauge", text)
        yield f"poolbench_{name} {int(value)}"
