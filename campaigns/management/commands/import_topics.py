"""``manage.py import_topics SLUG FILE...``: import topics into a campaign."""

from campaigns.management.import_command import ImportCommand
from campaigns.services.collection import import_topics


class Command(ImportCommand):
    help = "Import topics into a campaign. Each file is imported completely or not at all."
    import_data = staticmethod(import_topics)
    noun = "topics"
