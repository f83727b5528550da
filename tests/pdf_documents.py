"""Documents of a campaign made into PDFs, read as an import does."""

from __future__ import annotations

from campaigns import store
from campaigns.models import Campaign, Document
from campaigns.services.pdf_layouts import read_unread_pdfs


def turn_into_pdfs(campaign: Campaign, files: dict[str, bytes]) -> None:
    """By docno of documents that the campaign has."""
    for docno, data in files.items():
        file = {"file": store.put_blob(data), "size": len(data), "media_type": "application/pdf"}
        rows = Document.objects.filter(campaign=campaign, docno=docno)
        assert rows.update(format="pdf", body="", title="", **file) == 1
    assert [reason for _, reason in read_unread_pdfs(campaign)] == [""] * len(files)
