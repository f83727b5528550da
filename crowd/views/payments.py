"""The payment sheet of a study: what is owed, bonuses, and the provider's list beside it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from campaigns.api.attachments import attachment_response, report_response
from campaigns.errors import ActionRefused
from campaigns.views.helpers import SignedInRequest
from campaigns.views.pages import render_page
from crowd.forms.payments import BonusForm, ReconcileForm
from crowd.models import Payment, Study
from crowd.queries.payment_sheet import (
    count_unpaid_units,
    load_key_status,
    load_payment_sheet,
    reconcile_study,
)
from crowd.queries.workers import get_study_for
from crowd.services.payments import grant_bonus
from poolbench.crowd.payment_sheet import (
    PAYMENT_FORMATS,
    SheetRow,
    format_approve_list,
    format_bonus_list,
    format_part_list,
    sum_payments,
)
from poolbench.crowd.provider_lists import COLUMN_NAMES, MOST_BYTES, read_submissions
from poolbench.crowd.reconciliation import MATCH_CLASSES, RECONCILIATION_FORMATS, Reconciliation
from poolbench.files.faults import FaultReport, InvalidFile

PER_PAGE = 200
MOST_LISTED = 200
"""Rows of a class that the answer page shows; files have all."""
PROVIDER_LISTS: dict[str, Callable[[Iterable[SheetRow]], str]] = {
    "approve": format_approve_list,
    "parts": format_part_list,
    "bonuses": format_bonus_list,
}


@require_safe
def study_payments_view(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    """One row for each unit that came to an end; ``bonus`` opens the form of a payment."""
    return render_payments(request, slug, pk, request.GET.get("bonus", ""), BonusForm())


def render_payments(
    request: SignedInRequest, slug: str, pk: int, bonus: str, form: BonusForm
) -> HttpResponse:
    campaign, study = get_study_for(request.user, slug, pk)
    rows = load_payment_sheet(study)
    # ``bonus_row`` is the payment that the form adds a bonus to.
    page = {
        "campaign": campaign,
        "study": study,
        "page_obj": Paginator(rows, PER_PAGE).get_page(request.GET.get("page")),
        "totals": sum_payments(rows),
        "unpaid": count_unpaid_units(study),
        "key": load_key_status(study),
        "bonus_row": next((row for row in rows if str(row.payment) == bonus), None),
        "form": form,
    }
    return render_page(request, "crowd/payments.html", page, status=422 if form.is_bound else 200)


@require_POST
def study_bonus_view(request: SignedInRequest, slug: str, pk: int, payment: int) -> HttpResponse:
    """Grant a bonus on top of a payment."""
    _, study = get_study_for(request.user, slug, pk)
    rows = Payment.objects.select_related("study__campaign", "unit__worker__user")
    row = get_object_or_404(rows, study=study, pk=payment)
    form = BonusForm(request.POST)
    if form.is_valid():
        try:
            bonus = grant_bonus(actor=request.user, payment=row, **form.cleaned_data)
        except ActionRefused as refused:
            form.add_error(None, str(refused))
        else:
            words = f"{bonus.amount:.2f} {row.currency} for {row.unit.worker.pseudonym}"
            messages.success(request, f"Bonus granted: {words}.")
            return redirect("study-payments", slug, pk)
    return render_payments(request, slug, pk, str(payment), form)


@require_safe
def study_payments_download_view(
    request: SignedInRequest, slug: str, pk: int, fmt: str
) -> HttpResponse:
    """The sheet as a file."""
    _, study = get_study_for(request.user, slug, pk)
    return report_response(
        f"{slug}-study-{study.pk}-payments.{fmt}",
        PAYMENT_FORMATS,
        f"Payments of {study.title}",
        load_payment_sheet(study),
    )


@require_safe
def study_provider_list_view(
    request: SignedInRequest, slug: str, pk: int, kind: str
) -> HttpResponse:
    """What to approve, to pay in part or to pay on top, as providers take it: without a header."""
    _, study = get_study_for(request.user, slug, pk)
    if kind not in PROVIDER_LISTS:
        raise Http404(f"no list {kind}")
    text = PROVIDER_LISTS[kind](load_payment_sheet(study))
    return attachment_response(text, f"{slug}-study-{study.pk}-{kind}.csv")


@require_http_methods(["GET", "POST"])
def study_reconcile_view(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    """Compare the payment sheet with the provider's list; nothing of the list is stored."""
    _, study = get_study_for(request.user, slug, pk)
    key = load_key_status(study)
    form = ReconcileForm(request.POST or None, request.FILES or None)
    if request.method == "GET":
        return render_reconcile(request, study, key, ReconcileForm())
    if not key["is_readable"]:
        form.add_error(None, "The key is destroyed: IDs of the provider match no unit any more.")
    if not form.is_valid():
        return render_reconcile(request, study, key, form, status=422)
    file = form.cleaned_data["submissions"]
    try:
        submissions = read_submissions(file.read(MOST_BYTES + 1), file.name)
    except InvalidFile as invalid:
        return render_reconcile(request, study, key, form, report=invalid.report, status=422)
    answer = reconcile_study(study, submissions)
    fmt = form.cleaned_data["answer"]
    if fmt == "page":
        return render_reconcile(request, study, key, form, answer=answer)
    name = f"{slug}-study-{study.pk}-reconciliation.{fmt}"
    title = f"Reconciliation of {study.title}"
    return report_response(name, RECONCILIATION_FORMATS, title, answer)


def render_reconcile(
    request: SignedInRequest,
    study: Study,
    key: dict[str, Any],
    form: ReconcileForm,
    *,
    answer: Reconciliation | None = None,
    report: FaultReport | None = None,
    status: int = 200,
) -> HttpResponse:
    differences = answer.differences if answer else []
    # ``answer`` is None before a list is uploaded, ``report`` lists its faults.
    page = {
        "campaign": study.campaign,
        "study": study,
        "form": form,
        "key": key,
        "columns": [(name, ", ".join(spellings)) for name, spellings in COLUMN_NAMES.items()],
        "answer": answer,
        "classes": [
            (kind, title, act, rows[:MOST_LISTED], max(len(rows) - MOST_LISTED, 0))
            for kind, title, act, rows in differences
        ],
        "counts": [
            (MATCH_CLASSES[kind][0], count)
            for kind, count in (answer.counts if answer else {}).items()
        ],
        "report": report,
    }
    return render_page(request, "crowd/payments_reconcile.html", page, status=status)
