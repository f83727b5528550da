"""Exports of judgments: the log and current judgments; all streamed."""

from collections.abc import Iterable, Sequence
from typing import Any

from django.db.models import Exists, OuterRef
from django.http import Http404, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404
from django.views.decorators.http import require_safe

from campaigns.api.attachments import attachment_response, streaming_response
from campaigns.models import User
from campaigns.queries.lists import get_campaign_for
from campaigns.views.helpers import SignedInRequest
from campaigns.views.pages import render_page
from judging.models import Judgment, Purpose
from judging.queries.exchange import COLUMNS, OWN_COLUMNS, iter_log_rows, iter_own_rows
from judging.queries.judgments import latest_judgments, log_until
from poolbench.judging.exchange.writer import (
    iter_json_parts,
    iter_jsonl_parts,
    iter_judgment_csv_parts,
)
from poolbench.runs.qrels import qrels_from_rows, write_qrels

CURRENT_ONLY = {"log": False, "current": True}


@require_safe
def judgments_download_view(request: SignedInRequest, slug: str, fmt: str) -> HttpResponseBase:
    """The full log at its short URL."""
    return judgments_export_view(request, slug, fmt, "log")


@require_safe
def judgments_export_view(
    request: SignedInRequest, slug: str, fmt: str, which: str
) -> HttpResponseBase:
    """The full log of human judgments, or the current ones, as CSV, JSON or JSON Lines."""
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    if which not in CURRENT_ONLY:
        raise Http404
    rows = iter_log_rows(campaign, current=CURRENT_ONLY[which])
    name = f"{slug}-judgments" if which == "log" else f"{slug}-judgments-current"
    conditions = {"campaign": slug, "which": which}
    return rows_response(rows, COLUMNS, name, fmt, conditions)


@require_safe
def my_judgments_file_view(request: SignedInRequest, slug: str, fmt: str) -> HttpResponseBase:
    """The assessor's own judgments with all revisions."""
    campaign = get_campaign_for(request.user, slug, "campaigns.judge")
    conditions = {"campaign": slug, "which": "log", "assessor": request.user.username}
    own = iter_own_rows(campaign, request.user)
    return rows_response(own, OWN_COLUMNS, f"{slug}-my-judgments", fmt, conditions)


@require_safe
def import_export_view(request: SignedInRequest, slug: str) -> HttpResponse:
    """Downloads, and links to imports and automatic assessors."""
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    # By person, of whom there are few: a join would read every judgment.
    judged = Judgment.objects.filter(
        campaign=campaign, assessor=OuterRef("pk"), purpose=Purpose.JUDGE
    )
    people = User.objects.filter(Exists(judged))
    log = Judgment.objects.filter(campaign=campaign).exclude(purpose=Purpose.AUTOMATIC)
    page = {"campaign": campaign, "rows": log.count(), "people": people.order_by("username")}
    return render_page(request, "judging/import_export.html", page)


@require_safe
def assessor_qrels_view(request: SignedInRequest, slug: str, username: str) -> HttpResponse:
    """The current grades of one human assessor as qrels."""
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    judged = Judgment.objects.filter(campaign=campaign, assessor=OuterRef("pk"))
    people = User.objects.filter(Exists(judged), automatic=None)
    assessor = get_object_or_404(people, username=username)
    # Theirs before the latest of each pair are looked for, not among those of all assessors.
    own = latest_judgments(log_until(campaign).filter(assessor=assessor))
    rows = own.filter(kind=Judgment.Kind.GRADE).values_list("topic__number", "docno", "grade")
    table = qrels_from_rows((topic, docno, grade or 0) for topic, docno, grade in rows)
    text = write_qrels(table).decode()
    return attachment_response(text, f"{slug}-{username}.qrels.txt")


def rows_response(
    rows: Iterable[dict[str, Any]],
    columns: Sequence[str],
    name: str,
    fmt: str,
    conditions: dict[str, Any],
) -> HttpResponseBase:
    """``rows`` as a file ``name`` in the format ``fmt``; 404 for an unknown format.

    CSV begins with the ``conditions``.
    """
    if fmt == "csv":
        parts = iter_judgment_csv_parts(rows, columns, conditions)
        return streaming_response(parts, f"{name}.csv")
    if fmt == "json":
        return streaming_response(iter_json_parts(rows), f"{name}.json")
    if fmt == "jsonl":
        return streaming_response(iter_jsonl_parts(rows), f"{name}.jsonl")
    raise Http404
