"""Forms of qrels."""

from typing import Any

from django import forms
from django.http import QueryDict

from campaigns.models import Campaign, User
from judging.models import Purpose
from judging.queries.qrels_versions import list_crowd_rules
from poolbench.judging.policies import (
    ADJUDICATED,
    ASSESSOR,
    AUTOMATIC,
    NOT_PROPAGATED,
    UnknownPolicyError,
    get_policy,
)
from poolbench.judging.policy_rules import CROWD_RULES, RULES

OWN = "own"
MOMENT = forms.DateTimeInput({"type": "datetime-local", "step": "1"}, format="%Y-%m-%dT%H:%M:%S")


class QrelsForm(forms.Form):
    """A policy composed of its parts, or its full name in ``policy``; cleans to ``name``."""

    policy = forms.CharField(max_length=250)
    adjudicated = forms.BooleanField(required=False, label="Adjudications override the policy")
    own = forms.ChoiceField(required=False, label="Assessor")
    fill = forms.ChoiceField(required=False, label="Pairs without a human judgment")
    own_only = forms.BooleanField(
        required=False, label="Leave out grades that were propagated to the same text"
    )
    as_of = forms.DateTimeField(
        required=False,
        widget=MOMENT,
        label="Judgments up to",
        help_text="UTC. Leave empty for all judgments so far.",
    )
    note = forms.CharField(
        max_length=200, required=False, help_text="Purpose of this version, in a few words."
    )

    def __init__(
        self, campaign: Campaign, data: QueryDict | None = None, *, name: str = "single"
    ) -> None:
        super().__init__(data, initial=split_policy_name(name))
        automatic = campaign.automatic_assessors.values_list("name", flat=True)
        people = list_judges(campaign)
        own = [(ASSESSOR + user.username, user.shown_name) for user in people]
        own += [(AUTOMATIC + name, f"{name}, automatic") for name in automatic]
        self.choose("own", own)
        fills = [("", "leave out")]
        self.choose("fill", fills + [(name, f"use the grade of {name}") for name in automatic])
        self.cards = [rule.card for rule in RULES.values()]
        self.crowd_cards = [rule.card for rule in list_crowd_rules(campaign)]

    def choose(self, field: str, choices: list[tuple[str, str]]) -> None:
        self.fields[field].choices = choices  # type: ignore[attr-defined]

    @property
    def offers_own(self) -> bool:
        return bool(self.fields["own"].choices)  # type: ignore[attr-defined]

    @property
    def offers_fill(self) -> bool:
        return len(self.fields["fill"].choices) > 1  # type: ignore[attr-defined]

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        policy = cleaned.get("policy", "")
        if policy == OWN:
            policy = cleaned.get("own", "")
            if not policy:
                raise forms.ValidationError(
                    "Choose the assessor whose judgments to use.", "no-policy"
                )
        elif policy in RULES or policy in CROWD_RULES:
            fill = cleaned.get("fill", "")
            policy = (ADJUDICATED if cleaned.get("adjudicated") else "") + policy
            policy += NOT_PROPAGATED if cleaned.get("own_only") else ""
            policy += f"+{AUTOMATIC}{fill}" if fill else ""
        try:
            cleaned["name"] = get_policy(policy).name
        except UnknownPolicyError as error:
            raise forms.ValidationError(str(error), "no-policy") from error
        return cleaned


def split_policy_name(name: str) -> dict[str, Any]:
    """Initial values of the form's fields for the policy ``name``."""
    policy = get_policy(name)
    if policy.alone:
        return {"policy": OWN, "own": name}
    return {
        "policy": policy.rule, "adjudicated": policy.adjudicated, "fill": policy.automatic,
        "own_only": not policy.propagated,
    }  # fmt: skip


def list_judges(campaign: Campaign) -> list[User]:
    """Those whose own judgments can be frozen: all who judged, without crowd workers."""
    judged = campaign.judgments.filter(purpose=Purpose.JUDGE, unit=None).order_by()
    return list(User.objects.filter(pk__in=judged.values("assessor")).order_by("username"))
