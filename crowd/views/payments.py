"""The payment sheet of a study: what is owed, bonuses, and the provider's list beside it."""

from collections.abc import Callable
from functools import partial
from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from campaigns.api.attachments import attachment_response, report_response
from campaigns.confirmation import Confirmation, Decision
from campaigns.errors import ActionRefused
from campaigns.models import User
from campaigns.views.confirmation import confirm_act
from campaigns.views.helpers import SignedInRequest
from campaigns.views.pages import render_page
from crowd.forms.payments import BonusForm, DisputeForm, ReconcileForm, RewardForm
from crowd.models import Payment, PaymentBatch, Study
from crowd.queries.confirmations import describe_batch, describe_batch_paid, describe_batch_void
from crowd.queries.payment_sheet import (
    BatchFigures,
    count_unpaid_units,
    list_batches,
    load_key_status,
    load_payment_sheet,
    reconcile_study,
)
from crowd.queries.workers import get_study_for
from crowd.services.payment_batches import (
    end_dispute,
    make_batch,
    mark_batch_paid,
    mark_payments_paid,
    open_dispute,
    void_batch,
)
from crowd.services.payments import grant_bonus
from poolbench.crowd.payment_sheet import PAYMENT_FORMATS, select_batch, select_due, sum_payments
from poolbench.crowd.provider_lists import COLUMN_NAMES, MOST_BYTES, read_submissions
from poolbench.crowd.reconciliation import MATCH_CLASSES, RECONCILIATION_FORMATS, Reconciliation
from poolbench.files.faults import FaultReport, InvalidFile, format_count

PER_PAGE = 200
BATCH_FILES = (
    ("approve", "IDs to approve"),
    ("parts", "units paid in part"),
    ("bonuses", "bonuses"),
    ("by-hand", "to pay by hand"),
)
MOST_LISTED = 200
"""Rows of a class that the answer page shows; files have all."""


