"""What all pages of a crowd worker share: the gate, the headers, the page for refusals.

No page needs a cookie, a session, a login or a script. The signed name of the unit in the address
is all that opens them, so there is nothing that another site could use on the worker's behalf.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps

from csp.constants import NONE, SELF
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse, HttpResponseBase, HttpResponseRedirect
from django.urls import reverse
from django.utils.cache import patch_cache_control
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.csrf import csrf_exempt

from campaigns.api.limits import CrowdThrottle
from campaigns.errors import ActionRefused
from campaigns.views.pages import render_page
from crowd.models import Study
from crowd.queries.unit_pages import get_study
from crowd.services.doorway import get_unit_by_token
from crowd.services.unit_ends import is_expired
from crowd.services.units import end_expired_unit
from poolbench.crowd.providers.base import ReturnForm
from poolbench.crowd.providers.registry import PROVIDERS

UnitView = Callable[..., HttpResponseBase]


@dataclass(frozen=True)
class UnitFrame:
    """What every page of a unit has around it. ``token`` is empty where there is no unit."""

    token: str
    study: Study
    pseudonym: str = ""
    is_trial: bool = False


def unit_view(*methods: str) -> Callable[[UnitView], Callable[..., HttpResponseBase]]:
    """A view of the unit that the address names, open to all who have the address.

    Other methods lead to the step at hand. No answer comes from the site's own error pages, which
    would set a cookie.
    """

    def decorate(view: UnitView) -> Callable[..., HttpResponseBase]:
        @csrf_exempt
        @login_not_required
        @wraps(view)
        def gate(request: HttpRequest, token: str, **rest: int) -> HttpResponseBase:
            if (rushed := find_rush_response(request)) is not None:
                return rushed
            try:
                unit = get_unit_by_token(token)
            except ActionRefused as refused:
                return worker_refusal_response(request, refused, status=404)
            if request.method not in methods:
                # A page that was reloaded, or reached by the back button.
                return HttpResponseRedirect(reverse("crowd-unit", args=[token]), status=303)
            if is_expired(unit):
                end_expired_unit(unit)
            frame = UnitFrame(token, get_study(unit), unit.worker.pseudonym, unit.trial)
            try:
                answer = view(request, unit, frame, **rest)
            except ActionRefused as refused:
                page = {"refused": explain_refusal(refused)}
                answer = worker_page(request, "refused", frame, page, status=409)
            return add_worker_headers(answer, frame.study)

        return gate

    return decorate


def worker_page(
    request: HttpRequest, name: str, *parts: UnitFrame | object | None, status: int = 200
) -> HttpResponse:
    """The page ``templates/crowd/worker/<name>.html``."""
    return render_page(request, f"crowd/worker/{name}.html", *parts, status=status)  # type: ignore[arg-type]


def find_rush_response(request: HttpRequest) -> HttpResponse | None:
    """The page, with 429, for an address that sends more than ``POOLBENCH_CROWD_RATE``."""
    throttle = CrowdThrottle()
    if throttle.allow_request(request, None):
        return None
    seconds = math.ceil(throttle.wait() or 1)
    message = _("Too many pages were opened from your network at once.")
    fix = _("Try again in %(seconds)s seconds.") % {"seconds": seconds}
    answer = worker_refusal_response(request, ActionRefused("too-many", message, fix), status=429)
    answer["Retry-After"] = str(seconds)
    return answer


def worker_refusal_response(
    request: HttpRequest,
    refused: ActionRefused,
    study: Study | None = None,
    *,
    frame: UnitFrame | None = None,
    status: int = 403,
) -> HttpResponse:
    """The page for a worker who cannot come in: nothing claimed. ``frame`` is of the unit that
    they can go on with.
    """
    answer = worker_page(request, "refused", frame, {"refused": refused}, status=status)
    add_worker_headers(answer, study)
    return answer


def redirect_worker(name: str, frame: UnitFrame, query: str = "") -> HttpResponseRedirect:
    """On to another page of the unit, by GET."""
    return HttpResponseRedirect(reverse(name, args=[frame.token]) + query, status=303)


def add_worker_headers(
    answer: HttpResponseBase, study: Study | None, way_back: ReturnForm | None = None
) -> HttpResponseBase:
    """Headers of a worker's page.

    Nothing is stored and no address is passed on. Only the hosts that the study's provider allows
    may show the page in a frame. ``way_back`` may be posted to.
    """
    patch_cache_control(answer, private=True, no_store=True)
    answer.headers["Referrer-Policy"] = "no-referrer"
    hosts = list_frame_hosts(study)
    policy = getattr(answer, "_csp_replace", None) or {}
    policy |= {
        "img-src": [SELF, "data:"],
        "connect-src": [NONE],
        "frame-ancestors": list(hosts) or [NONE],
    }
    if way_back is not None and way_back.method == "post" and "//" in way_back.url:
        policy["form-action"] = [SELF, way_back.origin]
    answer._csp_replace = policy  # type: ignore[attr-defined]  # noqa: SLF001 (django-csp's)
    if hosts:
        answer.xframe_options_exempt = True  # type: ignore[attr-defined]
    return answer


def list_frame_hosts(study: Study | None) -> tuple[str, ...]:
    """The origins that may frame the pages of ``study``; none without a study."""
    if study is None or study.provider not in PROVIDERS:
        return ()
    return PROVIDERS[study.provider].list_frame_hosts(study.provider_settings)


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
