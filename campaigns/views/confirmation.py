"""The page before an act that cannot be undone: it asks, and its form acts."""

from collections.abc import Callable, Sequence

from django.conf import settings
from django.http import HttpResponse
from django.utils import translation

from campaigns.confirmation import Confirmation, Decision
from campaigns.errors import ActionRefused, ConfirmationNeeded
from campaigns.models import Campaign
from campaigns.views.helpers import SignedInRequest
from campaigns.views.pages import render_page

DIGEST, TICKED = "digest", "confirm"
"""Names in the form: the digest of the facts, and the codes of the check boxes."""


def confirm_act(
    request: SignedInRequest,
    campaign: Campaign | None,
    *,
    describe: Callable[[], Confirmation],
    act: Callable[[Decision], HttpResponse],
    fields: Sequence[tuple[str, str]] = (),
) -> HttpResponse:
    """Show the facts; once their form is posted, call ``act`` with the decision.

    The page is shown again with 422 if a check box is missing, with 409 if the facts have changed
    or the act is refused. ``campaign``: that of the act, if it has one. ``fields`` are further
    values of the form.
    """
    page = {"campaign": campaign, "fields": fields}

    def show(status: int = 200, **more: object) -> HttpResponse:
        confirmation = recorded = describe()
        if translation.get_language() != settings.LANGUAGE_CODE:
            with translation.override(settings.LANGUAGE_CODE):  # as the log keeps it
                recorded = describe()
        values = page | {"confirmation": confirmation, "digest": recorded.digest} | more
        return render_page(request, "campaigns/confirm.html", values, status=status)

    if request.method != "POST" or DIGEST not in request.POST:
        return show()
    names = [name for name in request.POST if name == TICKED or name.startswith(f"{TICKED}-")]
    ticked = frozenset(code for name in names for code in request.POST.getlist(name))
    # An empty digest must not pass for a decision that needs none.
    decision = Decision(ticked, request.POST[DIGEST] or "none")
    try:
        return act(decision)
    except ConfirmationNeeded as needed:
        if needed.changed:
            return show(409, refused=needed)
        missing = {choice.code for choice in needed.missing}
        return show(422, ticked=ticked, missing=missing)
    except ActionRefused as refused:
        return show(409, refused=refused)
