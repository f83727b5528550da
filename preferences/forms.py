"""Forms of comparisons, of click logs, and of the page that works examples."""

from __future__ import annotations

from typing import Any

from django import forms
from django.core.files.uploadedfile import UploadedFile
from django.http import QueryDict

from campaigns.forms.settings import check_upload_size
from campaigns.models import Campaign, Run
from judging.forms.plans import PoolField, split_topic_numbers
from judging.models import Qrels
from judging.rules import SKIP_REASONS
from poolbench.preferences.interleaving import METHODS
from poolbench.preferences.pair_designs import LEAST_PARTNERS
from poolbench.preferences.tryout import (
    MAX_LISTED,
    WorkedClicks,
    WorkedInterleaving,
    build_worked_clicks,
    build_worked_interleaving,
)
from pooling.models import Pool
from preferences.models import ComparisonPlan
from preferences.queries.preference_sets import SOURCES
from preferences.services.comparison_plans import MOST_DEPTH, MOST_JUDGES, ComparisonOptions

Kind = ComparisonPlan.Kind


class ComparisonPlanForm(forms.Form):
    """Fields of every kind of plan; those of other kinds are ignored."""

    kind = forms.ChoiceField(choices=Kind.choices, label="Compare")
    pool = PoolField(queryset=Pool.objects.none(), required=False, empty_label=None)
    per_document = forms.IntegerField(
        required=False,
        min_value=LEAST_PARTNERS,
        max_value=1_000,
        initial=6,
        label="Comparisons per document",
        help_text="Each document is compared with this many others. Empty: all pairs.",
    )
    top = forms.IntegerField(
        required=False,
        min_value=1,
        label="Down to rank",
        help_text="Only documents that a run of the pool ranks here or better. Empty: any rank.",
    )
    grade = forms.TypedChoiceField(
        required=False, coerce=int, empty_value=None, label="From grade",
        help_text="First grade, then compare the best. Documents without a grade are left out.",
    )  # fmt: skip
    qrels = forms.ModelChoiceField(
        queryset=Qrels.objects.none(), required=False, label="Grades of", empty_label=None
    )
    topics = forms.CharField(
        required=False, max_length=10_000, help_text="Numbers, separated by spaces. Empty: all."
    )
    run_a = forms.ModelChoiceField(queryset=Run.objects.none(), required=False, label="Run A")
    run_b = forms.ModelChoiceField(queryset=Run.objects.none(), required=False, label="Run B")
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
    hourly = forms.DecimalField(
        required=False, min_value=0, max_digits=8, decimal_places=2, label="Pay for an hour",
        help_text="For the costs in the preview only; it is not kept.",
    )  # fmt: skip

    def __init__(self, campaign: Campaign, data: QueryDict | None = None) -> None:
        initial = {"pool": campaign.pools.first(), "qrels": campaign.qrels.first()}
        super().__init__(data, initial=initial)
        self.campaign = campaign
        runs, grades = campaign.runs.accepted(), campaign.grades.filter(value__gte=0)
        self.fields["grade"].choices = [  # type: ignore[attr-defined]
            ("", "any"), *((g.value, f"{g.value}: {g.label}") for g in grades)
        ]  # fmt: skip
        querysets = {"pool": campaign.pools.all(), "run_a": runs, "run_b": runs}
        querysets["qrels"] = campaign.qrels.all()
        for name, rows in querysets.items():
            self.fields[name].queryset = rows  # type: ignore[attr-defined]

    def clean_topics(self) -> list[str]:
        return split_topic_numbers(self.campaign, self.cleaned_data["topics"])

    def read_options(self) -> ComparisonOptions:
        """The options of a valid form."""
        cleaned: dict[str, Any] = dict(self.cleaned_data)
        del cleaned["hourly"]
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


class ClickLogForm(forms.Form):
    """A file of sessions."""

    file = forms.FileField(
        allow_empty_file=True,
        label="Click log",
        help_text="JSON Lines, plain or gzip: a session with the list shown and the clicks on it "
        "per line.",
    )

    def clean_file(self) -> UploadedFile[Any]:
        return check_upload_size(self.cleaned_data["file"])


class PreferenceResultsForm(forms.Form):
    """The source of the preferences, and the prior of the strengths."""

    source = forms.ChoiceField(choices=tuple(SOURCES.items()), label="Preferences")
    prior = forms.FloatField(
        min_value=0,
        max_value=1000,
        label="Prior",
        help_text="Wins and losses of each document against one of strength 0; 0: none.",
    )


MAX_NAME = 200


class RankingField(forms.CharField):
    """A ranking: a document per line."""

    def __init__(self, **options: Any) -> None:
        widget = forms.Textarea({"rows": 6})
        super().__init__(max_length=MAX_LISTED * (MAX_NAME + 2), widget=widget, **options)

    def clean(self, value: Any) -> list[str]:
        lines = [line.strip() for line in super().clean(value).splitlines()]
        names = [line for line in lines if line]
        if len(names) > MAX_LISTED:
            raise forms.ValidationError(
                f"{len(names)} documents entered; at most {MAX_LISTED} are allowed."
            )
        if long := [name for name in names if len(name) > MAX_NAME]:
            raise forms.ValidationError(f"{long[0][:40]}… exceeds {MAX_NAME} characters.")
        if twice := sorted({name for name in names if names.count(name) > 1}):
            raise forms.ValidationError(f"Duplicate document: {twice[0]}. List each once.")
        return names


class InterleavingForm(forms.Form):
    """Two rankings, a method, and who starts. ``work`` only a valid form."""

    a = RankingField(label="Ranking A", help_text="A document per line, from rank 1.")
    b = RankingField(label="Ranking B")
    method = forms.ChoiceField(
        choices=tuple((name, method.card.title) for name, method in METHODS.items())
    )
    first = forms.ChoiceField(
        choices=(("", "By lot"), ("A", "Ranking A"), ("B", "Ranking B")),
        required=False,
        label="First turn",
        help_text="Team draft draws every round and ignores it.",
    )
    seed = forms.IntegerField(min_value=0, max_value=2**31 - 1, label="Seed of the lots")

    def work(self, picks: list[str]) -> WorkedInterleaving:
        options = {**self.cleaned_data, "first": self.cleaned_data["first"] or None}
        return build_worked_interleaving(**options, picks=picks)


class ClicksForm(forms.Form):
    """A list shown, the clicks on it, and a ranking to score. ``work`` only a valid form."""

    documents = RankingField(label="List shown", help_text="A document per line, from the top.")
    clicked = RankingField(label="Clicked", required=False)
    ranking = RankingField(label="Ranking to score")

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        documents = data.get("documents", ())
        if unknown := [name for name in data.get("clicked", ()) if name not in documents]:
            self.add_error("clicked", f"Clicked but not shown: {unknown[0]}.")
        if self.is_valid():
            try:
                self.work()
            except ValueError as error:
                self.add_error(None, f"{str(error).capitalize()}.")
        return data

    def work(self) -> WorkedClicks:
        return build_worked_clicks(
            *(self.cleaned_data[name] for name in ("documents", "clicked", "ranking"))
        )
