"""Tasks and rounds: parts of a campaign that share its teams, documents and judgments."""

from datetime import datetime

from django.core.validators import MinValueValidator
from django.db import models
from django.utils import timezone

from campaigns.models.campaign import Campaign
from campaigns.models.collection import Topic


class CampaignTask(models.Model):
    """A set of topics with runs, pools and scores of its own.

    Without ``topics`` it has all of the campaign; without a deadline, a limit or measures, those of
    the campaign. A round has ``judged_before``: what that qrels version has judged leaves the
    rankings and the qrels of the round (``matrices.load_run_matrix``).
    """

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="tasks")
    slug = models.SlugField(max_length=40)
    name = models.CharField(max_length=60)
    position = models.PositiveIntegerField(default=0)
    topics = models.ManyToManyField(Topic, blank=True, related_name="tasks")
    runs_deadline = models.DateTimeField(null=True, blank=True, help_text="UTC.")
    max_runs_per_team = models.PositiveIntegerField(
        null=True, blank=True, validators=[MinValueValidator(1)]
    )
    measures = models.JSONField(default=list, blank=True)
    judged_before = models.PositiveIntegerField(null=True, blank=True)
    refuse_judged = models.BooleanField(default=False)

    class Meta:
        ordering = ["position", "pk"]
        constraints = [
            models.UniqueConstraint("campaign", "slug", name="task_slug_once"),
            models.UniqueConstraint("campaign", "name", name="task_name_once"),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def is_round(self) -> bool:
        return self.judged_before is not None

    @property
    def deadline(self) -> datetime | None:
        """The earlier of its own run deadline and the campaign's."""
        ends = (self.runs_deadline, self.campaign.runs_deadline)
        return min((end for end in ends if end is not None), default=None)

    @property
    def run_limit(self) -> int | None:
        own = self.max_runs_per_team
        return self.campaign.max_runs_per_team if own is None else own

    @property
    def is_over(self) -> bool:
        """Whether its own run deadline has passed; that of the campaign, or of a team, may have."""
        return self.runs_deadline is not None and self.runs_deadline <= timezone.now()

    def list_topic_numbers(self) -> list[str]:
        """In the campaign's order, without withheld topics."""
        topics = self.topics if self.topics.exists() else self.campaign.topics
        return list(topics.filter(withheld=False).values_list("number", flat=True))
