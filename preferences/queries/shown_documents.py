"""The documents of a comparison as its judge sees them: no run, rank in a run, score or origin."""

import html
from collections.abc import Collection, Sequence

from django.db.models.functions import Substr

from campaigns.models import Campaign, Document
from poolbench.texts.text_pages import strip_tags_for_count

READ, SHOWN = 6_000, 700
"""Characters of a body that are read for its beginning, and that are shown."""


def list_compared_documents(
    campaign: Campaign, docnos: Sequence[str], picks: Collection[str] = ()
) -> list[dict[str, object]]:
    """``docnos`` in their order, with the beginnings of their texts. Without a title, a document
    is its docno; ``key`` is the one that picks it, none after the tenth.
    """
    rows = campaign.documents.filter(docno__in=docnos).defer("body")
    known = {row.docno: row for row in rows.annotate(start=Substr("body", 1, READ))}
    return [
        {
            "rank": rank,
            "docno": docno,
            "title": (known[docno].title if docno in known else "") or docno,
            "beginning": read_beginning(known[docno]) if docno in known else "",
            "has_text": docno in known,
            "picked": docno in picks,
            "key": str(rank % 10) if rank <= 10 else "",
        }
        for rank, docno in enumerate(docnos, 1)
    ]


def read_beginning(document: Document) -> str:
    """The beginning of a text or page as one paragraph, cut between words."""
    start: str = getattr(document, "start", "")
    if document.format == Document.Format.HTML:
        start = html.unescape(strip_tags_for_count(start))
    words = " ".join(start.split())
    return words if len(words) <= SHOWN else words[:SHOWN].rsplit(" ", 1)[0] + " …"
