"""What the pages of adjudication take in."""

from __future__ import annotations

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext_lazy as _

from campaigns.models import Campaign, User
from judging.queries.adjudication import list_adjudicators


class PeopleField(forms.ModelMultipleChoiceField):  # type: ignore[type-arg]
    def label_from_instance(self, obj: User) -> str:
        return obj.shown_name


class RoundForm(forms.Form):
    """Which disagreements a round takes up, who settles them, and what they see."""

    apart = forms.IntegerField(
        min_value=1,
        initial=1,
        label=_("Grades apart, at least"),
        help_text=_("Pairs whose highest and lowest grade are so far apart, the farthest first."),
    )
    crossing = forms.BooleanField(
        required=False, label=_("Only pairs that are relevant to one assessor and not to another")
    )
    blind = forms.TypedChoiceField(
        choices=[
            ("blind", _("Blind: the topic and the document only, as in judging")),
            ("open", _("Open: the judgments too, with comments and passages, under letters")),
        ],
        coerce=lambda value: value == "blind",
        initial="blind",
        widget=forms.RadioSelect,
        label=_("What adjudicators see"),
    )
    adjudicators = PeopleField(
        queryset=User.objects.none(), widget=forms.CheckboxSelectMultiple, label=_("Adjudicators")
    )

    def __init__(self, campaign: Campaign, data: QueryDict | None = None) -> None:
        people = list_adjudicators(campaign)
        super().__init__(data, initial={"adjudicators": people})
        self.fields["adjudicators"].queryset = people  # type: ignore[attr-defined]
        widest = campaign.grades.count() - 1
        self.fields["apart"].widget.attrs["max"] = max(1, widest)


class SettleForm(forms.Form):
    """What a meeting agreed on."""

    topic = forms.CharField(max_length=100, strip=False)
    docno = forms.CharField(max_length=500, strip=False)
    grade = forms.IntegerField()
    client_uuid = forms.UUIDField()
    comment = forms.CharField(max_length=10_000, required=False)
