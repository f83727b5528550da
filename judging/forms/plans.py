"""Forms of judging plans: their options, and who judges which topic."""

from collections.abc import Mapping, Sequence
from typing import Any

from django import forms
from django.http import QueryDict

from campaigns.errors import ActionRefused
from campaigns.models import Campaign, Topic, User
from judging.models import Plan
from judging.queries.slots import list_assessors
from judging.services.assignments import MAX_LISTED
from judging.services.crowd_plans import PlanOptions
from judging.services.plan_slots import choose_order
from judging.services.plans import ORDERS
from poolbench.files.faults import list_names
from poolbench.judging.designs.allocation import ImpossibleDesignError
from poolbench.judging.designs.blocks import build_blocks
from poolbench.judging.designs.registry import DESIGNS
from pooling.models import Pool

MOST_BOXES = 20_000
"""The most fields that a form may send (DATA_UPLOAD_MAX_NUMBER_FIELDS)."""


class PoolField(forms.ModelChoiceField):  # type: ignore[type-arg]
    def label_from_instance(self, obj: Pool) -> str:
        note = " so far" if obj.is_adaptive else ""
        return f"Pool {obj.version}, {obj.size:,} pairs{note}"


def split_topic_numbers(campaign: Campaign, text: str) -> list[str]:
    """The numbers of topics in ``text``. Raises ``ValidationError`` for unknown ones."""
    numbers = list(dict.fromkeys(text.replace(",", " ").split()))
    topics = campaign.topics.filter(number__in=numbers)
    known = set(topics.values_list("number", flat=True))
    if unknown := [number for number in numbers if number not in known]:
        raise forms.ValidationError(f"Unknown topics: {', '.join(unknown)}.")
    return numbers


def count_field(
    least: int, most: int | None, label: str, help_text: str = "", *, required: bool = True
) -> forms.IntegerField:
    return forms.IntegerField(
        min_value=least, max_value=most, label=label, help_text=help_text, required=required
    )


def share_field(
    least: float, most: float, label: str, help_text: str = "", *, required: bool = True
) -> forms.FloatField:
    """A number with any number of decimals."""
    return forms.FloatField(
        min_value=least, max_value=most, label=label, help_text=help_text, required=required,
        widget=forms.NumberInput({"step": "any"}),
    )  # fmt: skip


class PlanForm(forms.Form):
    """A field per parameter of any design; parameters of other designs are ignored."""

    help_words = {
        "design": "design",
        "n": "overlap",
        "third_from": "third judgment",
        "repeat_share": "blind repeat",
    }

    pool = PoolField(queryset=Pool.objects.none(), empty_label=None)
    design = forms.ChoiceField(
        choices=[(name, design.card.title) for name, design in DESIGNS.items()], initial="overlap"
    )
    n = count_field(
        1, 20, "Judgments per document", "Number of assessors per document.", required=False
    )
    share = share_field(
        0,
        1,
        "Share judged n times",
        "Between 0 and 1. The other documents get one judgment.",
        required=False,
    )
    shared = count_field(1, 10_000, "Documents shared by each pair of assessors", required=False)
    rest = count_field(
        1,
        20,
        "Judgments for the other documents",
        "Documents that the blocks do not use.",
        required=False,
    )
    order = forms.ChoiceField(
        choices=[(order.value, order.label) for order in ORDERS],
        help_text="Random order avoids order effects. Short and long documents in blocks of ten"
        " are random within each block and tire less. Best rank first reveals that early documents"
        " are likely to be relevant. A sample by influence needs it: its pairs come as drawn, in"
        " rounds over all topics.",
    )
    third_from = count_field(
        0,
        None,
        "Third judgment at a difference of",
        "Grade difference that triggers a third judgment (0 = never).",
        required=False,
    )
    repeat_share = share_field(
        0,
        1,
        "Share of blind repeats",
        "Share of documents (0 to 1) that an assessor judges again without notice.",
        required=False,
    )
    rationale = forms.ChoiceField(choices=Plan.Rationale.choices, label="Passages")
    first_language = forms.ChoiceField(
        choices=Plan.Language.choices,
        label="Translated documents",
        help_text="What is shown first of a document with a translation. Assessors can change it;"
        " each judgment records what was shown.",
        required=False,
    )
    propagate = forms.BooleanField(
        label="Judge the same text once",
        required=False,
        help_text="Of several documents of a topic with the same text one is judged; its grade is"
        " propagated to the others, and follows each change. Agreement and pace leave it out.",
    )

    def __init__(self, campaign: Campaign, data: QueryDict | None = None) -> None:
        defaults = {
            number.name: number.default for design in DESIGNS.values() for number in design.numbers
        }
        newest = campaign.pools.first()
        start = {"pool": newest, **defaults, "n": 1, "third_from": 0}
        order = choose_order(newest, "") if newest else Plan.Order.RANDOM
        super().__init__(data, initial={**start, "order": order, "repeat_share": 0})
        field = self.fields["pool"]
        if isinstance(field, PoolField):
            field.queryset = campaign.pools.all()

    def count_assessors(self) -> int:
        """How many each topic needs; 1 where design and parameters do not fit."""
        options = self.cleaned_data
        design = DESIGNS.get(options.get("design", ""))
        try:
            needed = design.max_judgments(design.read(options)) if design else 1
        except ImpossibleDesignError:
            needed = 1
        return needed + bool(options.get("third_from"))

    def scheme(self) -> PlanOptions:
        options: dict[str, Any] = self.cleaned_data
        return PlanOptions(
            design=options["design"],
            parameters={name: options[name] for name in ("n", "share", "shared", "rest")},
            order=options["order"],
            third_from=options["third_from"] or 0,
            repeat_share=options["repeat_share"] or 0.0,
            rationale=options["rationale"],
            first_language=options["first_language"] or Plan.Language.BOTH,
            propagate=options["propagate"],
        )


