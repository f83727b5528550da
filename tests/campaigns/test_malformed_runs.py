"""Odd files through the real upload page: an explained answer each, never an error page."""

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
PDF = b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n1 0 obj\n<< /Type /Catalog >>\nendobj\n"

REFUSED = {
    "wrong columns": (b"1 Q0 d1 1 9 tag\n1 d2 2 8 tag\n1 Q0 d3 3 7 tag more\n", {"E03"}),
    "duplicate docno": (GOOD + b"1 Q0 d1 3 5 tag\n", {"E11"}),
    "nan score": (b"1 Q0 d1 1 nan tag\n", {"E14"}),
    "infinite score": (b"1 Q0 d1 1 1e999 tag\n", {"E14"}),
    "one line of a megabyte": (b"1 Q0 " + b"x" * 1_000_000 + b" 1 9 tag\n", {"E10"}),
    "NUL bytes": (b"1 Q0 d1 1 9 tag\n1 Q0 d\x002 2 8 tag\n", {"E01"}),
    "gzip bomb": (gzip.compress(b"1 Q0 d1 1 9 tag\n" * 20_000), {"E02"}),
    "broken gzip": (gzip.compress(GOOD)[:40], {"E02"}),
    "unknown topic": (GOOD + b"99 Q0 d1 1 9 tag\n", {"E09"}),
    "unknown docno": (b"1 Q0 elsewhere 1 9 tag\n", {"E10"}),
    "empty": (b"", {"E04"}),
    "only comments": (b"# a run\n# without lines\n", {"E04"}),
    "a picture": (PNG, {"E01"}),
    "a PDF": (PDF, {"E01"}),
    "UTF-16": (GOOD.decode().encode("utf-16"), {"E01"}),
    "an HTML page": (HTML, {"E01"}),
    "two tags": (b"1 Q0 d1 1 9 tag\n1 Q0 d2 2 8 gat\n", {"E06"}),
    "too many for a topic": (run_text("tag", docnos=[f"d{n}" for n in range(1, 10)]), {"E12"}),
    "rank in words": (b"1 Q0 d1 first 9 tag\n", {"E13"}),
    "Latin-1": (b"1 Q0 d1 1 9 tag\n1 Q0 caf\xe9 2 8 tag\n", {"E01"}),
    "a tag with a slash": (run_text("my/tag"), {"E05"}),
    "gzip in gzip": (gzip.compress(gzip.compress(GOOD)), {"E01"}),
}
ACCEPTED = {
    "CRLF and a BOM": (b"\xef\xbb\xbf" + GOOD.replace(b"\n", b"\r\n"), {"W12"}),
    "tabs": (GOOD.replace(b" ", b"\t"), set()),
    "no last newline": (GOOD.rstrip(), set()),
    "ranks against scores": (b"1 Q0 d1 1 1 tag\n1 Q0 d2 2 9 tag\n", {"W02", "W05"}),
}


@pytest.fixture
def sent(campaign, participant, team, client, settings):
    """``sent(data)``: the run and its page after an upload by the participant."""
    settings.POOLBENCH_MAX_UPLOAD_BYTES = 1_500_000
    settings.POOLBENCH_CHECK_AT_ONCE_BYTES = 5_000_000
    campaign.max_docs_per_topic = 8
    campaign.save()
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
