"""PDF documents from the import to their pages and pictures."""

import io
import zipfile

import pytest
from django.core.management import call_command
from django.urls import reverse

from campaigns import store
from campaigns.models import Document, PdfLayout
from campaigns.services.collection import import_documents
from campaigns.views import documents as views
from poolbench.texts.pdf_pages import UnreadablePdfError
from tests.pages import read_page
from tests.pdf_files import show, write_pdf

PDF = write_pdf(*(show(f"page {n} of the moth", 40, 200) for n in range(1, 9)))


@pytest.fixture
def paper(campaign, organizer) -> Document:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("paper.pdf", PDF)
    data = packed.getvalue()
    assert import_documents(actor=organizer, campaign=campaign, data=data, file="set.zip") == 1
    return campaign.documents.get(docno="paper")


def ask(client, **query: object):
    return client.get(reverse("document-body", args=["small"]), {"docno": "paper", **query})


def test_the_text_and_the_places_of_its_lines_are_stored(paper):
    assert paper.body.split("\f")[:2] == ["page 1 of the moth\n", "page 2 of the moth\n"]
    assert paper.body.count("\f") == 8
    (width, height, [[left, *_]]), *others = PdfLayout.objects.get(document=paper).pages
    assert (width, height, left, len(others)) == (400, 300, 1000, 7)


def test_pages_come_in_parts_with_the_offsets_of_their_lines(paper, as_user, assessor):
    client = as_user(assessor)
    page = read_page(client.get(reverse("document", args=["small"]), {"docno": "paper"}))
    assert page.count('class="pdf-page"') == 6
    assert "PDF, 8 pages" in page
    rest = read_page(ask(client, **{"from": 6 * 20}))
    assert rest.count('class="pdf-page"') == 2
    assert 'data-start="120"' in rest
    assert paper.body[120 : 120 + 18] == "page 7 of the moth"


def test_the_picture_of_a_page_is_for_members_and_kept(
    paper, as_user, assessor, stranger, drawings
):
    client = as_user(assessor)
    answer = ask(client, page=2)
    assert (answer.status_code, answer["Content-Type"]) == (200, "image/webp")
    assert answer.content[:4] == b"RIFF"
    assert ask(client, page=2).content == answer.content
    assert len(drawings) == 1
    again = client.get(
        reverse("document-body", args=["small"]),
        {"docno": "paper", "page": 2},
        headers={"If-None-Match": answer["ETag"]},
    )
    assert again.status_code == 304
    sharp = ask(client, page=2, sharp=1)
    assert len(drawings) == 2
    assert sharp["ETag"] != answer["ETag"]
    assert {ask(client, page=number).status_code for number in (0, 9, "x", "9" * 9)} == {404}
    assert ask(as_user(stranger), page=2).status_code == 404


def test_a_page_that_cannot_be_drawn_is_tried_once(paper, as_user, assessor, monkeypatch):
    tries = []

    def fail(*_args: object) -> bytes:
        tries.append(1)
        raise UnreadablePdfError("no")

    monkeypatch.setattr(views, "draw_pdf_page", fail)
    client = as_user(assessor)
    assert [ask(client, page=3).status_code for _ in range(3)] == [404] * 3
    assert len(tries) == 1


def test_what_was_imported_unread_is_read_by_the_command(campaign, capsys):
    for docno, data in (("old", PDF), ("bad", b"%PDF-1.4 broken")):
        Document.objects.create(
            campaign=campaign, docno=docno, format="pdf", media_type="application/pdf",
            file=store.put_blob(data), size=len(data), sha256=store.sha256(data),
        )  # fmt: skip
    call_command("read_pdfs", "small")
    said = capsys.readouterr()
    assert said.out == "small: 1 of 2 PDFs read\n"
    assert "small bad: The file cannot be read" in said.err
    assert campaign.documents.get(docno="old").body.startswith("page 1 of the moth\n\f")
    call_command("read_pdfs")
    assert capsys.readouterr().out == "small: 0 of 1 PDFs read\n"


@pytest.fixture
def drawings(monkeypatch) -> list[int]:
    """The pages that were drawn."""
    drawn: list[int] = []
    true = views.draw_pdf_page

    def draw(data: bytes, page: int, width: int) -> bytes:
        drawn.append(page)
        return true(data, page, width)

    monkeypatch.setattr(views, "draw_pdf_page", draw)
    return drawn
