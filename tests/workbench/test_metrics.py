"""``/metrics``: who may read it, and what it says."""

import re
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from campaigns.models import Job, Mail
from judging.models import Judgment
from poolbench.cache import clear_caches
from workbench.request_times import BOUNDS, COLUMNS, record_request, sum_requests

LINE = re.compile(r'(poolbench_\w+(?:\{\w+="[^"]+"\})?) (-?[\d.]+)')


def read_metrics(client: Client) -> dict[str, float]:
    clear_caches()
    lines = client.get("/metrics").content.decode().splitlines()
    values = [line for line in lines if not re.match(r"# (HELP|TYPE) poolbench_\w+ \S", line)]
    return {match[1]: float(match[2]) for line in values if (match := LINE.fullmatch(line))}


def test_figures_of_the_installation(world, client):
    Job.objects.create(campaign=world.campaign, kind="x")
    now = timezone.now()
    Mail.objects.create(kind="message", created_at=now - timedelta(seconds=90))
    Judgment.objects.update(judged_at=now - timedelta(minutes=2))
    Judgment.objects.filter(docno="d1").update(judged_at=now)
    before = read_metrics(client)
    record_request(20, 200)
    record_request(20, 503)
    after = read_metrics(client)
    assert after["poolbench_up"] == 1
    assert after["poolbench_store_free_bytes"] > 0
    assert after['poolbench_jobs{state="queued"}'] == Job.objects.filter(state="queued").count()
    assert after['poolbench_mails{state="queued"}'] == Mail.objects.filter(state="queued").count()
    assert after["poolbench_oldest_queued_mail_seconds"] >= 90
    assert after["poolbench_judgments_per_minute"] == Judgment.objects.filter(docno="d1").count()
    grown = {name: round(value - before[name], 1) for name, value in after.items()}
    assert grown["poolbench_request_errors_total"] == 1
    bins = 'poolbench_request_seconds_bucket{le="%s"}'
    # The first asking for the figures is one more request.
    assert [grown[bins % bound] - grown[bins % 10.0] for bound in (30.0, "+Inf")] == [2, 2]
    assert grown["poolbench_request_seconds_count"] == 3
    assert grown["poolbench_request_seconds_sum"] >= 40


def test_processes_count_together():
    before = sum_requests()
    assert len(before) == COLUMNS
    record_request(BOUNDS[-1] + 1, 200)
    record_request(0, 200)
    grown = [now - then for now, then in zip(sum_requests(), before, strict=True)]
    assert grown == [1, *[0] * (len(BOUNDS) - 1), 1, BOUNDS[-1] + 1, 0]


@pytest.mark.parametrize(
    ("address", "headers", "status"),
    [
        ("127.0.0.1", {}, 200),
        ("::1", {}, 200),
        ("192.0.2.1", {}, 403),
        ("192.0.2.7", {}, 200),  # as the settings allow
        ("192.0.2.7", {"X-Forwarded-For": "192.0.2.7"}, 403),
        ("127.0.0.1", {"X-Forwarded-For": "127.0.0.1"}, 403),
        ("127.0.0.1", {"Forwarded": "for=127.0.0.1"}, 403),
        ("192.0.2.1", {"X-Forwarded-For": "x", "Authorization": "Bearer secret"}, 200),
        ("192.0.2.1", {"Authorization": "Bearer secreto"}, 403),
        ("", {}, 403),
    ],
)
def test_only_the_machine_allowed_addresses_and_the_token_read_them(
    db, settings, address, headers, status
):
    settings.POOLBENCH_METRICS_ADDRESSES = ["192.0.2.7"]
    settings.POOLBENCH_METRICS_TOKEN = "secret"
    assert Client(REMOTE_ADDR=address).get("/metrics", headers=headers).status_code == status


def test_without_a_token_none_is_taken(db):
    sent = {"X-Forwarded-For": "192.0.2.1", "Authorization": "Bearer "}
    assert Client().get("/metrics", headers=sent).status_code == 403
