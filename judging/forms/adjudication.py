"""Forms of adjudication."""

from django import forms
from django.http import QueryDict

from campaigns.models import Campaign, User
from judging.queries.adjudication import list_adjudicators


class PeopleField(forms.ModelMultipleChoiceField):  # type: ignore[type-arg]
    def label_from_instance(self, obj: User) -> str:
        return obj.shown_name


class RoundForm(forms.Form):
    """Which disagreements a round contains, who adjudicates them, and what they see."""

    help_words = {"apart": "grade difference"}

    apart = forms.IntegerField(
        min_value=1,
        initial=1,
        label="Minimum grade difference",
        help_text=(
            "Pairs whose highest and lowest grades differ by at least this much,"
            " largest difference first."
        ),
    )
    crossing = forms.BooleanField(
        required=False,
        label="Only pairs judged relevant by some assessors and non-relevant by others",
    )
    blind = forms.TypedChoiceField(
        choices=[
            ("blind", "Blind: topic and document only"),
            ("open", "Open: with anonymized judgments, comments and passages"),
        ],
        coerce=lambda value: value == "blind",
        initial="blind",
        widget=forms.RadioSelect,
        label="What adjudicators see",
    )
    adjudicators = PeopleField(
        queryset=User.objects.none(), widget=forms.CheckboxSelectMultiple, label="Adjudicators"
    )

    def __init__(self, campaign: Campaign, data: QueryDict | None = None) -> None:
        people = list_adjudicators(campaign)
        super().__init__(data, initial={"adjudicators": people})
        self.fields["adjudicators"].queryset = people  # type: ignore[attr-defined]
        widest = campaign.grades.count() - 1
        self.fields["apart"].widget.attrs["max"] = max(1, widest)


class ConsensusForm(forms.Form):
    """The decision of a consensus meeting."""

    topic = forms.CharField(max_length=100, strip=False)
    docno = forms.CharField(max_length=500, strip=False)
    grade = forms.IntegerField()
    client_uuid = forms.UUIDField()
    comment = forms.CharField(max_length=10_000, required=False)
