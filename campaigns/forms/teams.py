"""Forms of teams: registration, what a team says of itself, invitations."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from campaigns.forms.accounts import OneLineField
from campaigns.models import Campaign, Member, User
from campaigns.services.invitation_lists import COLUMNS
from campaigns.services.teams import TeamEntry


class TeamDetailsForm(forms.Form):
    affiliation = OneLineField(max_length=200, label=_("Affiliation"))
    contact = OneLineField(
        max_length=200,
        label=_("Contact person"),
        help_text=_("Name, and how to reach them. Visible to the team and to organizers."),
    )


class TeamRegistrationForm(TeamDetailsForm):
    name = OneLineField(max_length=60, label=_("Name of the team"))
    version = forms.IntegerField(widget=forms.HiddenInput, required=False)
    accept = forms.BooleanField(label=_("I accept the terms of participation"))

    field_order = ("name", "affiliation", "contact", "version", "accept")

    def __init__(self, *args: Any, campaign: Campaign, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["version"].initial = campaign.terms_version
        if not campaign.terms:
            del self.fields["accept"]

    def read_entry(self) -> TeamEntry:
        names = ("name", "affiliation", "contact")
        return TeamEntry(*(self.cleaned_data[name] for name in names))


class ColleagueForm(forms.Form):
    address = forms.EmailField(
        max_length=254,
        required=False,
        label=_("E-mail"),
        help_text=_("The link is sent to it. Without an address you pass the link on yourself."),
    )


class InvitationListForm(forms.Form):
    rows = forms.CharField(
        max_length=100_000,
        label="List as CSV",
        widget=forms.Textarea({"rows": 10, "class": "mono", "placeholder": ",".join(COLUMNS)}),
        help_text="One person per line: address,name,role,team. Participants have a team; teams"
        " that are new are created.",
    )


class SuccessorForm(forms.Form):
    successor = forms.ModelChoiceField(User.objects.none(), label="New organizer")

    def __init__(self, *args: Any, campaign: Campaign, actor: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        members = Member.objects.filter(campaign=campaign).exclude(user=actor)
        field: Any = self.fields["successor"]
        field.queryset = User.objects.filter(pk__in=members.values("user"), is_active=True)
        field.label_from_instance = lambda user: f"{user.shown_name} ({user.username})"
