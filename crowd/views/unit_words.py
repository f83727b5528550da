"""Refusals in the words of workers: what judging refuses in its own terms, said plainly."""

from __future__ import annotations

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from campaigns.errors import ActionRefused

AGAIN = gettext_lazy("Please read the text and answer again.")
PLAIN = {
    "no-reason": (gettext_lazy("Please choose a reason."), ""),
    "no-explanation": (
        gettext_lazy("Please say what it is."),
        gettext_lazy("A few words will do."),
    ),
    "not-in-unit": (gettext_lazy("This text is not part of your work any more."), AGAIN),
    "off-scale": (gettext_lazy("That did not work."), AGAIN),
    "uuid-used": (gettext_lazy("That did not work."), AGAIN),
    "unit-over": (
        gettext_lazy("This piece of work is over."),
        gettext_lazy("Your answers are saved. You can close this page."),
    ),
    "worker-inactive": (
        gettext_lazy("You cannot go on with this task."),
        gettext_lazy("Please go back to your platform."),
    ),
}
"""By code, what is wrong and what to do."""
OURS = {
    "bad-form", "bad-unit-link", "consent-changed", "expired-unit-link", "no-consent",
    "no-practice", "not-agreed", "not-finished", "not-running",
}  # fmt: skip
"""Codes of refusals that are in plain words already."""


def explain_refusal(refused: ActionRefused) -> ActionRefused:
    """``refused`` with the same code, in words that every worker knows."""
    if refused.code in OURS:
        return refused
    if refused.code in PLAIN:
        message, fix = PLAIN[refused.code]
        return ActionRefused(refused.code, str(message), str(fix))
    return ActionRefused(
        refused.code, _("You cannot go on right now."), _("Please try again in a few minutes.")
    )