@require_safe
def study_payments_view(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    """One row for each unit that came to an end, and the batches; ``bonus`` or ``dispute`` opens
    the form of a payment.
    """
    if disputed := request.GET.get("dispute", ""):
        return render_payments(request, slug, pk, disputed, DisputeForm())
    return render_payments(request, slug, pk, request.GET.get("bonus", ""), BonusForm())


def render_payments(
    request: SignedInRequest, slug: str, pk: int, payment: str, form: BonusForm | DisputeForm
) -> HttpResponse:
    campaign, study = get_study_for(request.user, slug, pk)
    rows = load_payment_sheet(study)
    batches = list_batches(study, rows)
    reward = batches[-1].batch.reward if batches else study.pay_per_unit
    # ``form_row`` is the payment that the form adds a bonus to, or disputes.
    page = {
        "campaign": campaign,
        "study": study,
        "page_obj": Paginator(rows, PER_PAGE).get_page(request.GET.get("page")),
        "totals": sum_payments(rows),
        "unpaid": count_unpaid_units(study),
        "key": load_key_status(study),
        "form_row": next((row for row in rows if str(row.payment) == payment), None),
        "is_dispute": isinstance(form, DisputeForm),
        "form": form,
        "batches": batches,
        "batch_files": BATCH_FILES,
        "has_due": bool(select_due(rows)),
        "reward_form": RewardForm(initial={"reward": reward}),
    }
    return render_page(request, "crowd/payments.html", page, status=422 if form.is_bound else 200)


def get_payment_for(user: User, slug: str, pk: int, payment: int) -> Payment:
    """The payment of a study that ``user`` organizes, or 404."""
    _, study = get_study_for(user, slug, pk)
    rows = Payment.objects.select_related("study__campaign", "unit__worker__user")
    return get_object_or_404(rows, study=study, pk=payment)


@require_POST
def study_bonus_view(request: SignedInRequest, slug: str, pk: int, payment: int) -> HttpResponse:
    """Grant a bonus on top of a payment."""
    row = get_payment_for(request.user, slug, pk, payment)
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


@require_POST
def study_dispute_view(request: SignedInRequest, slug: str, pk: int, payment: int) -> HttpResponse:
    """Let a payment wait, with a reason; with ``end`` let it be what it was before."""
    row = get_payment_for(request.user, slug, pk, payment)
    if "end" in request.POST:
        end_dispute(actor=request.user, payment=row)
        messages.success(request, f"Dispute of {row.unit.worker.pseudonym} ended.")
        return redirect("study-payments", slug, pk)
    form = DisputeForm(request.POST)
    if form.is_valid():
        try:
            open_dispute(actor=request.user, payment=row, reason=form.cleaned_data["reason"])
        except ActionRefused as refused:
            form.add_error(None, str(refused))
        else:
            messages.success(request, f"Payment of {row.unit.worker.pseudonym} disputed.")
            return redirect("study-payments", slug, pk)
    return render_payments(request, slug, pk, str(payment), form)


@require_http_methods(["GET", "POST"])
def study_batch_new_view(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    """The page before what is owed becomes a batch at ``reward``; its form makes the batch."""
    campaign, study = get_study_for(request.user, slug, pk)
    form = RewardForm(request.POST or request.GET or None)
    if not form.is_valid():
        messages.error(request, "Enter what the provider pays for an approved unit.")
        return redirect("study-payments", slug, pk)
    reward = form.cleaned_data["reward"]

    def act(decision: Decision) -> HttpResponse:
        batch = make_batch(actor=request.user, study=study, reward=reward, decision=decision)
        messages.success(request, f"Batch {batch.number} made: upload its files at the provider.")
        return redirect("study-payments", slug, pk)

    describe = partial(describe_batch, study, reward)
    fields = [("reward", str(reward))]
    return confirm_act(request, campaign, describe=describe, act=act, fields=fields)


def get_batch_for(user: User, slug: str, pk: int, number: int) -> PaymentBatch:
    """The batch of a study that ``user`` organizes, or 404."""
    _, study = get_study_for(user, slug, pk)
    batches = PaymentBatch.objects.select_related("study__campaign")
    return get_object_or_404(batches, study=study, number=number)


@require_http_methods(["GET", "POST"])
def study_batch_paid_view(
    request: SignedInRequest, slug: str, pk: int, number: int
) -> HttpResponse:
    """The page before a batch is marked as paid; its form marks it."""
    batch, done = get_batch_for(request.user, slug, pk, number), "marked as paid."
    return confirm_batch_act(request, batch, describe_batch_paid, mark_batch_paid, done)


@require_http_methods(["GET", "POST"])
def study_batch_void_view(
    request: SignedInRequest, slug: str, pk: int, number: int
) -> HttpResponse:
    """The page before what a batch contains is owed again; its form makes it void."""
    batch, done = get_batch_for(request.user, slug, pk, number), "is void: what it had is owed."
    return confirm_batch_act(request, batch, describe_batch_void, void_batch, done)


def confirm_batch_act(
    request: SignedInRequest, batch: PaymentBatch, describe: Callable[[PaymentBatch], Confirmation],
    service: Callable[..., PaymentBatch], done: str,
) -> HttpResponse:  # fmt: skip
    def act(decision: Decision) -> HttpResponse:
        service(actor=request.user, batch=batch, decision=decision)
        messages.success(request, f"Batch {batch.number} {done}")
        return redirect("study-payments", batch.study.campaign.slug, batch.study_id)

    campaign = batch.study.campaign
    return confirm_act(request, campaign, describe=partial(describe, batch), act=act)


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
def study_batch_list_view(
    request: SignedInRequest, slug: str, pk: int, number: int, kind: str
) -> HttpResponse:
    """What of a batch to approve, to pay in part or to pay on top, as providers take it, or to pay
    by hand: without a header.
    """
    batch = get_batch_for(request.user, slug, pk, number)
    rows = select_batch(load_payment_sheet(batch.study), number)
    files = BatchFigures(batch, rows).files
    if kind not in files:
        raise Http404(f"no list {kind}")
    void = "-VOID" if batch.voided_at else ""
    return attachment_response(files[kind], f"{slug}-study-{pk}-batch-{number}{void}-{kind}.csv")


@require_http_methods(["GET", "POST"])
def study_reconcile_view(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    """Compare the payment sheet with the provider's list, of which nothing is stored; with
    ``settle`` what it proves to be paid is marked.
    """
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
    if form.cleaned_data["settle"]:
        settled = mark_payments_paid(
            actor=request.user, study=study, payments=answer.proven_payments
        )
        messages.success(request, f"{format_count(settled, 'unit')} marked as paid.")
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
