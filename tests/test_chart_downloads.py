"""Files of charts: one size, three formats. ``test_access`` asks for the charts of all pages."""

from __future__ import annotations

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
