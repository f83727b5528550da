"""What organizers fill in: which qrels to evaluate under, and a round by value."""

from __future__ import annotations

from typing import Any

from django import forms

from campaigns.core.name_lists import split_names
from campaigns.models import Campaign, User
from evaluation.core.measures.names import parse_measures
from evaluation.core.measures.registry import DEFAULT_NAMES
from evaluation.rules import check_measures
from judging.core.stopping import Rule
from judging.models import Qrels, StoppingRule
from judging.queries.adjudication import adjudicators


class EvaluateForm(forms.Form):
    qrels = forms.ModelChoiceField(Qrels.objects.none())
    measures = forms.CharField(required=False)

    def __init__(self, *args: Any, campaign: Campaign, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        releases = Qrels.objects.filter(campaign=campaign)
        self.fields["qrels"] = forms.ModelChoiceField(releases, empty_label=None)
        usual = " ".join(campaign.measures or DEFAULT_NAMES)
        self.fields["measures"].help_text = f"By names with blanks between them. Empty: {usual}"

    def clean_measures(self) -> list[str]:
        names = split_names(str(self.cleaned_data["measures"]))
        check_measures(names)
        return [measure.name for measure in parse_measures(names)]


class RoundByValueForm(forms.Form):
    """How many of the most valuable pairs, and who settles them."""

    most = forms.IntegerField(min_value=1, max_value=10_000, initial=20, label="Pairs")
    adjudicators = forms.ModelMultipleChoiceField(User.objects.none())
    blind = forms.BooleanField(required=False, initial=True)

    def __init__(self, *args: Any, campaign: Campaign, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["adjudicators"] = forms.ModelMultipleChoiceField(
            adjudicators(campaign), widget=forms.CheckboxSelectMultiple
        )


class StoppingForm(forms.Form):
    """When a topic ends; what is left empty never ends one."""

    documents = forms.IntegerField(
        min_value=1, max_value=1_000_000, required=False, label="Judged documents"
    )
    relevant = forms.IntegerField(
        min_value=1, max_value=1_000_000, required=False, label="Relevant documents found"
    )
    no_relevant_in = forms.IntegerField(
        min_value=1, max_value=1_000_000, required=False, label="In a row without a relevant one"
    )

    @classmethod
    def of(cls, row: StoppingRule | None) -> StoppingForm:
        return cls(initial=vars(row.rule) if row else {})

    @property
    def rule(self) -> Rule:
        return Rule(**self.cleaned_data)
