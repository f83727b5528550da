"""The collection: topics and documents, or the files that hold millions of documents."""

from django.contrib.auth.models import AnonymousUser
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from campaigns.models.campaign import Campaign
from campaigns.models.people import Member, Role, User
from poolbench.texts.languages import MAX_TAG, get_direction

POOL_READERS = (Role.ORGANIZER, Role.ASSESSOR, Role.ADJUDICATOR)


class Topic(models.Model):
    """An information need. ``number`` is a string: ``001`` is not ``1``."""

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="topics")
    number = models.CharField(max_length=100)
    title = models.TextField()
    description = models.TextField(blank=True)
    narrative = models.TextField(blank=True)
    withheld = models.BooleanField(
        default=False, help_text="Reserved for training: excluded from runs and scores."
    )
    position = models.PositiveIntegerField(default=0)

    class Meta:
        ordering = ["position", "number"]
        constraints = [models.UniqueConstraint("campaign", "number", name="topic_number_once")]

    def __str__(self) -> str:
        return f"{self.number} {self.title}"


class DocumentQuerySet(models.QuerySet["Document"]):
    def visible_to(self, user: User | AnonymousUser) -> "DocumentQuerySet":
        """Of imported documents all. The rows of a registered collection say what is pooled: only
        those who judge or organize see them.
        """
        members = Member.objects.filter(user_id=user.pk or 0, role__in=POOL_READERS)
        if getattr(user, "is_superuser", False):
            return self
        registered = Collection.objects.values("campaign")
        return self.filter(
            ~Q(campaign__in=registered) | Q(campaign__in=members.order_by().values("campaign"))
        )


class Document(models.Model):
    """What can be retrieved: a text, sanitized HTML, or a file that the browser shows.

    ``body`` is the text or the HTML from ``poolbench.texts.html_sanitizer``; it has no ``\r``, so
    that offsets into it are the same in a browser; of a PDF it is the text layer
    (``poolbench.texts.pdf_pages``), empty if it was not read. ``file`` is a name in the content
    store (PDF and images). ``sha256`` is of what assessors see; ``source_sha256`` of the original
    HTML, which is not stored. ``language`` is a tag (BCP 47), "" if unknown.
    """

    class Format(models.TextChoices):
        TEXT = "text", _("text")
        HTML = "html", _("HTML")
        PDF = "pdf", _("PDF")
        IMAGE = "image", _("image")

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="documents")
    docno = models.CharField(max_length=500)
    title = models.TextField(blank=True)
    body = models.TextField(blank=True)
    url = models.TextField(blank=True)
    date = models.CharField(max_length=60, blank=True)
    format = models.CharField(max_length=5, choices=Format, default=Format.TEXT)
    file = models.CharField(max_length=200, blank=True)
    media_type = models.CharField(max_length=60, blank=True)
    size = models.PositiveBigIntegerField(default=0, help_text="File size in bytes.")
    sha256 = models.CharField(max_length=64)
    source_sha256 = models.CharField(max_length=64, blank=True)
    language = models.CharField(max_length=MAX_TAG, blank=True)

    objects = DocumentQuerySet.as_manager()

    class Meta:
        ordering = ["docno"]
        constraints = [
            models.UniqueConstraint("campaign", "docno", name="docno_once"),
            models.CheckConstraint(
                condition=Q(format__in=("pdf", "image")) ^ Q(file=""), name="file_iff_not_text"
            ),
        ]

    def __str__(self) -> str:
        return self.docno

    @property
    def direction(self) -> str:
        return get_direction(self.language)


class Translation(models.Model):
    """The translation of a document: a text, or HTML as that of ``Document``. ``by`` is the system
    that translated. ``segments`` are the rows in which the two stand side by side: of each where it
    begins in the document's body and in this one; none where they are not aligned.
    """

    document = models.OneToOneField(Document, models.CASCADE, related_name="translation")
    language = models.CharField(max_length=MAX_TAG)
    by = models.CharField(max_length=200, blank=True)
    title = models.TextField(blank=True)
    body = models.TextField(blank=True)
    format = models.CharField(max_length=5, choices=Document.Format, default=Document.Format.TEXT)
    sha256 = models.CharField(max_length=64)
    source_sha256 = models.CharField(max_length=64, blank=True)
    segments = models.JSONField(default=list, blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(format__in=("text", "html")), name="translation_is_text"
            )
        ]

    def __str__(self) -> str:
        return f"translation of {self.document_id}"

    @property
    def direction(self) -> str:
        return get_direction(self.language)


class PdfLayout(models.Model):
    """Where the lines of a PDF stand: of each page ``[width, height, lines]`` in points, of each
    line ``[x, y, width, height]`` in parts of ``poolbench.texts.pdf_pages.UNIT``. The text is the
    document's body, in the same order. A PDF without one has not been read.
    """

    document = models.OneToOneField(Document, models.CASCADE, related_name="layout")
    pages = models.JSONField()

    def __str__(self) -> str:
        return f"layout of {self.document_id}"


class Collection(models.Model):
    """The documents of a campaign as files outside of the database; only the documents that
    people read are ``Document`` rows.

    ``index`` is a name in the content store (``poolbench.collection.index``). ``files``: of each
    file its ``path``, the time of its last change (``mtime_ns``) and the fields of
    ``CollectionFile``.
    """

    campaign = models.OneToOneField(Campaign, models.CASCADE, related_name="collection")
    index = models.CharField(max_length=200)
    documents = models.PositiveBigIntegerField()
    files = models.JSONField()
    registered_by = models.ForeignKey(User, models.PROTECT, related_name="+")
    registered_at = models.DateTimeField(default=timezone.now)

    def __str__(self) -> str:
        return f"collection of {self.campaign}"

    @property
    def size(self) -> int:
        """Bytes of all files."""
        return sum(file["size"] for file in self.files)
