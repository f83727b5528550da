"""Files of charts: one size, three formats. ``test_access`` asks for the charts of all pages."""

import pytest
from django.http import Http404
from django.test import RequestFactory

from campaigns.views.pages import render_page
from poolbench.charts.kinds import build_bar_chart
from tests.png_chunks import iter_png_chunks
from tests.test_access import urls


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


def test_the_file_of_a_chart_computes_no_later_part():
    bars = [("1", 0.5, "Topic 1: 0.5", "own")]
    chart = build_bar_chart(("shares", "Shares"), ("topic", "share"), bars, 1.0, "One bar.")
    called = []

    def rest() -> dict[str, object]:
        called.append("rest")
        return {}

    request = RequestFactory().get("/", {"chart": "shares.svg"})
    assert b"Topic 1" in render_page(request, "none.html", {"chart": chart}, rest).content
    assert not called
    with pytest.raises(Http404):
        render_page(RequestFactory().get("/", {"chart": "no.svg"}), "none.html", {}, rest)
    assert called
