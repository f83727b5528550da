"""How often estimates are looked at while people judge, and which machines sharpen them."""

from typing import Any

from django import forms

from campaigns.errors import ActionRefused
from campaigns.models import Campaign
from evaluation.queries.estimate_inputs import find_sampled_pool
from evaluation.queries.estimate_texts import check_has_texts
from poolbench.estimation.report import TEXT

COVERING, CHOSEN = "covering", "chosen"


def list_machine_choices(campaign: Campaign) -> list[tuple[str, str]]:
    """The automatic assessors of a campaign, and the one that is built in."""
    names = campaign.automatic_assessors.values_list("name", flat=True)
    return [*((name, name) for name in names), (TEXT, f"{TEXT} (built in: reads the documents)")]


class EstimateSettingsForm(forms.Form):
    """``machines`` counts only with ``use`` chosen; none ticked: estimates without a machine."""

    looks = forms.IntegerField(min_value=1, max_value=50, label="Looks planned")
    use = forms.ChoiceField(
        choices=((COVERING, "all that have 95 % of the pairs"), (CHOSEN, "only those ticked")),
        label="Automatic assessors",
    )

    def __init__(self, data: Any = None, *, campaign: Campaign) -> None:
        chosen = campaign.estimate_machines
        initial = {
            "looks": campaign.estimate_looks,
            "use": COVERING if chosen is None else CHOSEN,
            "machines": chosen or [],
        }
        super().__init__(data, initial=initial)
        self.campaign = campaign
        self.fields["machines"] = forms.MultipleChoiceField(
            choices=list_machine_choices(campaign),
            required=False,
            widget=forms.CheckboxSelectMultiple,
            label="Ticked",
        )

    def clean_machines(self) -> list[str]:
        names: list[str] = self.cleaned_data["machines"]
        pool = find_sampled_pool(self.campaign)
        if TEXT in names and pool is not None:
            try:
                check_has_texts(pool)
            except ActionRefused as refused:
                raise forms.ValidationError(str(refused)) from None
        return names

    @property
    def settings(self) -> dict[str, Any]:
        """As ``update_campaign`` takes them."""
        sent = self.cleaned_data
        machines = sent["machines"] if sent["use"] == CHOSEN else None
        return {"estimate_looks": sent["looks"], "estimate_machines": machines}
