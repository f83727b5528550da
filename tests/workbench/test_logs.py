"""No line of any log has a link of an invitation or of a crowd worker that could be used."""

from __future__ import annotations

import io
import logging

import pytest
from django.test import Client

from campaigns.services.people import sign_invitation_token
from workbench.logs import PlainFormatter, mask_record


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
