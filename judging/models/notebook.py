"""What assessors keep about a topic while they judge it."""

from django.db import models

from campaigns.models import Topic, User


class TopicNote(models.Model):
    """An entry of an assessor's notebook on a topic: a note, or a word to highlight in documents.

    ``docno`` is the document that was on the screen. ``client_uuid`` makes saving it twice
    harmless. A removed entry stays, so that saving it once more does not bring it back. Other
    assessors never see it; adjudicators and meetings read the notes, without names.
    """

    class Kind(models.TextChoices):
        NOTE = "note", "note"
        WORD = "word", "word"

    topic = models.ForeignKey(Topic, models.CASCADE, related_name="notes")
    assessor = models.ForeignKey(User, models.PROTECT, related_name="topic_notes")
    kind = models.CharField(max_length=4, choices=Kind, default=Kind.NOTE)
    text = models.CharField(max_length=2_000)
    docno = models.CharField(max_length=500, blank=True)
    client_uuid = models.UUIDField(unique=True)
    written_at = models.DateTimeField(auto_now_add=True)
    removed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["pk"]
