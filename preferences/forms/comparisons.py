"""Forms of comparisons: a new plan, and the answers of the desk."""

from __future__ import annotations

from typing import Any

from django import forms
from django.db.models import QuerySet
from django.http import QueryDict

from campaigns.models import Campaign, Run
from judging.rules import SKIP_REASONS
from pooling.models import Pool
from preferences.core.pair_designs import LEAST_PARTNERS
from preferences.models import ComparisonPlan
from preferences.services.comparison_plans import MOST_DEPTH, MOST_JUDGES, ComparisonOptions

Kind = ComparisonPlan.Kind


class ComparedPoolField(forms.ModelChoiceField):  # type: ignore[type-arg]
    def label_from_instance(self, obj: Pool) -> str:
        return f"Pool {obj.version}, {obj.size:,} pairs"


class ComparedRunField(forms.ModelChoiceField):  # type: ignore[type-arg]
    def label_from_instance(self, obj: Run) -> str:
        return obj.tag


class ComparisonPlanForm(forms.Form):
    """Fields of every kind of plan; those of other kinds are ignored."""

    kind = forms.ChoiceField(choices=Kind.choices, label="Compare")
    pool = ComparedPoolField(queryset=Pool.objects.none(), required=False, empty_label=None)
    per_document = forms.IntegerField(
        required=False,
        min_value=LEAST_PARTNERS,
        max_value=1_000,
        initial=6,
        label="Comparisons per document",
        help_text="Each document is compared with this many others. Empty: all pairs.",
    )
    run_a = ComparedRunField(queryset=Run.objects.none(), required=False, label="Run A")
    run_b = ComparedRunField(queryset=Run.objects.none(), required=False, label="Run B")
    depth = forms.IntegerField(
        min_value=1,
        max_value=MOST_DEPTH,
        initial=10,
        label="Depth",
        help_text="Documents shown of each ranking, or of the list.",
    )
    method = forms.ChoiceField(
        choices=ComparisonPlan.Method.choices,
        initial=ComparisonPlan.Method.TEAM_DRAFT,
        label="Interleaving",
    )
    title = forms.CharField(
        max_length=120, required=False, help_text="Assessors see it. Do not name runs."
    )
    question = forms.CharField(
        max_length=300,
        required=False,
        label="Question to the assessor",
        help_text="Example: Which document would you rather give to a colleague?",
    )
    judges = forms.IntegerField(
        min_value=1, max_value=MOST_JUDGES, initial=1, label="Judges per comparison"
    )
    ties = forms.BooleanField(required=False, initial=True, label="Ties allowed")
    seed = forms.IntegerField(
        min_value=0,
        max_value=2**31 - 1,
        initial=1,
        help_text="Draws pairs, sides and turns. The same seed gives the same plan.",
    )

    def __init__(self, campaign: Campaign, data: QueryDict | None = None) -> None:
        super().__init__(data, initial={"pool": campaign.pools.first()})
        runs: QuerySet[Any] = campaign.runs.accepted()
        querysets: dict[str, QuerySet[Any]] = {"run_a": runs, "run_b": runs}
        querysets["pool"] = campaign.pools.all()
        for name, rows in querysets.items():
            field = self.fields[name]
            if isinstance(field, forms.ModelChoiceField):
                field.queryset = rows

    def read_options(self) -> ComparisonOptions:
        """The options of a valid form."""
        cleaned: dict[str, Any] = dict(self.cleaned_data)
        cleaned["title"] = cleaned["title"] or f"Comparison of {Kind(cleaned['kind']).label}"
        return ComparisonOptions(**cleaned)


class AnswerForm(forms.Form):
    """Fields of every answer of the desk."""

    display = forms.CharField(max_length=200)
    client_uuid = forms.UUIDField()
    token = forms.UUIDField(required=False)
    comment = forms.CharField(required=False, max_length=10_000)
    active_seconds = forms.FloatField(required=False, min_value=0, max_value=86_400)
    served_at = forms.DateTimeField(required=False)


class SideForm(AnswerForm):
    side = forms.ChoiceField(choices=[(name, name) for name in ("left", "right", "tie")])


class PicksForm(AnswerForm):
    picks = forms.TypedMultipleChoiceField(
        choices=[(rank, str(rank)) for rank in range(1, MOST_DEPTH + 1)], coerce=int, required=False
    )


class SkipComparisonForm(AnswerForm):
    reason = forms.ChoiceField(choices=list(SKIP_REASONS.items()))


class UndoPreferenceForm(forms.Form):
    """``answer`` is the ``client_uuid`` of the answer to undo; default: the latest."""

    client_uuid = forms.UUIDField()
    answer = forms.UUIDField(required=False)

    def clean(self) -> dict[str, Any]:
        """``answer`` under the name of the service's parameter."""
        data = super().clean() or {}
        return {"preference_uuid": data.pop("answer", None), **data}
