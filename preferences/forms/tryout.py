"""The forms of the page that works examples of interleaving and of clicks."""

from __future__ import annotations

from typing import Any

from django import forms

from preferences.core.interleaving_methods import METHODS
from preferences.core.tryout import (
    WorkedClicks,
    WorkedInterleaving,
    build_worked_clicks,
    build_worked_interleaving,
)

MAX_LISTED, MAX_NAME = 100, 200


class RankingField(forms.CharField):
    """A ranking: a document per line."""

    def __init__(self, **options: Any) -> None:
        widget = forms.Textarea({"rows": 6})
        super().__init__(max_length=MAX_LISTED * (MAX_NAME + 2), widget=widget, **options)

    def clean(self, value: Any) -> list[str]:
        lines = [line.strip() for line in super().clean(value).splitlines()]
        names = [line for line in lines if line]
        if len(names) > MAX_LISTED:
            raise forms.ValidationError(
                f"{len(names)} documents entered; at most {MAX_LISTED} are allowed."
            )
        if long := [name for name in names if len(name) > MAX_NAME]:
            raise forms.ValidationError(f"{long[0][:40]}… exceeds {MAX_NAME} characters.")
        if twice := sorted({name for name in names if names.count(name) > 1}):
            raise forms.ValidationError(f"Duplicate document: {twice[0]}. List each once.")
        return names


class InterleavingForm(forms.Form):
    """Two rankings, a method, and who starts. ``work`` only a valid form."""

    a = RankingField(label="Ranking A", help_text="A document per line, from rank 1.")
    b = RankingField(label="Ranking B")
    method = forms.ChoiceField(
        choices=tuple((name, method.card.title) for name, method in METHODS.items())
    )
    first = forms.ChoiceField(
        choices=(("", "By lot"), ("A", "Ranking A"), ("B", "Ranking B")),
        required=False,
        label="First turn",
        help_text="Team draft draws every round and ignores it.",
    )
    seed = forms.IntegerField(min_value=0, max_value=2**31 - 1, label="Seed of the lots")

    def work(self, picks: list[str]) -> WorkedInterleaving:
        data = self.cleaned_data
        return build_worked_interleaving(
            data["a"],
            data["b"],
            data["method"],
            first=data["first"] or None,
            seed=data["seed"],
            picks=picks,
        )


class ClicksForm(forms.Form):
    """A list shown, the clicks on it, and a ranking to score. ``work`` only a valid form."""

    documents = RankingField(label="List shown", help_text="A document per line, from the top.")
    clicked = RankingField(label="Clicked", required=False)
    ranking = RankingField(label="Ranking to score")

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        documents = data.get("documents", ())
        if unknown := [name for name in data.get("clicked", ()) if name not in documents]:
            self.add_error("clicked", f"Clicked but not shown: {unknown[0]}.")
        return data

    def work(self) -> WorkedClicks:
        return build_worked_clicks(
            *(self.cleaned_data[name] for name in ("documents", "clicked", "ranking"))
        )
