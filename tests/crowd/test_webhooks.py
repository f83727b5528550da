"""Webhooks: signed, fresh, kept once; key sets are fetched in the background."""

import json
import socket
import time
from contextlib import suppress

import pytest
from django.test import Client
from django.utils import timezone

from campaigns.models import Job
from campaigns.services import jobs
from crowd.models import ProviderEvent, Study
from crowd.queries.fake_platform import list_fake_submissions
from crowd.queries.keys import KEY_SET, find_latest_key_set, get_key_set
from crowd.services import key_sets
from crowd.services.key_sets import (
    fetch_text,
    find_public_address,
    is_public_address,
    request_key_sets,
)
from crowd.services.keys import hash_external
from poolbench.crowd.providers.prolific import sign_webhook
from tests.crowd.worker_study import make_study

BODY = json.dumps({"event_type": "submission.status.change", "participant_id": "pp1"}).encode()
URL = "https://keys.example/jwks.json"
KEYS = {"keys": [{"kty": "RSA", "kid": "k", "n": "1", "e": "AQAB"}]}


@pytest.fixture
def study(campaign):
    settings = {"webhook_secret": "hush", "key_set_url": URL, "audience": "x"}
    study = make_study(campaign, provider="prolific", provider_settings=settings)
    hash_external(campaign, "a worker has arrived")
    return study


def send(study, body=BODY, event="e1", stamp=None, **headers):
    stamp = str(int(time.time())) if stamp is None else stamp
    sent = {
        "X-Event-ID": event,
        "X-Prolific-Request-Timestamp": stamp,
        "X-Prolific-Request-Signature": sign_webhook("hush", stamp, body),
        **headers,
    }
    return Client(enforce_csrf_checks=True).post(
        f"/w/{study.campaign.slug}/{study.pk}/hook/", body, "application/json", headers=sent
    )


def test_an_event_is_noted_once_without_what_it_says_of_people(study):
    assert send(study).json() == {"new": True}
    assert send(study).json() == {"new": False}
    event = ProviderEvent.objects.get()
    assert event.kind == "hook.submission.status.change"
    assert event.body == {}
    assert send(study, event="e2").json() == {"new": True}


@pytest.mark.parametrize(
    ("event_type", "kind"),
    [("key-set", "hook.key-set"), ("fake.accepted", "hook.fake.accepted"), ("a\0b", "hook.ab"),
     ("", "hook.message"), (7, "hook.message"), ("x" * 200, "hook." + "x" * 95)],
)  # fmt: skip
def test_a_message_is_never_one_of_our_own_events(study, event_type, kind):
    body = json.dumps({"event_type": event_type, "keys": []}).encode()
    assert send(study, body).status_code == 200
    assert ProviderEvent.objects.get().kind == kind
    assert find_latest_key_set(study) is None
    assert list_fake_submissions(study) == []


@pytest.mark.parametrize(
    "change",
    [
        {"stamp": "1700000000"}, {"stamp": ""}, {"event": ""}, {"event": "x" * 201},
        {"body": b"[]"}, {"body": b"{"}, {"body": b"[" * 60_000},
        {"X-Prolific-Request-Signature": ""}, {"X-Prolific-Request-Signature": "x"},
        {"X-Prolific-Request-Timestamp": "1"},
    ],
)  # fmt: skip
def test_anything_else_is_refused(study, change):
    response = send(study, **change)
    assert (response.status_code, response.json()["code"]) == (403, "bad-webhook")
    assert not ProviderEvent.objects.exists()


def test_large_bodies_are_refused(study, settings):
    assert send(study, body=b" " * 70_000).status_code == 401  # as for all strangers
    settings.POOLBENCH_ANONYMOUS_BODY_BYTES = 1_000_000
    assert send(study, body=b" " * 70_000).status_code == 413


@pytest.mark.parametrize("change", [{"provider": "generic"}, {"provider_settings": {}}])
def test_without_a_secret_no_webhook_is_believed(study, change):
    Study.objects.update(**change)
    assert send(study).status_code == 403


def test_a_webhook_needs_a_post_and_a_study(study):
    path = f"/w/{study.campaign.slug}/{study.pk}/hook/"
    assert Client().get(path).status_code == 405
    assert Client().post(f"/w/{study.campaign.slug}/99999999/hook/").status_code == 404


