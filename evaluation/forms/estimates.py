"""How often estimates are looked at while people judge, and which machines sharpen them."""

from __future__ import annotations

from typing import Any

from django import forms

from campaigns.models import Campaign

COVERING, CHOSEN = "covering", "chosen"


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
        names = list(campaign.automatic_assessors.values_list("name", flat=True))
        self.fields["machines"] = forms.MultipleChoiceField(
            choices=[(name, name) for name in names],
            required=False,
            widget=forms.CheckboxSelectMultiple,
            label="Ticked",
        )
        if not names:
            del self.fields["machines"], self.fields["use"]

    @property
    def settings(self) -> dict[str, Any]:
        """As ``update_campaign`` takes them."""
        sent = self.cleaned_data
        if "use" not in sent:
            return {"estimate_looks": sent["looks"]}
        machines = sent["machines"] if sent["use"] == CHOSEN else None
        return {"estimate_looks": sent["looks"], "estimate_machines": machines}
