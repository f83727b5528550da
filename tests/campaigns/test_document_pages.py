"""A document's page and body: what is shown, to whom, under which policy, in which pieces."""

from html.parser import HTMLParser

import pytest
from django.urls import reverse

from campaigns import store
from campaigns.models import Campaign, Document
from campaigns.services.collection import import_documents
from campaigns.templatetags.documents import document_length
from tests.campaigns.test_document_files import PDF, png, zipped

TEXT = (
    'A "first" <b>paragraph</b> & more\nwhose lines were broken for width alone.\n\n'
    "    verbatim  &amp;\n\t\tkept\n\nعربي 😀 text\n1. one\n2. two"
)


class Blocks(HTMLParser):
    """The text of every element with data-start, by that."""

    def __init__(self) -> None:
        super().__init__()
        self.found: dict[int, str] = {}
        self.open: int | None = None

    def handle_starttag(self, tag, attrs):
        at = dict(attrs).get("data-start")
        if at is not None and tag in ("p", "pre"):
            self.open = int(at)
            self.found[self.open] = ""

    def handle_endtag(self, tag):
        if tag in ("p", "pre"):
            self.open = None

    def handle_data(self, data):
        if self.open is not None:
            self.found[self.open] += data


def shown(html: str) -> dict[int, str]:
    parser = Blocks()
    parser.feed(html)
    return parser.found


@pytest.fixture
def library(campaign, organizer) -> Campaign:
    files = {"page.html": b"<p>Hello", "paper.pdf": PDF, "photo.png": png(), "empty.txt": b" "}
    import_documents(actor=organizer, campaign=campaign, data=zipped(files))
    made = {"campaign": campaign, "sha256": "x"}
    Document.objects.create(docno="text", body=TEXT, **made)
    Document.objects.create(docno="a&b", body=("word and word " * 15 + "\n\n") * 3_000, **made)
    return campaign


def view(campaign: Campaign, name: str, docno: str, **more: object) -> str:
    return reverse(name, args=[campaign.slug], query={"docno": docno, **more})


def test_what_is_shown_at_an_offset_is_the_body_there(library, as_user, viewer):
    page = as_user(viewer).get(view(library, "document", "text")).content.decode()
    blocks = shown(page)
    assert len(blocks) == 3
    assert all(TEXT[at : at + len(text)] == text for at, text in blocks.items())
    assert "".join("".join(blocks.values()).split()) == "".join(TEXT.split())


def test_a_long_text_comes_piece_by_piece_and_whole(library, as_user, viewer):
    client, body = as_user(viewer), Document.objects.get(docno="a&b").body
    page = client.get(view(library, "document", "a&b")).content.decode()
    assert len(page) < 400_000
    gathered: dict[int, str] = {}
    pieces = 1
    while True:
        gathered |= shown(page)
        if "read-on" not in page:
            break
        start = max(gathered) + len(gathered[max(gathered)])
        after = body[start:]
        start += len(after) - len(after.lstrip("\n"))
        assert f"docno=a%26b&amp;from={start}" in page
        page = client.get(view(library, "document-body", "a&b", **{"from": start})).content.decode()
        pieces += 1
    assert pieces == 4
    assert all(body[at : at + len(text)] == text for at, text in gathered.items())
    assert len(gathered) == 3_000


@pytest.mark.parametrize(
    ("kind", "body", "told"),
    [
        ("text", "one two", "2 words"),
        ("text", "one", "1 word"),
        ("text", "", "0 words"),
        ("text", "热传导" * 400, "1,200 characters"),
        ("text", "word " * 100_000, "100,000 words"),
        ("text", "word " * 1_234_567, "about 1,200,000 words"),
        ("text", "热传导" * 411_111, "about 1,200,000 characters"),
        ("html", "<p>two <b>words</b></p>", "2 words"),
        ("html", "<p>two words</p>" * 100_000, "about 200,000 words"),
    ],
)
def test_the_length_of_a_document_is_counted_or_of_long_ones_estimated(kind, body, told):
    assert document_length(Document(format=kind, body=body)) == told


