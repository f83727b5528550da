"""PDF documents from the import to their pages and pictures."""

import io
import os
import zipfile

import pytest
from django.core.management import call_command
from django.urls import reverse

from campaigns import store
from campaigns.models import Document, PdfLayout
from campaigns.services import pdf_pictures
from campaigns.services.collection import import_documents
from poolbench.texts.pdf_pages import UnreadablePdfError
from tests.pages import read_page
from tests.pdf_files import show, write_pdf

PDF = write_pdf(*(show(f"page {n} of the moth", 40, 200) for n in range(1, 9)))


@pytest.fixture(autouse=True)
def _own_folder(settings, tmp_path) -> None:
    """Pictures are kept by the content of their file, beyond a test."""
    settings.VAR_DIR = tmp_path


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
    assert page.count('loading="lazy"') == 4
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
    assert ask(client, page=1).content != answer.content
    assert drawings == [[0, 1]]  # The next page comes with it.
    again = client.get(
        reverse("document-body", args=["small"]),
        {"docno": "paper", "page": 2},
        headers={"If-None-Match": answer["ETag"]},
    )
    assert again.status_code == 304
    sharp = ask(client, page=2, sharp=1)
    assert len(drawings) == 2
    assert ask(client, page=8).status_code == 200
    assert drawings[-1] == [6, 7]
    assert sharp["ETag"] != answer["ETag"]
    assert {ask(client, page=number).status_code for number in (0, 9, "x", "9" * 9)} == {404}
    assert ask(as_user(stranger), page=2).status_code == 404


def test_a_page_that_cannot_be_drawn_is_tried_once(paper, as_user, assessor, monkeypatch):
    tries = []

    def fail(_data: bytes, pages: list[int], _width: int) -> list[bytes]:
        tries.append(list(pages))
        if 2 in pages:
            raise UnreadablePdfError("no")
        return [b"RIFF" for _ in pages]

    monkeypatch.setattr(pdf_pictures, "draw_pdf_pages", fail)
    client = as_user(assessor)
    assert [ask(client, page=3).status_code for _ in range(3)] == [404] * 3
    assert tries == [[2, 3], [2]]
    assert ask(client, page=4).content == b"RIFF"  # It takes no other page with it.
    assert tries[2:] == [[2, 3], [3]]


def test_pictures_take_no_more_than_the_bound_of_this_machine(paper, settings, monkeypatch):
    settings.POOLBENCH_CACHE_BYTES = 1
    monkeypatch.setattr(pdf_pictures, "TRIMMED_EACH", 1)
    kept = pdf_pictures.open_picture_cache().folder
    first = pdf_pictures.get_page_picture(paper, 1, 40)
    paths = sorted(kept.rglob("*.webp"))
    assert [path.name[-9:] for path in paths] == ["1-40.webp", "2-40.webp"]
    for path in paths:
        os.utime(path, (1, 1))
    assert pdf_pictures.get_page_picture(paper, 3, 40)[:4] == first[:4] == b"RIFF"
    assert [path.name[-9:] for path in sorted(kept.rglob("*.webp"))] == ["3-40.webp", "4-40.webp"]


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
def drawings(monkeypatch) -> list[list[int]]:
    """The pages that were drawn together."""
    drawn: list[list[int]] = []
    true = pdf_pictures.draw_pdf_pages

    def draw(data: bytes, pages: list[int], width: int) -> list[bytes]:
        drawn.append(list(pages))
        return true(data, pages, width)

    monkeypatch.setattr(pdf_pictures, "draw_pdf_pages", draw)
    return drawn
