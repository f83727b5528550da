"""Forms: the runs and the depth of a pool, and a quick choice of runs."""

from __future__ import annotations

from typing import Any

from django import forms

from campaigns.models import Campaign, Run
from pooling.queries import measured_pace, poolable_runs

SECONDS = 30
DEPTH = 10


class QuickForm(forms.Form):
    """Chooses runs by rule; both fields empty: all."""

    priority = forms.IntegerField(label="Priority up to", min_value=0, required=False)
    per_team = forms.IntegerField(label="Runs a team", min_value=0, required=False)


class RunsField(forms.ModelMultipleChoiceField):  # type: ignore[type-arg]
    """Numbers beyond 64 bits are no runs, rather than an error of the database."""

    def clean(self, value: Any) -> Any:
        return super().clean([number if len(number) < 19 else "-" for number in value or ()])


class PoolForm(forms.Form):
    """``run`` is a column of check boxes in the table of runs."""

    run = RunsField(
        queryset=Run.objects.none(),
        label="Runs",
        error_messages={
            "required": "Choose at least one run.",
            "invalid_choice": "A chosen run is not an accepted run of this campaign any more.",
        },
    )
    depth = forms.IntegerField(
        min_value=1, initial=DEPTH, help_text="Documents taken from each run and topic."
    )
    seconds = forms.FloatField(label="Seconds a document", min_value=1, max_value=3600)

    def __init__(self, *args: Any, campaign: Campaign, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["run"].queryset = poolable_runs(campaign)  # type: ignore[attr-defined]
        pace = measured_pace(campaign)
        self.fields["seconds"].initial = round(pace) if pace else SECONDS
        self.fields["seconds"].help_text = (
            "Measured: the median of the judgments so far."
            if pace
            else "An assumption, for the estimate of hours only."
        )


class FreezeForm(PoolForm):
    """``after`` is the newest version when the preview was made."""

    after = forms.IntegerField(min_value=0, widget=forms.HiddenInput)
