"""Forms of what organizers set right: a text, and the end of submission."""

from typing import Any

from django import forms

from campaigns.forms.settings import DateTimeLocalInput
from campaigns.models import Campaign, Team
from campaigns.queries.errata import TEXTS


class ReopeningForm(forms.Form):
    until = forms.DateTimeField(label="New run deadline (UTC)", widget=DateTimeLocalInput())
    team = forms.ModelChoiceField(
        Team.objects.none(), required=False, label="For", empty_label="All teams"
    )

    def __init__(self, *args: Any, campaign: Campaign, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["team"].queryset = campaign.teams.all()  # type: ignore[attr-defined]


class ErratumForm(forms.Form):
    """The texts of a topic, grade or document, and why they are corrected."""

    reason = forms.CharField(
        max_length=300, required=False, label="Reason", help_text="Shown to all members."
    )
    seen = forms.IntegerField(required=False, widget=forms.HiddenInput)
    field_order = (*(field for texts in TEXTS.values() for field in texts), "reason")

    def __init__(self, *args: Any, row: object, kind: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for field, label in TEXTS[kind].items():
            rows = 7 if field in ("description", "narrative") else 2
            self.fields[field] = forms.CharField(
                label=label, required=False, strip=False, initial=getattr(row, field),
                max_length=100_000, widget=forms.Textarea({"rows": rows}),
            )  # fmt: skip
        self.order_fields(self.field_order)
        self.texts = list(TEXTS[kind])

    def read_texts(self) -> dict[str, str]:
        """Browsers send each line end as two characters."""
        return {name: self.cleaned_data[name].replace("\r\n", "\n") for name in self.texts}
