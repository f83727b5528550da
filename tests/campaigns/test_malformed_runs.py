"""Odd files through the real upload page: an explained answer each, never an error page.

Every other way in which a file can be wrong is in ``tests/poolbench/runs``.
"""

from __future__ import annotations

import gzip
import re

import pytest
from django.urls import reverse

from campaigns.models import Run
from tests.world.files import run_form, run_text

GOOD = run_text("tag")
HTML = b"<!doctype html><html><body><h1>404 Not Found</h1></body></html>\n"
PNG = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01" + bytes(range(256)) * 4

REFUSED = {
    "wrong columns": (b"1 Q0 d1 1 9 tag\n1 d2 2 8 tag\n1 Q0 d3 3 7 tag more\n", {"E03"}),
    "one line of a megabyte": (b"1 Q0 " + b"x" * 1_000_000 + b" 1 9 tag\n", {"E10"}),
    "NUL bytes": (b"1 Q0 d1 1 9 tag\n1 Q0 d\x002 2 8 tag\n", {"E01"}),
    "gzip bomb": (gzip.compress(b"1 Q0 d1 1 9 tag\n" * 20_000), {"E02"}),
    "unknown topic": (GOOD + b"99 Q0 d1 1 9 tag\n", {"E09"}),
    "empty": (b"", {"E04"}),
    "a picture": (PNG, {"E01"}),
    "an HTML page": (HTML, {"E01"}),
    "Latin-1": (b"1 Q0 d1 1 9 tag\n1 Q0 caf\xe9 2 8 tag\n", {"E01"}),
}
ACCEPTED = {
    "CRLF and a BOM": (b"\xef\xbb\xbf" + GOOD.replace(b"\n", b"\r\n"), {"W12"}),
    "ranks against scores": (b"1 Q0 d1 1 1 tag\n1 Q0 d2 2 9 tag\n", {"W02", "W05"}),
}


@pytest.fixture
def sent(campaign, participant, team, client, settings):
    """``sent(data)``: the run and its page after an upload by the participant."""
    settings.POOLBENCH_MAX_UPLOAD_BYTES = 1_500_000
    settings.POOLBENCH_CHECK_AT_ONCE_BYTES = 5_000_000
    client.force_login(participant)

    def send(data):
        answer = client.post(reverse("run-upload", args=["small"]), run_form(team, data))
        assert answer.status_code == 302, answer.content.decode()
        page = client.get(answer.url)
        assert page.status_code == 200
        return Run.objects.get(), page.content.decode()

    return send


@pytest.mark.parametrize("name", REFUSED)
def test_an_odd_run_is_refused_with_code_place_and_cure(sent, settings, name):
    data, wanted = REFUSED[name]
    if name == "gzip bomb":
        settings.POOLBENCH_MAX_UPLOAD_BYTES = 100_000
    run, page = sent(data)
    assert run.state == "rejected"
    report = run.fault_report
    assert wanted <= set(report.counts)
    for fault in report.faults:
        assert fault.message
        assert fault.fix
    shown = set(re.findall(r'id="fault-(\w+)"', page))
    assert shown == set(report.counts)
    assert "Rejected." in page
    assert len(page) < 100_000


@pytest.mark.parametrize("name", ACCEPTED)
def test_an_unusual_run_is_accepted_and_told_so(sent, name):
    data, wanted = ACCEPTED[name]
    run, page = sent(data)
    assert run.state == "accepted", run.report
    assert set(run.fault_report.counts) == wanted
    assert "Accepted." in page