def test_a_key_set_is_fetched_by_a_job_and_dated(study, monkeypatch):
    fetched = []
    monkeypatch.setattr(key_sets, "fetch_text", lambda url: fetched.append(url) or json.dumps(KEYS))
    assert get_key_set(study) == {}
    with jobs.run_jobs_inline():
        assert request_key_sets() == 1
        jobs.run_here(Job.objects.get())
    assert fetched == [URL]
    assert get_key_set(study) == KEYS
    assert request_key_sets() == 0  # it is fresh
    ProviderEvent.objects.update(received_at=timezone.now() - key_sets.MAX_AGE)
    assert request_key_sets() == 0  # it was tried just now
    Job.objects.update(created_at=timezone.now() - key_sets.RETRY_AFTER)
    assert request_key_sets() == 1
    assert ProviderEvent.objects.get().kind == KEY_SET


def test_a_failed_fetch_keeps_the_old_set_and_says_why(study, monkeypatch):
    monkeypatch.setattr(key_sets, "fetch_text", lambda _url: "<html>")
    job = jobs.run_here(key_sets.request_key_set(study))
    assert job.state == Job.State.FAILED
    assert "could not be fetched" in job.error
    assert get_key_set(study) == {}


def test_the_pasted_set_wins(study):
    study.provider_settings = {"key_set": json.dumps(KEYS)}
    assert get_key_set(study) == KEYS


@pytest.mark.parametrize("host", ["127.0.0.1", "10.0.0.1", "169.254.169.254", "::1", "localhost"])
def test_addresses_inside_the_network_are_not_fetched(host):
    with pytest.raises(ValueError, match="public internet"):
        find_public_address(host)
    with pytest.raises(ValueError, match="public internet"):
        fetch_text(f"https://{f'[{host}]' if ':' in host else host}/jwks.json")


@pytest.mark.parametrize("url", ["http://keys.example/", "file:///etc/passwd", "", "https:///x"])
def test_other_schemes_are_not_fetched(url):
    with pytest.raises(ValueError, match="https"):
        fetch_text(url)


@pytest.mark.parametrize(
    ("address", "public"),
    [("8.8.8.8", True), ("2606:4700::1111", True), ("64:ff9b::7f00:1", False),
     ("64:ff9b:1::a00:1", False), ("2002:7f00:1::", False), ("::ffff:10.0.0.1", False),
     ("224.0.0.1", False), ("ff0e::1", False), ("240.0.0.1", False),
     ("100.64.0.1", False), ("fe80::1%eth0", False)],
)  # fmt: skip
def test_an_address_is_of_one_machine_on_the_internet(address, public):
    assert is_public_address(address) == public


@pytest.mark.parametrize("url", ["https://keys.example:8443/", "https://keys.example:22/"])
def test_other_ports_are_not_fetched(url):
    with pytest.raises(ValueError, match="port 443"):
        fetch_text(url)


@pytest.fixture
def answer_with(monkeypatch):
    """The host answers with these bytes, or keeps silent after them."""

    def prepare(data, *, silent=False):
        ours, theirs = socket.socketpair()
        theirs.sendall(data)
        if not silent:
            theirs.shutdown(socket.SHUT_WR)
        monkeypatch.setattr(key_sets, "find_public_address", lambda _host: "192.0.2.1")
        monkeypatch.setattr(
            key_sets.CheckedConnection, "connect", lambda self: setattr(self, "sock", ours)
        )
        return theirs

    return prepare


def test_the_text_is_what_the_host_answers(answer_with, monkeypatch):
    monkeypatch.setenv("https_proxy", "http://127.0.0.1:9")
    theirs = answer_with(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")
    assert fetch_text("https://keys.example/a?b=1") == "{}"
    assert theirs.recv(1000).startswith(b"GET /a?b=1 HTTP/1.1\r\nHost: keys.example\r\n")
    theirs.close()


@pytest.mark.parametrize(
    ("data", "message"),
    [(b"HTTP/1.1 302 Found\r\nLocation: https://10.0.0.1/\r\n\r\n", "the answer is 302"),
     (b"nonsense\r\n\r\n", "cannot be read"),
     (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", "cannot be read")],
)  # fmt: skip
def test_other_answers_are_no_text(answer_with, data, message):
    theirs = answer_with(data)
    with pytest.raises(ValueError, match=message):
        fetch_text("https://keys.example/")
    theirs.close()


def test_a_host_that_never_ends_is_cut_off(answer_with, monkeypatch):
    monkeypatch.setattr(key_sets, "MOST_SECONDS", 0.2)
    theirs = answer_with(b"HTTP/1.1 200 OK\r\n", silent=True)
    began = time.monotonic()
    with suppress(OSError, ValueError):
        json.loads(fetch_text("https://keys.example/"))
    assert time.monotonic() - began < 5
    theirs.close()
