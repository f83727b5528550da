"""The form of a task or round."""

from typing import Any

from django import forms

from campaigns.forms.settings import DateTimeLocalInput, NameListField
from campaigns.models import Campaign, CampaignTask
from campaigns.services.tasks import is_fixed


class TaskForm(forms.ModelForm):  # type: ignore[type-arg]
    topics = NameListField(
        required=False,
        widget=forms.Textarea({"rows": 3}),
        help_text="Topic IDs separated by spaces. Leave empty for all topics of the campaign.",
    )
    measures = NameListField(
        required=False,
        help_text="Space-separated measure names. Leave empty for those of the campaign.",
    )
    judged_before = forms.TypedChoiceField(
        required=False,
        coerce=int,
        empty_value=None,
        label="Judged in earlier rounds",
        help_text="For a round: documents that these qrels have judged leave its runs, pools and"
        " scores (residual evaluation).",
    )

    class Meta:
        model = CampaignTask
        fields = (
            "name",
            "topics",
            "judged_before",
            "refuse_judged",
            "runs_deadline",
            "max_runs_per_team",
            "measures",
        )
        widgets = {"runs_deadline": DateTimeLocalInput()}
        labels = {
            "refuse_judged": "Reject runs with documents judged in earlier rounds",
            "runs_deadline": "Run deadline",
            "max_runs_per_team": "Runs per team",
        }
        help_texts = {
            "runs_deadline": "UTC. Leave empty for that of the campaign.",
            "max_runs_per_team": "Leave empty for the limit of the campaign; both count by task.",
        }

    def __init__(self, *args: Any, campaign: Campaign, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        versions: Any = self.fields["judged_before"]
        # Qrels belong to an upper app; only the reverse relation is known here.
        known = [(each.version, str(each).capitalize()) for each in campaign.qrels.all()]
        versions.choices = [("", "Nothing: no round, or the first"), *known]
        if self.instance.pk:
            numbers = self.instance.topics.values_list("number", flat=True)
            self.initial["topics"] = list(numbers)
            if is_fixed(self.instance):
                # The service rejects a change, so the page does not offer one.
                self.fields["topics"].disabled = versions.disabled = True

    def _post_clean(self) -> None:
        """The service checks and writes the task."""
