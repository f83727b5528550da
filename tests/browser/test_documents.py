"""Documents in a browser: nothing of theirs runs, PDF and pictures are seen, long texts go on."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import urlencode

import pytest

from campaigns.models import Campaign, Document, PdfLayout
from campaigns.services.collection import import_documents
from poolbench.texts.html_sanitizer import sanitize
from tests.campaigns.test_document_files import png, zipped
from tests.pdf_files import pdf
from tests.poolbench.texts.test_sanitizing import ATTACKS

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, Route

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

TEXT = "\n\n".join(f"{n} paragraph 😀 whose words\nare many " + "word " * 40 for n in range(3000))


@dataclass
class Reader:
    """A member at a browser: what went out to the attacker's host, and errors of the console."""

    page: Page
    slug: str
    out: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    def leaked(self, route: Route) -> None:
        self.out.append(route.request.url)
        route.fulfill(status=200, body="")

    def open(self, docno: str, name: str = "view") -> Page:
        # Not until "load": a browser decides when it gives up what an attack asks for.
        address = f"/c/{self.slug}/setup/documents/{name}/?{urlencode({'docno': docno})}"
        self.page.goto(address, wait_until="domcontentloaded")
        return self.page


@pytest.fixture
def reader(browser: Browser, live_server, campaign, organizer, client) -> Iterator[Reader]:
    client.force_login(organizer)
    context = browser.new_context(base_url=live_server.url)
    context.set_default_timeout(30_000)
    session = client.cookies["sessionid"].value
    context.add_cookies([{"name": "sessionid", "value": session, "url": live_server.url}])
    made = Reader(context.new_page(), campaign.slug)
    context.route(re.compile(r"//evil\.example"), made.leaked)
    made.page.on("console", lambda m: made.errors.append(m.text) if m.type == "error" else None)
    yield made
    context.close()


def bring(campaign: Campaign, files: dict[str, bytes]) -> None:
    import_documents(actor=campaign.created_by, campaign=campaign, data=zipped(files))


@pytest.mark.parametrize("cleaned", [True, False], ids=["sanitised", "past-the-sanitiser"])
def test_no_attack_in_a_document_runs_or_fetches(reader, campaign, cleaned):
    """The second time as if nothing had been sanitised: frame and policy alone must hold."""
    html = "".join(ATTACKS).replace("alert(1)", "top.document.title=document.title='pwned'")
    body = sanitize(html).html if cleaned else html
    Document.objects.create(
        campaign=campaign, docno="evil", format="html", body=f"<p>seen</p>{body}", sha256="x"
    )
    page = reader.open("evil")
    page.frame_locator("iframe").get_by_text("seen").wait_for()
    page.wait_for_load_state("networkidle")
    assert page.title().startswith("evil")
    page = reader.open("evil", "body")
    page.wait_for_load_state("networkidle")
    assert page.title() != "pwned"
    assert reader.out == []
    # What is refused, the browser tells: without the sanitiser there was something to refuse.
    assert bool(reader.errors) != cleaned


def test_pdf_and_pictures_are_shown_in_the_page(reader, campaign):
    bring(campaign, {"paper.pdf": pdf("Seen in the viewer"), "photo.png": png(40, 30)})
    page = reader.open("photo")
    picture = page.get_by_role("img", name="Image photo")
    assert picture.evaluate("image => [image.naturalWidth, image.naturalHeight]") == [40, 30]
    page = reader.open("paper")
    page.wait_for_function("() => document.querySelector('.pdf-page img')?.naturalWidth > 0")
    assert page.locator(".pdf-page p").inner_text() == "Seen in the viewer"
    # One that was not read.
    PdfLayout.objects.all().delete()
    page = reader.open("paper")
    if not page.evaluate("navigator.pdfViewerEnabled"):
        pytest.skip("this Chromium has no PDF viewer")
    frame = page.locator("iframe.document-frame")
    frame.wait_for()
    page.wait_for_load_state("networkidle")
    assert any("documents/body/" in inside.url for inside in page.frames)
    # The viewer is a frame of the browser's own inside ours.
    assert any(inside.url.startswith("chrome-extension://") for inside in page.frames)
    assert reader.errors == []


def test_a_long_text_goes_on_where_it_is_scrolled_to(reader, campaign):
    Document.objects.create(campaign=campaign, docno="long", body=TEXT, sha256="x")
    page = reader.open("long")
    seen = page.locator(".chunk").count()
    page.locator(".read-on").scroll_into_view_if_needed()
    page.locator(".chunk").nth(seen).wait_for(state="attached")
    starts = page.evaluate("[...document.querySelectorAll('.chunk')].map(e => +e.dataset.start)")
    assert starts == sorted(set(starts))
    assert reader.errors == []


def test_a_link_outward_leads_nowhere_and_one_inward_leads_there(reader, campaign):
    page = b'<a href="https://evil.example/">out</a> <a href="#end">in</a><p id="end">End'
    bring(campaign, {"page.html": page})
    opened = reader.open("page")
    frame = opened.frame_locator("iframe")
    frame.get_by_text("out").click()
    frame.get_by_text("in", exact=True).click()
    frame.locator("#doc-end:target").wait_for()
    assert [frame.url.rpartition("#")[2] for frame in opened.frames][1] == "doc-end"
    assert len(opened.context.pages) == 1
    assert reader.out == []