def test_offsets_are_plain_numbers_in_every_language(library, as_user, viewer, settings):
    settings.USE_THOUSAND_SEPARATOR = True
    page = as_user(viewer).get(view(library, "document", "a&b")).content.decode()
    assert max(shown(page)) > 100_000


def test_without_a_script_reading_on_is_a_page(library, as_user, viewer):
    page = as_user(viewer).get(view(library, "document", "a&b", **{"from": 90_000}))
    assert min(shown(page.content.decode())) >= 90_000
    assert "Back to the beginning" in page.content.decode()


@pytest.mark.parametrize("odd", ["-1", "x", "²", "9" * 30, "1e3"])
def test_an_odd_start_is_the_beginning(library, as_user, viewer, odd):
    page = as_user(viewer).get(view(library, "document-body", "text", **{"from": odd}))
    assert 0 in shown(page.content.decode())


@pytest.mark.parametrize(
    ("docno", "media", "policy"),
    [
        ("page", "text/html; charset=utf-8", "sandbox allow-same-origin; default-src 'none';"),
        ("paper", "application/pdf", "default-src 'none';"),
        ("photo", "image/png", "sandbox; default-src 'none';"),
    ],
)
def test_a_body_says_what_it_is_and_lets_nothing_run(
    library, as_user, viewer, docno, media, policy
):
    answer = as_user(viewer).get(view(library, "document-body", docno))
    assert answer.status_code == 200
    head = answer.headers
    assert (head["Content-Type"], head["X-Content-Type-Options"]) == (media, "nosniff")
    assert head["Content-Security-Policy"].startswith(policy)
    assert "script" not in head["Content-Security-Policy"]
    assert "frame-ancestors 'self'" in head["Content-Security-Policy"]
    assert head["X-Frame-Options"] == "SAMEORIGIN"
    assert head["Cache-Control"] == "private, no-cache"
    again = as_user(viewer).get(
        view(library, "document-body", docno), headers={"If-None-Match": head["ETag"]}
    )
    assert again.status_code == 304


def test_files_are_shown_and_not_saved_and_can_be_had_in_part(library, as_user, viewer):
    client, address = as_user(viewer), view(library, "document-body", "paper")
    whole = client.get(address)
    assert whole.headers["Content-Disposition"] == 'inline; filename="paper.pdf"'
    assert b"".join(whole.streaming_content) == PDF
    for asked, part, told in (
        ("bytes=0-3", PDF[:4], f"bytes 0-3/{len(PDF)}"),
        ("bytes=5-", PDF[5:], f"bytes 5-{len(PDF) - 1}/{len(PDF)}"),
        ("bytes=-5", PDF[-5:], f"bytes {len(PDF) - 5}-{len(PDF) - 1}/{len(PDF)}"),
    ):
        answer = client.get(address, headers={"Range": asked})
        assert (answer.status_code, answer.headers["Content-Range"]) == (206, told)
        assert b"".join(answer.streaming_content) == part
        assert answer.headers["Content-Length"] == str(len(part))
    for odd in ("bytes=9-2", "bytes=999999-", "bytes=-0", "bytes=0-1,3-4", "lines=1-2", "bytes=-"):
        answer = client.get(address, headers={"Range": odd})
        assert (answer.status_code, b"".join(answer.streaming_content)) == (200, PDF)


@pytest.mark.parametrize(
    ("docno", "sign"),
    [
        ("page", 'sandbox="allow-same-origin"'),
        ("paper", "Open the PDF in a new tab"),
        ("photo", 'alt="Image photo"'),
        ("empty", "This document has no text."),
    ],
)
def test_a_page_shows_each_format(library, as_user, viewer, docno, sign):
    page = as_user(viewer).get(view(library, "document", docno)).content.decode()
    assert sign in page
    assert "<p>Hello" not in page


def test_a_body_is_that_of_the_campaign_in_the_address(library, organizer, as_user, viewer):
    assert as_user(viewer).get(view(library, "document-body", "elsewhere")).status_code == 404
    name = Document.objects.get(docno="photo").file
    assert store.get_blob(name) == png()
