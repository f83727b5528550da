"""``manage.py import_topics SLUG FILE...``: bring topics into a campaign."""

from __future__ import annotations

from campaigns.management.import_command import ImportCommand
from campaigns.services.collection import import_topics


class Command(ImportCommand):
    help = "Import topics into a campaign, each file as a whole or not at all."
    bring = staticmethod(import_topics)
    noun = "topics"
