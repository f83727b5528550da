"""Workers of a study, for organizers: controls, alarms, and work set aside."""

from collections import Counter
from collections.abc import Sequence
from functools import partial
from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from campaigns.api.attachments import report_response
from campaigns.confirmation import Decision
from campaigns.errors import ActionRefused
from campaigns.views.confirmation import confirm_act
from campaigns.views.helpers import SignedInRequest, read_digits
from campaigns.views.pages import render_page
from crowd.models import Study, WorkUnit
from crowd.queries.confirmations import describe_consent_withdrawal
from crowd.queries.unsure_pairs import preview_unsure_pairs
from crowd.queries.workers import (
    SORT_KEYS,
    STATES,
    WorkerSummary,
    filter_workers,
    find_worker_by_external_id,
    get_crowd_worker,
    get_study_for,
    list_crowd_workers,
    list_worker_lines,
    load_worker_detail,
    sort_workers,
)
from crowd.services.exclusions import set_work_aside, undo_exclusion
from crowd.services.studies import request_more_labels
from crowd.services.withdrawals import withdraw_consent
from judging.models import Exclusion
from poolbench.crowd.quality.formats import WORKERS_FORMATS
from poolbench.crowd.quality.workers import ALARM_TITLES

COLUMNS = (
    ("worker", "Worker", False),
    ("state", "State", False),
    ("units", "Units", True),
    ("judged", "Judged", True),
    ("gold", "Gold accuracy", True),
    ("pace", "Median seconds", True),
    ("others", "As others", True),
    ("repeats", "Repeats", True),
    ("alarms", "Alarms", False),
)
"""Name in the address, head, and whether it holds numbers."""
ASCENDING = ("worker", "state")
MOST_UNSURE = 50


