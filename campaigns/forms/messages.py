"""The form of a message to teams, assessors or everybody."""

from typing import Any

from django import forms

from campaigns.models import Campaign, Team
from campaigns.queries.mail import AUDIENCES
from campaigns.services.messages import MOST_CHARACTERS

TEAM = "team-"


class MessageForm(forms.Form):
    to = forms.ChoiceField(label="To")
    subject = forms.CharField(max_length=150)
    text = forms.CharField(
        max_length=MOST_CHARACTERS,
        widget=forms.Textarea({"rows": 12}),
        help_text="Plain text. Begin without “Dear …”: each mail begins with the person's name.",
    )

    def __init__(self, *args: Any, campaign: Campaign, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.campaign = campaign
        teams = [(f"{TEAM}{team.pk}", f"Team {team.name}") for team in campaign.teams.all()]
        self.fields["to"].choices = [*AUDIENCES.items(), *teams]  # type: ignore[attr-defined]

    def clean_text(self) -> str:
        """Browsers send each line end as two characters."""
        text: str = self.cleaned_data["text"]
        return text.replace("\r\n", "\n")

    def read_audience(self) -> tuple[str, Team | None]:
        """The audience and the team, as ``send_message`` takes them."""
        to: str = self.cleaned_data["to"]
        if to.startswith(TEAM):
            return "team", self.campaign.teams.get(pk=int(to.removeprefix(TEAM)))
        return to, None
