"""No line of any log has a link of an invitation or of a crowd worker that could be used."""

import io
import json
import logging
import re
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from campaigns.models import Job
from campaigns.services import jobs
from campaigns.services.people import sign_invitation_token
from workbench.logs import JsonFormatter, PlainFormatter, mask_record


@pytest.fixture
def link(world) -> str:
    return f"/join/{sign_invitation_token(world.invitation)}/"


def test_a_failure_of_the_invitation_page_is_logged_without_its_link(link, monkeypatch):
    stream = io.StringIO()
    (handler,) = (it for it in logging.getLogger().handlers if it.get_name() == "console")
    monkeypatch.setattr(handler, "stream", stream)

    def fail(*_args: object) -> None:
        raise RuntimeError(f"broken at {link}")

    monkeypatch.setattr("campaigns.services.people.get_invitation", fail)
    assert Client(raise_request_exception=False).get(link).status_code == 500
    Client(enforce_csrf_checks=True).post(link)
    told = stream.getvalue()
    assert "Internal Server Error: /join/…/" in told
    assert "broken at /join/…/" in told
    assert "Forbidden (CSRF cookie not set.): /join/…/" in told
    assert link not in told


def test_the_web_servers_own_lines_are_without_links(link):
    atoms = {
        "h": "192.0.2.1",
        "r": f"GET {link} HTTP/1.1",
        "f": f"/login/?next=%2Fjoin%2F{link[6:]}",
    }
    record = logging.LogRecord("gunicorn.access", 20, "", 0, "%(h)s %(r)s %(f)s", (atoms,), None)
    assert mask_record(record)
    assert record.getMessage() == "192.0.2.1 GET /join/…/ HTTP/1.1 /login/?next=%2Fjoin%2F…/"


@pytest.mark.parametrize(
    ("address", "masked"),
    [
        ("/w/unit/5f3a.1vN.x-Y_z/answer/", "/w/unit/…/answer/"),
        ("/w/small/12/?exp=9&kid=k1&sig=ab12&uid=u1&wid=jo%40example.org", "/w/small/12/?…"),
        ("/w/small/12/return/?unit=u1&receipt=ab", "/w/small/12/return/?…"),
        ("/login/?next=%2Fw%2Funit%2F5f3a.1vN.x-Y_z%2F", "/login/?next=%2Fw%2Funit%2F…%2F"),
        ("/w/small/12?exp=9&sig=ab12&wid=jo", "/w/small/12?…"),
        ("/w/small/12/", "/w/small/12/"),
    ],
)
def test_no_line_has_a_workers_link(address, masked):
    lines = []
    for name in ("gunicorn.access", "django.request"):
        record = logging.LogRecord(name, 20, "", 0, "GET %s HTTP/1.1", (address,), None)
        assert mask_record(record)
        lines += [record.getMessage(), PlainFormatter("%(message)s").format(record)]
    assert set(lines) == {f"GET {masked} HTTP/1.1"}


@pytest.fixture
def lines(monkeypatch, caplog) -> Callable[[], list[dict[str, Any]]]:
    """Lines of the log as JSON, as under ``POOLBENCH_LOG_FORMAT=json``."""
    jobs.load_tasks()  # the first time it sets up Django once more, with handlers of its own
    stream = io.StringIO()
    (handler,) = (it for it in logging.getLogger().handlers if it.get_name() == "console")
    monkeypatch.setattr(handler, "stream", stream)
    monkeypatch.setattr(handler, "formatter", JsonFormatter())
    caplog.set_level(logging.INFO, "poolbench.requests")
    return lambda: [json.loads(line) for line in stream.getvalue().splitlines()]


def test_a_request_is_a_line_with_the_proxys_id(client, link, lines, settings):
    assert "…" not in client.get(link, headers={"X-Request-ID": "abcdef-123"})["X-Request-ID"]
    settings.POOLBENCH_PROXIES = 1
    sent = {"X-Request-ID": "abcdef-123", "X-Forwarded-For": "192.0.2.7"}
    assert client.get(link, headers=sent)["X-Request-ID"] == "abcdef-123"
    first, second = (line for line in lines() if line["logger"] == "poolbench.requests")
    assert re.fullmatch("[0-9a-f]{32}", first["request_id"])
    assert second.pop("time").endswith("+00:00")
    assert 0 < second.pop("seconds") < 60
    assert second == {
        "level": "INFO", "logger": "poolbench.requests", "message": "GET /join/…/",
        "request_id": "abcdef-123", "status": 200, "address": "192.0.2.7",
    }  # fmt: skip


def test_an_odd_id_is_not_taken(client, db, settings):
    settings.POOLBENCH_PROXIES = 1
    for sent in ("", "short", "x" * 65, 'a"b\tcdefgh'):
        given = client.get("/health/", headers={"X-Request-ID": sent})["X-Request-ID"]
        assert re.fullmatch("[0-9a-f]{32}", given)


def test_a_jobs_lines_name_the_job(world, lines):
    job = Job.objects.create(campaign=world.campaign, kind="campaigns.check_run", args={"run": -1})
    jobs.call_task(job)
    (line,) = lines()
    assert (line["job_id"], line["level"]) == (job.pk, "ERROR")
    assert line["message"].startswith(f"job {job.pk} (campaigns.check_run) failed\nTraceback")


def test_errors_are_mailed_once_an_hour_and_place_and_not_more_than_ten(settings, mailoutbox):
    settings.ADMINS = [("", "ops@example.org")]
    log = logging.getLogger("poolbench.test")
    for number in range(3):
        log.error("failed at /join/Mg:1vN:x-Y_z/ for the %s. time", number)
    (mail,) = mailoutbox
    assert mail.to == ["ops@example.org"]
    assert mail.subject == "[Poolbench] ERROR: failed at /join/…/ for the 0. time"
    assert "x-Y_z" not in mail.body
    for number in range(20):
        record = logging.LogRecord("poolbench.test", logging.ERROR, "x.py", number, "no", (), None)
        log.handle(record)
    assert len(mailoutbox) == 10
    log.warning("not worth a mail")
    assert len(mailoutbox) == 10


def test_a_mail_server_that_is_away_fails_no_request(settings, monkeypatch):
    settings.ADMINS = [("", "ops@example.org")]
    monkeypatch.setattr("workbench.logs.mail_admins", raise_refused)
    monkeypatch.setattr(logging, "raiseExceptions", False)
    logging.getLogger("poolbench.test").error("failed")


def raise_refused(*_args: object) -> None:
    raise ConnectionRefusedError
