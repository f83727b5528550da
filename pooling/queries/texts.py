"""The texts of a campaign's documents and topics, for methods that read them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from django.db.models import QuerySet

from campaigns.core.documents import DocumentText
from campaigns.core.markup import plain_text
from campaigns.models import Campaign, Document, Topic

BATCH = 500
WRITTEN = (Document.Format.TEXT, Document.Format.HTML)
"""Of PDF and pictures nothing can be read."""


def hashes_of(campaign: Campaign, docnos: Sequence[str]) -> dict[str, str]:
    """The sha256 of the documents among ``docnos`` that have a text, by docno."""
    rows = (part.values_list("docno", "sha256") for part in written(campaign, docnos))
    return {docno: sha256 for part in rows for docno, sha256 in part}


def documents_of(campaign: Campaign, docnos: Sequence[str]) -> dict[str, DocumentText]:
    """The documents among ``docnos`` that have a text, by docno."""
    columns = ("docno", "title", "body", "format")
    rows = (part.values_list(*columns) for part in written(campaign, docnos))
    return {
        docno: DocumentText(docno, title, body, format=kind)
        for part in rows
        for docno, title, body, kind in part
    }


def written(campaign: Campaign, docnos: Sequence[str]) -> Iterator[QuerySet[Document]]:
    """In parts, since SQLite takes so many parameters and no more."""
    known = campaign.documents.filter(format__in=WRITTEN).order_by()
    for start in range(0, len(docnos), BATCH):
        yield known.filter(docno__in=docnos[start : start + BATCH])


def text_of(document: DocumentText) -> str:
    """Title and text in one; of HTML what stands between the tags."""
    body = plain_text(document.body) if document.format == "html" else document.body
    return f"{document.title}\n{body}"


def query_of(topic: Topic) -> str:
    """The topic in words. The narrative is left out: it also says what is not relevant."""
    return f"{topic.title}\n{topic.description}".strip()
