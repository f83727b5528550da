"""The one form of this app: which qrels to evaluate under, and by which measures."""

from __future__ import annotations

from typing import Any

from django import forms

from campaigns.models import Campaign
from evaluation.core.measures.names import parse_measures
from evaluation.core.measures.registry import DEFAULT_NAMES
from evaluation.rules import check_measures
from judging.models import Qrels


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
        names = str(self.cleaned_data["measures"]).split()
        check_measures(names)
        return [measure.name for measure in parse_measures(names)]
