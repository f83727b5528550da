"""Documents with the same or nearly the same text as others of their campaign."""

from django.db import models

from campaigns.models.campaign import Campaign
from campaigns.models.collection import Document


class TextSignature(models.Model):
    """What a document's text is compared by, kept so that an import reads new documents alone.

    ``text`` is the sha256 of the normalized text, or of a file without one; ``hashes`` its MinHash
    as bytes, empty if the text is too short. ``stamp`` says of which title and text, and by which
    form of signatures: with any other the document is signed anew.
    """

    document = models.OneToOneField(
        Document, models.CASCADE, primary_key=True, related_name="signature"
    )
    stamp = models.CharField(max_length=32)
    text = models.CharField(max_length=64)
    hashes = models.BinaryField()

    def __str__(self) -> str:
        return f"signature of {self.document_id}"


class Duplicate(models.Model):
    """A document of a group of duplicates and near duplicates (``poolbench.texts.duplicates``).

    ``group`` is the key of its first document, which all others resemble; those with the same
    ``text``, the sha256 of the normalized text, are duplicates. A job writes the rows anew.
    """

    campaign = models.ForeignKey(
        Campaign, models.CASCADE, related_name="duplicates", db_index=False
    )
    document = models.OneToOneField(Document, models.CASCADE, related_name="duplicate")
    group = models.PositiveBigIntegerField()
    text = models.CharField(max_length=64)

    class Meta:
        ordering = ["group", "pk"]
        indexes = [models.Index(fields=["campaign", "group"], name="duplicate_of_group")]

    def __str__(self) -> str:
        return f"{self.document_id} of group {self.group}"