@require_http_methods(["GET", "HEAD", "POST"])
def study_workers_view(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    """All workers on one page, chosen and sorted by ``sort``, ``state`` and ``alarm``. A POST
    leads to the worker with an ID of the provider, which so stands in no address and no log.
    """
    campaign, study = get_study_for(request.user, slug, pk)
    if request.method == "POST":
        worker = find_worker_by_external_id(study, request.POST.get("external", "").strip()[:200])
        if worker is not None:
            return redirect("study-worker", slug, pk, worker.pk)
        messages.error(request, "No worker of this study has this ID, or the key is destroyed.")
        return redirect("study-workers", slug, pk)
    everybody = list_crowd_workers(study)
    state = choose_known(request.GET.get("state", ""), STATES)
    alarm = choose_known(request.GET.get("alarm", ""), {**ALARM_TITLES, "any": ""})
    sort = request.GET.get("sort", "-alarms")
    if sort.removeprefix("-") not in SORT_KEYS:
        sort = "-alarms"
    rows = filter_workers(everybody, state=state, alarm=alarm)
    # ``aside`` was set aside just now, and can be undone from the notice.
    page = {
        "campaign": campaign,
        "study": study,
        "rows": sort_workers(rows, sort.removeprefix("-"), descending=sort.startswith("-")),
        "total": len(everybody),
        "columns": build_sort_columns(sort, state, alarm),
        "alarms": [("any", "any alarm"), *count_alarms(everybody)],
        "states": [
            (name, f"{title} ({sum(row.state == name for row in everybody)})")
            for name, title in STATES.items()
        ],
        "all_states": f"all ({len(everybody)})",
        "alarm": alarm,
        "state": state,
        "sort": sort,
        "aside": find_fresh_exclusion(study, request.GET.get("aside", "")),
    }
    return render_page(request, "crowd/workers.html", page)


def choose_known(value: str, names: dict[str, str]) -> str:
    """``value`` if it is one of ``names``, else empty: an unknown filter filters nothing."""
    return value if value in names else ""


def build_sort_columns(sort: str, state: str, alarm: str) -> list[dict[str, object]]:
    """The heads with the addresses that sort by them, or turn the order; filters stay."""
    columns: list[dict[str, object]] = []
    for name, title, numeric in COLUMNS:
        first = name if name in ASCENDING else f"-{name}"
        turned = name if first.startswith("-") else f"-{name}"
        query = {"sort": turned if sort == first else first, "state": state, "alarm": alarm}
        order = ""
        if sort.removeprefix("-") == name:
            order = "descending" if sort.startswith("-") else "ascending"
        url = "?" + urlencode({key: value for key, value in query.items() if value})
        columns.append({"title": title, "url": url, "numeric": numeric, "order": order})
    return columns


def count_alarms(rows: Sequence[WorkerSummary]) -> list[tuple[str, str]]:
    """Of each alarm that a worker has, its code, and its title with the number of workers."""
    counts = Counter(code for row in rows for code in set(row.alarm_codes))
    titles = ALARM_TITLES.items()
    return [(code, f"{title} ({counts[code]})") for code, title in titles if counts[code]]


def find_fresh_exclusion(study: Study, number: str) -> Exclusion | None:
    """The exclusion that the notice offers to undo, if it is still in force."""
    pk = read_digits(number) or 0
    rows = Exclusion.objects.filter(campaign=study.campaign, pk=pk, undoes=None)
    return rows.filter(undone_by=None).select_related("worker__user", "unit").first()


@require_safe
def study_workers_download_view(
    request: SignedInRequest, slug: str, pk: int, fmt: str
) -> HttpResponse:
    """The workers with all controls as a file."""
    _, study = get_study_for(request.user, slug, pk)
    return report_response(
        f"{slug}-study-{study.pk}-workers.{fmt}",
        WORKERS_FORMATS,
        f"Workers of {study.title}",
        list_worker_lines(study),
    )


@require_safe
def study_worker_view(request: SignedInRequest, slug: str, pk: int, worker: int) -> HttpResponse:
    """One worker: units, answers on gold, timeline, and what was set aside."""
    campaign, study = get_study_for(request.user, slug, pk)
    detail = load_worker_detail(study, get_crowd_worker(study, worker))
    page = {
        "campaign": campaign,
        "study": study,
        "worker": detail["summary"],
        "detail": detail,
        "aside": find_fresh_exclusion(study, request.GET.get("aside", "")),
    }
    return render_page(request, "crowd/workers_one.html", page)


@require_http_methods(["GET", "POST"])
def study_worker_withdraw_view(
    request: SignedInRequest, slug: str, pk: int, worker: int
) -> HttpResponse:
    """The page before a worker's withdrawal of consent is recorded; its form records it."""
    campaign, study = get_study_for(request.user, slug, pk)
    row = get_crowd_worker(study, worker)
    row.campaign = campaign
    page = reverse("study-worker", args=[slug, pk, worker])

    def act(decision: Decision) -> HttpResponse:
        withdraw_consent(actor=request.user, worker=row, decision=decision)
        messages.success(request, f"Consent of {row.pseudonym} withdrawn.")
        return redirect(page)

    describe = partial(describe_consent_withdrawal, row, back=page)
    return confirm_act(request, campaign, describe=describe, act=act)


@require_POST
def study_worker_aside_view(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    """Set a worker (``worker``) or one unit (``unit``) aside; without reason: for the alarms."""
    _, study = get_study_for(request.user, slug, pk)
    unit = None
    if number := read_digits(request.POST.get("unit", "")):
        units = WorkUnit.objects.filter(plan=study.plan_id, trial=False)
        unit = get_object_or_404(units, pk=number)
    number = unit.worker_id if unit else read_digits(request.POST.get("worker", "")) or 0
    worker = get_crowd_worker(study, number)
    reason = request.POST.get("reason", "").strip() or describe_alarms(study, worker.pk)
    url = choose_return_url(request, study)
    try:
        exclusion = set_work_aside(actor=request.user, worker=worker, unit=unit, reason=reason)
    except ActionRefused as refused:
        messages.error(request, str(refused))
        return redirect(url)
    return redirect(f"{url}{'&' if '?' in url else '?'}aside={exclusion.pk}")


def describe_alarms(study: Study, worker: int) -> str:
    """The evidence of the worker's alarms as a reason; empty without alarms."""
    rows = [row for row in list_crowd_workers(study) if row.pk == worker]
    alarms = [alarm for row in rows if row.quality for alarm in row.quality.alarms]
    return "; ".join(f"{alarm.title}: {alarm.evidence}" for alarm in alarms)[:500]


def choose_return_url(request: SignedInRequest, study: Study) -> str:
    """The page of the worker if the form was there, else the list as it was sorted and filtered."""
    args = [study.campaign.slug, study.pk]
    if page := read_digits(request.POST.get("page", "")):
        return reverse("study-worker", args=[*args, page])
    keep = {
        name: value
        for name in ("sort", "state", "alarm")
        if (value := request.POST.get(name, "")[:20])
    }
    return reverse("study-workers", args=args) + (f"?{urlencode(keep)}" if keep else "")


@require_POST
def study_worker_undo_view(
    request: SignedInRequest, slug: str, pk: int, exclusion: int
) -> HttpResponse:
    """Let work that was set aside count again."""
    campaign, study = get_study_for(request.user, slug, pk)
    rows = Exclusion.objects.filter(campaign=campaign, undoes=None).select_related("worker__user")
    row = get_object_or_404(rows, pk=exclusion)
    try:
        undo_exclusion(actor=request.user, exclusion=row)
    except ActionRefused as refused:
        messages.error(request, str(refused))
    else:
        messages.success(request, f"The work of {row.worker.pseudonym} counts again.")
    return redirect(choose_return_url(request, study))


@require_http_methods(["GET", "POST"])
def study_more_labels_view(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    """Which documents get one more judgment, and what it costs; POST requests them."""
    campaign, study = get_study_for(request.user, slug, pk)
    if request.method == "POST":
        try:
            count = request_more_labels(actor=request.user, study=study)
        except ActionRefused as refused:
            messages.error(request, str(refused))
        else:
            messages.success(request, f"{count} more judgments requested.")
        return redirect("study-more-labels", slug, pk)
    preview = preview_unsure_pairs(study)
    page = {
        "campaign": campaign,
        "study": study,
        "preview": preview,
        "first": preview.pairs[:MOST_UNSURE],
        "more": max(len(preview.pairs) - MOST_UNSURE, 0),
    }
    return render_page(request, "crowd/workers_more.html", page)
