"""What the judging pages take in."""

from __future__ import annotations

from typing import Any

from django import forms

from judging.core.policies import POLICIES
from judging.rules import FLAGS, SKIP_REASONS
from judging.services.judgment_log import Passage


class PassagesField(forms.JSONField):
    """``[[start, end, text], …]``; start and end are null where only the text is known."""

    def to_python(self, value: object) -> list[Passage]:  # type: ignore[override]
        listed = super().to_python(value) or []
        if not isinstance(listed, list) or not all(map(is_passage, listed)):
            raise forms.ValidationError("A passage is [start, end, text].", "passages")
        return [(start, end, text) for start, end, text in listed]


def is_passage(value: object) -> bool:
    if not isinstance(value, list) or len(value) != 3:
        return False
    start, end, text = value
    places = all(at is None or type(at) is int for at in (start, end))
    return places and isinstance(text, str) and "\0" not in text


class SubmissionForm(forms.Form):
    """What every act on a document carries, from a page or as JSON. A docno is kept to the byte.

    ``quotes`` is where passages are pasted without JavaScript, one a line.
    """

    docno = forms.CharField(max_length=500, strip=False)
    client_uuid = forms.UUIDField()
    token = forms.UUIDField(required=False)
    comment = forms.CharField(required=False, max_length=10_000)
    flags = forms.MultipleChoiceField(required=False, choices=list(FLAGS.items()))
    duplicate_of = forms.CharField(required=False, max_length=500)
    active_seconds = forms.FloatField(required=False, min_value=0, max_value=86_400)
    served_at = forms.DateTimeField(required=False)


class JudgeForm(SubmissionForm):
    grade = forms.IntegerField()
    passages = PassagesField(required=False)
    quotes = forms.CharField(required=False, max_length=20_000)

    def clean(self) -> dict[str, Any]:
        """Pasted quotes are passages of which only the text is known."""
        said = super().clean() or self.cleaned_data
        quoted = [line.strip() for line in said.pop("quotes", "").splitlines()]
        said["passages"] = said.get("passages") or [(None, None, line) for line in quoted if line]
        return said


class SkipForm(SubmissionForm):
    reason = forms.ChoiceField(choices=list(SKIP_REASONS.items()))


class UndoForm(forms.Form):
    """``of`` is the uuid of what is taken back; without it the last."""

    client_uuid = forms.UUIDField()
    of = forms.UUIDField(required=False)

    def clean(self) -> dict[str, Any]:
        """``of`` under the name of the service's parameter."""
        data = super().clean() or {}
        return {"judgment_uuid": data.pop("of", None), **data}


class ReleaseForm(forms.Form):
    policy = forms.ChoiceField(
        choices=[(name, policy.card.title) for name, policy in POLICIES.items()],
        initial="single",
        widget=forms.RadioSelect,
    )
    note = forms.CharField(
        max_length=200, required=False, help_text="What this release is for, in a few words."
    )
