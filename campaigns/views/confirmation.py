"""The page before an act that cannot be undone: it asks, and its form acts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from django.http import HttpResponse

from campaigns.core.confirmation import Confirmation, ConfirmationChoice, Decision
from campaigns.errors import ActionRefused, ConfirmationNeeded
from campaigns.models import Campaign
from campaigns.views.helpers import SignedInRequest
from campaigns.views.pages import render_page

DIGEST, TICKED = "digest", "confirm"
"""Names in the form: the digest of the facts, and the codes of the check boxes."""


class ChoiceRow(NamedTuple):
    choice: ConfirmationChoice
    ticked: bool
    is_missing: bool


@dataclass(frozen=True)
class ConfirmationPage:
    """``fields`` are further values of the form; ``missing`` counts check boxes."""

    campaign: Campaign
    confirmation: Confirmation
    choices: list[ChoiceRow]
    fields: Sequence[tuple[str, str]]
    missing: int
    refused: ActionRefused | None


@dataclass(frozen=True)
class ConfirmationRequest:
    """One page: ``fields`` are further values of its form."""

    request: SignedInRequest
    campaign: Campaign
    fields: Sequence[tuple[str, str]]

    def render(
        self,
        confirmation: Confirmation,
        *,
        ticked: frozenset[str] = frozenset(),
        missing: frozenset[str] = frozenset(),
        refused: ActionRefused | None = None,
        status: int = 200,
    ) -> HttpResponse:
        page = ConfirmationPage(
            campaign=self.campaign,
            confirmation=confirmation,
            choices=[
                ChoiceRow(choice, choice.code in ticked, choice.code in missing)
                for choice in confirmation.iter_choices()
            ],
            fields=self.fields,
            missing=len(missing),
            refused=refused,
        )
        return render_page(self.request, "campaigns/confirm.html", page, status=status)


def confirm_act(
    request: SignedInRequest,
    campaign: Campaign,
    *,
    describe: Callable[[], Confirmation],
    act: Callable[[Decision], HttpResponse],
    fields: Sequence[tuple[str, str]] = (),
) -> HttpResponse:
    """Show the facts; once their form is posted, call ``act`` with the decision.

    The page is shown again with 422 if a check box is missing, with 409 if the facts have changed
    or the act is refused.
    """
    page = ConfirmationRequest(request, campaign, fields)
    if request.method != "POST" or DIGEST not in request.POST:
        return page.render(describe())
    ticked = frozenset(request.POST.getlist(TICKED))
    # An empty digest must not pass for a decision that needs none.
    decision = Decision(ticked, request.POST[DIGEST] or "none")
    try:
        return act(decision)
    except ConfirmationNeeded as needed:
        if needed.changed:
            return page.render(needed.confirmation, refused=needed, status=409)
        missing = frozenset(choice.code for choice in needed.missing)
        return page.render(needed.confirmation, ticked=ticked, missing=missing, status=422)
    except ActionRefused as refused:
        return page.render(describe(), refused=refused, status=409)