class AssignmentMatrix:
    """Topics × assessors as checkboxes, filled from rows, a post or a pattern.

    A checkbox is named after its topic, ``topic-12``; its value is the assessor. Above
    ``MOST_BOXES`` a topic has one field of that name instead, with usernames.
    """

    FILLS = {
        "turn": "Round-robin by topic",
        "meet": "All assessor pairs",
        "all": "All assessors on all topics",
        "none": "None",
    }

    def __init__(self, campaign: Campaign, topics: Sequence[Topic]) -> None:
        self.people = list(list_assessors(campaign))
        self.topics = list(topics)
        self.assigned: dict[str, list[User]] = {topic.number: [] for topic in self.topics}
        self.unknown: list[str] = []

    @property
    def is_wide(self) -> bool:
        return len(self.people) * len(self.topics) > MOST_BOXES

    def assign(self, assessors: Mapping[str, Sequence[User]]) -> "AssignmentMatrix":
        for number in self.assigned:
            self.assigned[number] = list(assessors.get(number, []))
        return self

    def read_post(self, data: QueryDict) -> "AssignmentMatrix":
        by_pk = {str(user.pk): user for user in self.people}
        by_name = {user.username: user for user in self.people}
        for topic in self.topics:
            field = f"topic-{topic.pk}"
            if self.is_wide:
                names = list(dict.fromkeys(data.get(field, "").replace(",", " ").split()))
                self.unknown += [name for name in names if name not in by_name]
                self.assigned[topic.number] = [by_name[name] for name in names if name in by_name]
            else:
                ticked = data.getlist(field)
                self.assigned[topic.number] = [by_pk[pk] for pk in ticked if pk in by_pk]
        return self

    def check_names(self) -> None:
        """Refuse usernames of the post that are no assessor's; they are left out of the fields."""
        if self.unknown:
            names = list_names(sorted(set(self.unknown)), MAX_LISTED)
            raise ActionRefused(
                "unknown-assessors",
                f"No assessors of the campaign: {names}.",
                "Check the fields, which now lack these names.",
            )

    def fill(self, pattern: str, overlap: int) -> "AssignmentMatrix":
        """``turn`` assigns each topic to the next ``overlap`` assessors in turn; ``meet`` to the
        next balanced block, so that all pairs of assessors share a topic as early as possible.
        """
        places = assignment_pattern(pattern, len(self.people), overlap, len(self.topics))
        for topic, indices in zip(self.topics, places, strict=True):
            self.assigned[topic.number] = [self.people[index] for index in indices]
        return self

    def widen(self, overlap: int) -> "AssignmentMatrix":
        """Ticks that stand as the pattern ``turn`` sets them, but for fewer, become those for
        ``overlap``; all others were chosen and stay.
        """
        chosen = {number: set(users) for number, users in self.assigned.items()}
        before = dict(self.assigned)
        for size in range(1, min(overlap, len(self.people))):
            if chosen == {number: set(u) for number, u in self.fill("turn", size).assigned.items()}:
                return self.fill("turn", overlap)
        return self.assign(before)

    def list_usernames(self) -> list[tuple[Topic, str]]:
        """Each topic with the usernames of its assessors."""
        return [
            (topic, ", ".join(user.username for user in self.assigned[topic.number]))
            for topic in self.topics
        ]

    def rows(self) -> list[tuple[Topic, list[tuple[User, bool]]]]:
        return [
            (topic, [(user, user in self.assigned[topic.number]) for user in self.people])
            for topic in self.topics
        ]


def assignment_pattern(pattern: str, count: int, overlap: int, topics: int) -> list[list[int]]:
    """By topic: indices of the ``count`` assessors that a pattern of the matrix assigns."""
    size = min(max(overlap, 1), count)
    if pattern == "turn" and count:
        return [[(at * size + i) % count for i in range(size)] for at in range(topics)]
    if pattern == "meet" and count > 1:
        # With each pair in one block, a cyclic design has no more blocks than pairs of assessors.
        blocks = build_blocks(count, max(size, 2), 1, count**2)
        return [list(blocks[at % len(blocks)]) for at in range(topics)]
    return [list(range(count)) if pattern == "all" else [] for _ in range(topics)]
