"""Which runs are scored under which qrels, by which measures."""

from typing import Any

from django import forms

from campaigns.models import Campaign
from campaigns.queries.tasks import get_current_task
from evaluation.forms.estimates import list_machine_choices
from evaluation.queries.estimate_inputs import find_sampled_pool
from evaluation.rules import check_measures
from judging.models import Qrels
from poolbench.evaluation.measures.names import parse_measures
from poolbench.evaluation.measures.registry import DEFAULT_NAMES
from poolbench.files.name_lists import split_names


class EvaluateForm(forms.Form):
    qrels = forms.ModelChoiceField(Qrels.objects.none())
    measures = forms.CharField(required=False)

    def __init__(self, *args: Any, campaign: Campaign, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        versions = Qrels.objects.filter(campaign=campaign)
        self.fields["qrels"] = forms.ModelChoiceField(versions, empty_label=None)
        if campaign.tasks.exists():
            tasks = campaign.tasks.filter(runs__isnull=False).distinct()
            latest = get_current_task(campaign)
            self.fields["task"] = forms.ModelChoiceField(tasks, empty_label=None, initial=latest)
            self.order_fields(["task", "qrels", "measures"])
        sampled = find_sampled_pool(campaign)
        if sampled is not None:
            self.fields["estimate"] = forms.BooleanField(
                required=False,
                initial=sampled == campaign.pools.first(),
                label="Estimates with intervals",
                help_text="From the judged sample. Without it, pairs that were not drawn count as "
                "not judged.",
            )
            names = list(campaign.automatic_assessors.values_list("name", flat=True))
            chosen = campaign.estimate_machines
            self.fields["machines"] = forms.MultipleChoiceField(
                choices=list_machine_choices(campaign),
                required=False,
                initial=names if chosen is None else chosen,
                label="Automatic assessors",
                help_text="They make intervals narrower; no grade of theirs counts as a person's.",
                widget=forms.CheckboxSelectMultiple,
            )
        default = " ".join(campaign.measures or DEFAULT_NAMES)
        self.fields["measures"].help_text = f"Space-separated measure names. Default: {default}"

    def clean_measures(self) -> list[str]:
        names = split_names(str(self.cleaned_data["measures"]))
        check_measures(names)
        return [measure.name for measure in parse_measures(names)]
