"""Every chart of every page: named axes, a caption, and its three files with title and version."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from django.http import HttpRequest

from campaigns.views import pages
from campaigns.views.chart_files import WRITERS, chart_file_response
from common.charts.chart import Chart
from common.charts.png import SIGNATURE, iter_png_chunks
from tests.csv_reading import csv_conditions
from tests.test_access import rows, urls

LEAST = 10
"""Charts that the pages of the small campaign have; fewer would mean that the walk missed them."""


@pytest.fixture
def drawn(monkeypatch) -> dict[str, Chart]:
    """The charts of all pages that were rendered, by address and name."""
    charts: dict[str, Chart] = {}

    def remember(request: HttpRequest, context: Mapping[str, object]):
        found = [value for value in context.values() if isinstance(value, Chart)]
        address = request.get_full_path()
        mark = "&" if "?" in address else "?"
        if "chart" not in request.GET:
            charts.update({f"{address}{mark}chart={chart.name}": chart for chart in found})
        return chart_file_response(request, context)

    monkeypatch.setattr(pages, "chart_file_response", remember)
    return charts


def test_every_chart_of_every_page_has_axes_caption_and_three_files(world, client, drawn):
    address = urls(world)
    for role in ("organizer", "owner"):
        client.force_login(world.people[role])
        for name, method, _ in rows():
            if method == "GET" and "chart" not in name and name != "document-body":
                client.get(address[name])
        assert len(drawn) >= LEAST if role == "organizer" else drawn
        faults = [
            fault for link, chart in drawn.items() for fault in list_faults(client, link, chart)
        ]
        assert faults == []
        drawn.clear()


def list_faults(client, link: str, chart: Chart) -> list[str]:
    """What the chart lacks, and which of its files are not what they should be."""
    faults = [
        f"{link} has no {what}"
        for what, text in (
            ("title", chart.title), ("caption", chart.caption),
            ("name of the horizontal axis", chart.across.name),
            ("name of the vertical axis", chart.up.name),
        )
        if not text
    ]  # fmt: skip
    for ending in WRITERS:
        answer = client.get(f"{link}.{ending}")
        if answer.status_code != 200:
            faults.append(f"{link}.{ending}: {answer.status_code}")
            continue
        text = answer.content.decode("utf-8", "replace")
        if ending == "png" and not answer.content.startswith(SIGNATURE):
            faults.append(f"{link}.png is no PNG")
        if ending == "csv" and not csv_conditions(text)["title"]:
            faults.append(f"{link}.csv has no title")
        faults += [f"{link}.{ending} lacks the version"] * ("Poolbench 0" not in text)
    return faults


def test_no_address_chooses_a_size_or_another_format(world, client):
    client.force_login(world.people["organizer"])
    address = urls(world)["measure@chart"].removesuffix(".svg")
    plain = dict(iter_png_chunks(client.get(f"{address}.png").content))
    odd = client.get(f"{address}.png&width=99999&height=99999&dpi=9999&zoom=99&scale=99").content
    chunks = dict(iter_png_chunks(odd))
    assert chunks[b"pHYs"] == plain[b"pHYs"]
    # The same width; the address is one of the lines below, so that the height may differ.
    assert chunks[b"IHDR"][:4] == plain[b"IHDR"][:4]
    for ending in (".gif", "", ".svg.png", ".pdf"):
        assert client.get(f"{address}{ending}").status_code == 404
