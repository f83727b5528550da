"""Keys for signing links, links for workers, and receipts that workers show."""

from datetime import datetime, timedelta
from functools import partial
from itertools import islice, product

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from campaigns.api.attachments import attachment_response
from campaigns.confirmation import Decision
from campaigns.errors import ActionRefused
from campaigns.views.confirmation import confirm_act
from campaigns.views.helpers import SignedInRequest, read_digits
from campaigns.views.pages import render_page
from crowd.models import LinkKey, Study
from crowd.queries.confirmations import describe_key_retirement
from crowd.queries.keys import find_latest_key_set, get_link_path
from crowd.queries.workers import get_study_for
from crowd.services.key_sets import request_key_set
from crowd.services.keys import make_link, make_links, retire_link_key, rotate_link_key
from crowd.services.unit_ends import find_receipt
from poolbench.crowd.providers.base import ArrivalRefused, check_id
from poolbench.crowd.providers.registry import PROVIDERS
from poolbench.reports.csv import format_csv

MAX_HOURS = 24 * 365
MAX_LINKS = 5_000


@require_http_methods(["GET", "POST"])
def study_keys_view(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    """Add and retire keys, make links, check a receipt."""
    campaign, study = get_study_for(request.user, slug, pk)
    if request.method == "GET":
        return render_keys_page(request, study)
    act = request.POST.get("act", "")
    try:
        if act == "links":
            return links_response(request, study)
        if act in ("add", "link", "check"):
            return render_keys_page(request, study, **make_outcome(request, study, act))
        if act == "retire":
            return retire_key_response(request, study)
        messages.success(request, change_keys(study, act))
    except ActionRefused as refused:
        return render_keys_page(request, study, refused=refused)
    return redirect("study-keys", campaign.slug, study.pk)


def make_outcome(request: SignedInRequest, study: Study, act: str) -> dict[str, object]:
    """What the page shows once, by its name there."""
    if act == "add":
        return {"added": rotate_link_key(actor=request.user, study=study)}
    if act == "link":
        return {"link": make_link_from_form(request, study)}
    return {"check": find_receipt(study=study, receipt=request.POST.get("receipt", ""))}


def retire_key_response(request: SignedInRequest, study: Study) -> HttpResponse:
    """Retire the key, after the page that asks where workers still need its links."""
    kid = request.POST.get("kid", "")[:12].replace("\0", "")
    describe = partial(describe_key_retirement, study, kid)

    def act(decision: Decision | None) -> HttpResponse:
        retire_link_key(actor=request.user, study=study, kid=kid, decision=decision)
        messages.success(request, f"Key {kid} retired. Its links open nothing any more.")
        return redirect("study-keys", study.campaign.slug, study.pk)

    active = LinkKey.objects.filter(study=study, kid=kid, retired_at=None)
    if not (active.exists() and describe().open):
        return act(None)
    fields = [("act", "retire"), ("kid", kid)]
    return confirm_act(request, study.campaign, describe=describe, act=act, fields=fields)


def change_keys(study: Study, act: str) -> str:
    """Do what the button says; the message for it."""
    if act == "fetch" and study.provider_settings.get("key_set_url"):
        request_key_set(study)
        return "The key set is being fetched."
    raise ActionRefused("no-act", "Unknown act.", "Use the buttons of the page.")


def links_response(request: SignedInRequest, study: Study) -> HttpResponse:
    """A file with a link for each worker and unit, or for each worker, who gets one unit after
    the other. A unit ID belongs to one worker, so the worker is a part of it.
    """
    workers, names = (request.POST.get(name, "").split() for name in ("workers", "units"))
    pairs = product(dict.fromkeys(workers), dict.fromkeys(names) or [""])
    tasks = [(worker, name and f"{worker}/{name}") for worker, name in islice(pairs, MAX_LINKS + 1)]
    if not 1 <= len(tasks) <= MAX_LINKS:
        fix = "Paste IDs of workers, one a line; make several files if there are many."
        raise ActionRefused("bad-links", f"A file has 1 to {MAX_LINKS:,} links.", fix)
    if len({unit for _, unit in tasks if unit}) < len(tasks) * bool(names):
        fix = "Rename one of the units."
        raise ActionRefused("same-unit", "Two units would have the same ID.", fix)
    for worker, unit in tasks:
        check_ids(worker, unit or "-")
    links = make_links(study=study, tasks=tasks, expires=read_expiry(request))
    rows = [
        (*task, request.build_absolute_uri(link)) for task, link in zip(tasks, links, strict=True)
    ]
    text = format_csv("crowd links", ["worker", "unit", "link"], rows)
    return attachment_response(text, f"{study.campaign.slug}-study-{study.pk}-links.csv")


def make_link_from_form(request: SignedInRequest, study: Study) -> str:
    expires = read_expiry(request)
    worker, unit = check_ids(request.POST.get("worker", ""), request.POST.get("unit", ""))
    link = make_link(study=study, worker=worker, unit=unit, expires=expires)
    return request.build_absolute_uri(link)


def read_expiry(request: SignedInRequest) -> datetime:
    hours = read_digits(request.POST.get("hours", "")) or 0
    if not 1 <= hours <= MAX_HOURS:
        fix = f"Enter 1 to {MAX_HOURS:,} hours."
        raise ActionRefused("bad-hours", "The link needs hours for which it is valid.", fix)
    return timezone.now() + timedelta(hours=hours)


def check_ids(worker: str, unit: str) -> tuple[str, str]:
    try:
        return check_id(worker, "worker ID"), check_id(unit, "unit ID")
    except ArrivalRefused as bad:
        fix = "Use 1 to 200 characters: letters, digits and signs without spaces."
        raise ActionRefused(bad.code, bad.message, fix) from bad


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
