"""Keys for signing links, links for a few workers, and receipts that workers show."""

from __future__ import annotations

from datetime import timedelta

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from campaigns.errors import ActionRefused
from campaigns.views.helpers import SignedInRequest
from campaigns.views.pages import render_page
from crowd.models import LinkKey, Study
from crowd.queries.keys import find_latest_key_set, get_link_path
from crowd.queries.workers import get_study_for
from crowd.services.key_sets import request_key_set
from crowd.services.keys import make_link, retire_link_key, rotate_link_key
from crowd.services.unit_ends import find_receipt
from poolbench.crowd.providers.base import ArrivalRefused, check_id
from poolbench.crowd.providers.registry import PROVIDERS

MAX_HOURS = 24 * 365


@require_http_methods(["GET", "POST"])
def study_keys_view(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    """Add and retire keys, make a link, check a receipt."""
    campaign, study = get_study_for(request.user, slug, pk)
    if request.method == "GET":
        return render_keys_page(request, study)
    act = request.POST.get("act", "")
    try:
        if act == "add":
            key = rotate_link_key(actor=request.user, study=study)
            return render_keys_page(request, study, added=key)
        if act == "link":
            return render_keys_page(request, study, link=make_link_from_form(request, study))
        if act == "check":
            check = find_receipt(study=study, receipt=request.POST.get("receipt", ""))
            return render_keys_page(request, study, check=check)
        messages.success(request, change_keys(request, study, act))
    except ActionRefused as refused:
        return render_keys_page(request, study, refused=refused)
    return redirect("study-keys", campaign.slug, study.pk)


def change_keys(request: SignedInRequest, study: Study, act: str) -> str:
    """Do what the button says; the message for it."""
    if act == "retire":
        kid = request.POST.get("kid", "")[:12].replace("\0", "")
        retire_link_key(actor=request.user, study=study, kid=kid)
        return f"Key {kid} retired. Its links open nothing any more."
    if act == "fetch" and study.provider_settings.get("key_set_url"):
        request_key_set(study)
        return "The key set is being fetched."
    raise ActionRefused("no-act", "Unknown act.", "Use the buttons of the page.")


def make_link_from_form(request: SignedInRequest, study: Study) -> str:
    hours = request.POST.get("hours", "")
    if not (hours.isascii() and hours.isdigit() and 1 <= int(hours[:6]) <= MAX_HOURS):
        fix = f"Enter 1 to {MAX_HOURS:,} hours."
        raise ActionRefused("bad-hours", "The link needs hours for which it is valid.", fix)
    try:
        worker = check_id(request.POST.get("worker", ""), "worker ID")
        unit = check_id(request.POST.get("unit", ""), "unit ID")
    except ArrivalRefused as bad:
        fix = "Use 1 to 200 characters: letters, digits and signs without spaces."
        raise ActionRefused(bad.code, bad.message, fix) from bad
    expires = timezone.now() + timedelta(hours=int(hours[:6]))
    link = make_link(study=study, worker=worker, unit=unit, expires=expires)
    return request.build_absolute_uri(link)


def render_keys_page(request: SignedInRequest, study: Study, **outcome: object) -> HttpResponse:
    """``outcome``: the key ``added`` just now, whose secret is shown this once, a ``link``, the
    ``check`` of a receipt, or what is ``refused``.
    """
    # ``signs``: the provider's links are signed under the keys of this page.
    page = {
        "campaign": study.campaign,
        "study": study,
        "card": PROVIDERS[study.provider].card,
        "signs": study.provider == "generic",
        "link_path": request.build_absolute_uri(get_link_path(study)),
        "keys": list(LinkKey.objects.filter(study=study)),
        "key_set": find_latest_key_set(study),
        **outcome,
    }
    status = 409 if "refused" in outcome else 200
    return render_page(request, "crowd/keys.html", page, status=status)
