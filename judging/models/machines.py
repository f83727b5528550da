"""Automatic assessors: their prompt cards, and the answers of their models."""

from django.db import models
from django.db.models import Q

from campaigns.models import AppendOnlyModel, Campaign, Topic, User
from poolbench.judging import prompts


class PromptCard(AppendOnlyModel):
    """The request to a model. ``scale`` is the wording of the campaign's grades when the card was
    written, ``examples`` are ``[topic number, docno, grade]`` of training pairs; ``sha256`` is that
    of ``poolbench.judging.prompts``. A card never changes: another wording is another card.
    """

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="prompt_cards")
    version = models.PositiveIntegerField()
    template = models.TextField()
    scale = models.JSONField()
    examples = models.JSONField(default=list, blank=True)
    example_count = models.PositiveSmallIntegerField(default=0)
    characters = models.PositiveIntegerField()
    sha256 = models.CharField(max_length=64)
    created_by = models.ForeignKey(User, models.PROTECT, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["version"]
        constraints = [
            models.UniqueConstraint("campaign", "version", name="prompt_card_version_once"),
            models.UniqueConstraint("campaign", "sha256", name="prompt_card_once"),
        ]

    def __str__(self) -> str:
        return f"card {self.version}"

    @property
    def content(self) -> prompts.PromptContent:
        """The card as the library knows it."""
        return prompts.PromptContent(
            template=self.template,
            scale=tuple((value, label, meaning) for value, label, meaning in self.scale),
            examples=tuple(prompts.Example(*example) for example in self.examples),
            example_count=self.example_count,
            characters=self.characters,
        )


class PromptCardRelease(AppendOnlyModel):
    """That teams may read a card. Without it they see its hash alone, in manifests."""

    card = models.OneToOneField(PromptCard, models.CASCADE, related_name="release")
    at = models.DateTimeField(auto_now_add=True)
    by = models.ForeignKey(User, models.PROTECT, related_name="+")

    class Meta:
        ordering = ["at", "pk"]


class AutomaticAssessor(models.Model):
    """A model; its judgments are kept apart from human ones. ``user`` cannot sign in.

    ``card`` and ``model`` are what it is, if its judgments are made here: with another card or
    model it would be another assessor.
    """

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="automatic_assessors")
    name = models.SlugField(max_length=60)
    description = models.TextField(blank=True)
    user = models.OneToOneField(User, models.PROTECT, related_name="automatic")
    card = models.ForeignKey(
        PromptCard, models.PROTECT, null=True, blank=True, related_name="assessors"
    )
    model = models.CharField(max_length=200, blank=True)
    created_by = models.ForeignKey(User, models.PROTECT, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["name"]
        constraints = [
            models.UniqueConstraint("campaign", "name", name="automatic_name_once"),
            models.UniqueConstraint("card", "model", name="automatic_card_and_model_once"),
            models.CheckConstraint(
                condition=Q(card__isnull=False) ^ Q(model=""), name="automatic_card_iff_model"
            ),
        ]

    def __str__(self) -> str:
        return self.name


class ModelAnswer(AppendOnlyModel):
    """What a model answered, kept so that no request is sent, or paid, twice. ``request_hash`` is
    of card, model and prompt; a pair of the same texts uses the same answer. ``grade`` is null
    where none could be read from ``text`` after ``requests`` requests. ``instructions``: words of
    the document that speak to the model.
    """

    automatic = models.ForeignKey(AutomaticAssessor, models.CASCADE, related_name="answers")
    topic = models.ForeignKey(Topic, models.PROTECT, related_name="+")
    docno = models.CharField(max_length=500)
    request_hash = models.CharField(max_length=64)
    grade = models.SmallIntegerField(null=True, blank=True)
    text = models.TextField(blank=True)
    requests = models.PositiveSmallIntegerField()
    prompt_tokens = models.PositiveIntegerField()
    answer_tokens = models.PositiveIntegerField()
    seconds = models.FloatField()
    instructions = models.CharField(max_length=200, blank=True)
    answered_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint("automatic", "request_hash", name="model_asked_once")
        ]
