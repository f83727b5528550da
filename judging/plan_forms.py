"""What the pages of plans take in: a scheme, and who judges which topic."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext_lazy as _

from campaigns.models import Campaign, Role, Topic, User
from judging.core.designs.blocks import build_blocks
from judging.core.designs.registry import DESIGNS
from judging.models import Plan
from judging.services.plans import ORDERS, PlanOptions
from pooling.models import Pool


class PoolField(forms.ModelChoiceField):  # type: ignore[type-arg]
    def label_from_instance(self, obj: Pool) -> str:
        more = " at first" if obj.is_adaptive else ""
        return f"Pool {obj.version}, {obj.size:,} pairs{more}"


class PlanForm(forms.Form):
    """A field for each parameter of any design; those of another design are passed over."""

    pool = PoolField(queryset=Pool.objects.none(), empty_label=None)
    design = forms.ChoiceField(
        choices=[(name, design.card.title) for name, design in DESIGNS.items()], initial="overlap"
    )
    n = forms.IntegerField(
        min_value=1,
        max_value=20,
        required=False,
        label="Judgments a document",
        help_text="How many assessors judge a document.",
    )
    share = forms.FloatField(
        min_value=0,
        max_value=1,
        required=False,
        label="Share judged n times",
        help_text="From 0 to 1. The other documents get one judgment.",
        widget=forms.NumberInput({"step": "any"}),
    )
    shared = forms.IntegerField(
        min_value=1,
        max_value=10_000,
        required=False,
        label="Documents that every two assessors share",
    )
    rest = forms.IntegerField(
        min_value=1,
        max_value=20,
        required=False,
        label="Judgments for the other documents",
        help_text="For those that the blocks do not need.",
    )
    order = forms.ChoiceField(
        choices=[(order.value, order.label) for order in ORDERS],
        help_text="Random keeps what came before from colouring what comes next. The best ranks"
        " first tells assessors that what is early is likely to be good.",
    )
    third_from = forms.IntegerField(
        min_value=0,
        required=False,
        label="Third judge from",
        help_text="Grades apart at which one more assessor is asked. 0: never.",
    )
    repeat_share = forms.FloatField(
        min_value=0,
        max_value=1,
        required=False,
        label="Share of blind repeats",
        help_text="From 0 to 1: what share of their documents an assessor judges once more,"
        " without being told.",
        widget=forms.NumberInput({"step": "any"}),
    )
    rationale = forms.ChoiceField(choices=Plan.Rationale.choices, label="Passages")

    def __init__(self, campaign: Campaign, data: QueryDict | None = None) -> None:
        defaults = {
            number.name: number.default for design in DESIGNS.values() for number in design.numbers
        }
        start = {"pool": campaign.pools.first(), **defaults, "n": 1, "third_from": 0}
        super().__init__(data, initial={**start, "repeat_share": 0})
        field = self.fields["pool"]
        if isinstance(field, PoolField):
            field.queryset = campaign.pools.all()

    def scheme(self) -> PlanOptions:
        given: dict[str, Any] = self.cleaned_data
        return PlanOptions(
            design=given["design"],
            parameters={name: given[name] for name in ("n", "share", "shared", "rest")},
            order=given["order"],
            third_from=given["third_from"] or 0,
            repeat_share=given["repeat_share"] or 0.0,
            rationale=given["rationale"],
        )


class AssignmentMatrix:
    """Topics × assessors as check boxes, filled from rows, a post or a pattern.

    A box is named by its topic, ``topic-12``, and its value is the assessor.
    """

    FILLS = {
        "turn": _("Topics in turn"),
        "meet": _("Every two meet"),
        "all": _("Everyone, everywhere"),
        "none": _("Nobody"),
    }

    def __init__(self, campaign: Campaign, topics: Sequence[Topic]) -> None:
        roles = campaign.members.filter(role=Role.ASSESSOR).values("user")
        self.people = list(User.objects.filter(pk__in=roles).order_by("username"))
        self.topics = list(topics)
        self.chosen: dict[str, list[User]] = {topic.number: [] for topic in self.topics}

    def take(self, chosen: Mapping[str, Sequence[User]]) -> AssignmentMatrix:
        for number in self.chosen:
            self.chosen[number] = list(chosen.get(number, []))
        return self

    def post(self, data: QueryDict) -> AssignmentMatrix:
        by_pk = {str(user.pk): user for user in self.people}
        for topic in self.topics:
            ticked = data.getlist(f"topic-{topic.pk}")
            self.chosen[topic.number] = [by_pk[pk] for pk in ticked if pk in by_pk]
        return self

    def fill(self, pattern: str, overlap: int) -> AssignmentMatrix:
        """``turn`` gives each topic the next ``overlap`` people in turn; ``meet`` the next
        of the balanced blocks, so that every two assessors meet in a topic as soon as can be.
        """
        seats = assignment_pattern(pattern, len(self.people), overlap, len(self.topics))
        for topic, chosen in zip(self.topics, seats, strict=True):
            self.chosen[topic.number] = [self.people[seat] for seat in chosen]
        return self

    def rows(self) -> list[tuple[Topic, list[tuple[User, bool]]]]:
        return [
            (topic, [(user, user in self.chosen[topic.number]) for user in self.people])
            for topic in self.topics
        ]


def assignment_pattern(pattern: str, count: int, overlap: int, topics: int) -> list[list[int]]:
    """By topic which of ``count`` people a pattern of ``Matrix`` puts there."""
    size = min(max(overlap, 1), count)
    if pattern == "turn" and count:
        return [[(at * size + i) % count for i in range(size)] for at in range(topics)]
    if pattern == "meet" and count > 1:
        # No cyclic design of one meeting takes more blocks than there are pairs of people.
        blocks = build_blocks(count, max(size, 2), 1, count**2)
        return [list(blocks[at % len(blocks)]) for at in range(topics)]
    return [list(range(count)) if pattern == "all" else [] for _ in range(topics)]
