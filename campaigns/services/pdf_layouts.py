"""Where the lines of PDF documents stand, stored beside their text."""

from collections.abc import Iterator, Mapping, Sequence

from django.db import transaction

from campaigns import store
from campaigns.models import Campaign, Document, PdfLayout
from poolbench.texts.pdf_pages import PdfPage, UnreadablePdfError, build_text_layer, read_pages


def store_layouts(campaign: Campaign, pages: Mapping[str, Sequence[PdfPage]]) -> None:
    """By docno of documents that the campaign has, the pages that were read."""
    ids = campaign.documents.filter(docno__in=pages, layout=None).values_list("docno", "pk")
    PdfLayout.objects.bulk_create(
        PdfLayout(document_id=pk, pages=pack_pages(pages[docno])) for docno, pk in ids
    )


def pack_pages(pages: Sequence[PdfPage]) -> list[list[object]]:
    return [
        [page.width, page.height, [[row.x, row.y, row.width, row.height] for row in page.lines]]
        for page in pages
    ]


def list_unread_pdfs(campaign: Campaign) -> list[Document]:
    return list(campaign.documents.filter(format=Document.Format.PDF, layout=None))


def read_unread_pdfs(campaign: Campaign) -> Iterator[tuple[Document, str]]:
    """Read the PDFs that have not been read, one by one; each with the reason if it cannot be."""
    for document in list_unread_pdfs(campaign):
        try:
            pages = read_pages(store.get_blob(document.file))
        except UnreadablePdfError as error:
            yield document, str(error)
            continue
        with transaction.atomic():
            document.body = build_text_layer(pages)
            document.save(update_fields=["body"])
            store_layouts(campaign, {document.docno: pages})
        yield document, ""
