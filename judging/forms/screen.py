"""Forms of the judging pages."""

from typing import Any

from django import forms

from judging.models import Judgment, Plan, TopicNote
from judging.rules import FLAGS, SKIP_REASONS
from judging.services.judgment_log import Passage


class PassagesField(forms.JSONField):
    """``[[start, end, text], …]``; start and end are null where only the text is known."""

    def to_python(self, value: object) -> list[Passage]:  # type: ignore[override]
        rows = super().to_python(value) or []
        if not isinstance(rows, list) or not all(map(is_passage, rows)):
            raise forms.ValidationError("A passage must be [start, end, text].", "passages")
        return [(start, end, text) for start, end, text in rows]


def is_passage(value: object) -> bool:
    if not isinstance(value, list) or len(value) != 3:
        return False
    start, end, text = value
    offsets = all(at is None or type(at) is int for at in (start, end))
    return offsets and isinstance(text, str) and "\0" not in text


class SubmissionForm(forms.Form):
    """Fields of every act on a document, from a page or as JSON. Docnos are never stripped.

    What is clean has the names of a ``JudgmentSubmission``.
    """

    docno = forms.CharField(max_length=500, strip=False)
    client_uuid = forms.UUIDField()
    token = forms.UUIDField(required=False)
    comment = forms.CharField(required=False, max_length=10_000)
    flags = forms.MultipleChoiceField(required=False, choices=list(FLAGS.items()))
    duplicate_of = forms.CharField(required=False, max_length=500)
    active_seconds = forms.FloatField(required=False, min_value=0, max_value=86_400)
    served_at = forms.DateTimeField(required=False)
    guideline_version = forms.IntegerField(required=False, min_value=0)
    erratum = forms.IntegerField(required=False, min_value=0)
    language_shown = forms.ChoiceField(required=False, choices=Plan.Language.choices)

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        cleaned["original_docno"] = cleaned.pop("duplicate_of", "")
        return cleaned


class JudgeForm(SubmissionForm):
    grade = forms.IntegerField()
    passages = PassagesField(required=False)
    quotes = forms.CharField(required=False, max_length=20_000)

    def clean(self) -> dict[str, Any]:
        """Quotes, pasted one per line without JavaScript, are passages without offsets."""
        cleaned = super().clean() | {"kind": Judgment.Kind.GRADE}
        quoted = [line.strip() for line in cleaned.pop("quotes", "").splitlines()]
        cleaned["passages"] = cleaned.get("passages") or [
            (None, None, line) for line in quoted if line
        ]
        return cleaned


class SkipForm(SubmissionForm):
    reason = forms.ChoiceField(choices=list(SKIP_REASONS.items()))

    def clean(self) -> dict[str, Any]:
        return super().clean() | {"kind": Judgment.Kind.SKIP}


class NoteForm(forms.Form):
    """An entry of the notebook of a topic."""

    kind = forms.ChoiceField(choices=TopicNote.Kind.choices)
    text = forms.CharField(max_length=2_000)
    docno = forms.CharField(max_length=500, strip=False, required=False)
    client_uuid = forms.UUIDField()


class UndoForm(forms.Form):
    """``of`` is the ``client_uuid`` of the judgment to undo; default: the latest."""

    client_uuid = forms.UUIDField()
    of = forms.UUIDField(required=False)

    def clean(self) -> dict[str, Any]:
        """``of`` under the name of the service's parameter."""
        data = super().clean() or {}
        return {"judgment_uuid": data.pop("of", None), **data}
