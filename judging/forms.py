"""What the judging pages take in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from django import forms
from django.http import QueryDict

from campaigns.models import Campaign, Role, Topic, User
from judging.core.policies import POLICIES
from judging.rules import SKIP_REASONS
from pooling.models import Pool


class SubmissionForm(forms.Form):
    """What every act on a document carries. A docno is kept to the byte."""

    docno = forms.CharField(max_length=500, strip=False)
    client_uuid = forms.UUIDField()
    token = forms.UUIDField(required=False)
    comment = forms.CharField(required=False, max_length=10_000)


class JudgeForm(SubmissionForm):
    grade = forms.IntegerField()
    active_seconds = forms.FloatField(required=False, min_value=0, max_value=86_400)


class SkipForm(SubmissionForm):
    reason = forms.ChoiceField(choices=list(SKIP_REASONS.items()))


class PoolField(forms.ModelChoiceField):  # type: ignore[type-arg]
    def label_from_instance(self, obj: Pool) -> str:
        return f"Pool {obj.version}, {obj.size:,} pairs"


class PlanForm(forms.Form):
    pool = PoolField(queryset=Pool.objects.none(), empty_label=None)
    overlap = forms.IntegerField(
        min_value=1,
        max_value=20,
        initial=1,
        help_text="How many assessors judge each document. 1: one owner a topic.",
    )

    def __init__(self, campaign: Campaign, data: QueryDict | None = None) -> None:
        super().__init__(data, initial={"pool": campaign.pools.first()})
        field = self.fields["pool"]
        if isinstance(field, PoolField):
            field.queryset = campaign.pools.all()


class ReleaseForm(forms.Form):
    policy = forms.ChoiceField(
        choices=[(name, policy.card.title) for name, policy in POLICIES.items()],
        initial="single",
        widget=forms.RadioSelect,
    )
    note = forms.CharField(
        max_length=200, required=False, help_text="What this release is for, in a few words."
    )


class Matrix:
    """Topics × assessors as check boxes, filled from rows, a post or a pattern.

    A box is named by its topic, ``topic-12``, and its value is the assessor.
    """

    FILLS = {"turn": "Topics in turn", "all": "Everyone, everywhere", "none": "Nobody"}

    def __init__(self, campaign: Campaign, topics: Sequence[Topic]) -> None:
        roles = campaign.members.filter(role=Role.ASSESSOR).values("user")
        self.people = list(User.objects.filter(pk__in=roles).order_by("username"))
        self.topics = list(topics)
        self.chosen: dict[str, list[User]] = {topic.number: [] for topic in self.topics}

    def take(self, chosen: Mapping[str, Sequence[User]]) -> Matrix:
        for number in self.chosen:
            self.chosen[number] = list(chosen.get(number, []))
        return self

    def post(self, data: QueryDict) -> Matrix:
        by_pk = {str(user.pk): user for user in self.people}
        for topic in self.topics:
            ticked = data.getlist(f"topic-{topic.pk}")
            self.chosen[topic.number] = [by_pk[pk] for pk in ticked if pk in by_pk]
        return self

    def fill(self, pattern: str, overlap: int) -> Matrix:
        """``turn`` gives each topic the next ``overlap`` people in turn."""
        count = len(self.people)
        size = {"turn": min(overlap, count), "all": count}.get(pattern, 0)
        for at, topic in enumerate(self.topics):
            first = at * size if pattern == "turn" else 0
            self.chosen[topic.number] = [self.people[(first + i) % count] for i in range(size)]
        return self

    def rows(self) -> list[tuple[Topic, list[tuple[User, bool]]]]:
        return [
            (topic, [(user, user in self.chosen[topic.number]) for user in self.people])
            for topic in self.topics
        ]
