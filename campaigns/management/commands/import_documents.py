"""``manage.py import_documents SLUG FILE...``: bring documents into a campaign."""

from __future__ import annotations

from campaigns.management.importing import ImportCommand
from campaigns.services.collection import import_documents


class Command(ImportCommand):
    help = "Import documents into a campaign, each file as a whole or not at all."
    bring = staticmethod(import_documents)
    noun = "documents"
