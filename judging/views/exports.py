"""Judgments as files, for organizers."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from typing import Any

from django.db.models import QuerySet
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404
from django.views.decorators.http import require_safe

from campaigns.attachments import attachment
from campaigns.core.qrels import qrels_from_rows, write_qrels
from campaigns.models import User
from campaigns.queries import campaign_for
from campaigns.views.signed_in import SignedIn
from judging.models import Judgment
from judging.queries.judgments import current_judgments, latest, votes

COLUMNS = (
    "topic", "docno", "assessor", "revision", "kind", "grade", "reason", "comment", "source",
    "current", "fills_slot", "rank_shown", "served_at", "judged_at", "active_seconds",
    "document_sha256", "uuid",
)  # fmt: skip


@require_safe
def judgments(request: SignedIn, slug: str, fmt: str) -> HttpResponse:
    """The whole log with every revision, as CSV or JSON."""
    campaign = campaign_for(request.user, slug, "campaigns.manage")
    rows = exported(Judgment.objects.filter(campaign=campaign))
    if fmt == "json":
        text = json.dumps(list(rows), ensure_ascii=False, indent=1)
        return attachment(text, f"{slug}-judgments.json")
    if fmt != "csv":
        raise Http404
    out = io.StringIO()
    writer = csv.DictWriter(out, COLUMNS)
    writer.writeheader()
    writer.writerows({**row, "comment": inert(row["comment"])} for row in rows)
    return attachment(out.getvalue(), f"{slug}-judgments.csv")


@require_safe
def assessor_qrels(request: SignedIn, slug: str, username: str) -> HttpResponse:
    """The current grades of one assessor as qrels."""
    campaign = campaign_for(request.user, slug, "campaigns.manage")
    judged = User.objects.filter(judgments__campaign=campaign).distinct()
    assessor = get_object_or_404(judged, username=username)
    own = votes(current_judgments(campaign).filter(assessor=assessor))
    table = qrels_from_rows((vote.topic, vote.docno, vote.grade) for vote in own)
    text = write_qrels(table).decode()
    return attachment(text, f"{slug}-{username}.qrels.txt")


def exported(log: QuerySet[Judgment]) -> Iterator[dict[str, Any]]:
    current = set(latest(log).exclude(kind=Judgment.Kind.WITHDRAWN).values_list("pk", flat=True))
    for row in log.select_related("topic", "assessor").order_by("pk").iterator():
        yield {
            "topic": row.topic.number,
            "docno": row.docno,
            "assessor": row.assessor.username,
            "revision": row.revision,
            "kind": row.kind,
            "grade": row.grade,
            "reason": row.reason,
            "comment": row.comment,
            "source": row.source,
            "current": row.pk in current,
            "fills_slot": row.slot_id is not None,
            "rank_shown": row.rank_shown,
            "served_at": row.served_at and row.served_at.isoformat(),
            "judged_at": row.judged_at.isoformat(),
            "active_seconds": row.active_seconds,
            "document_sha256": row.document_sha256,
            "uuid": str(row.client_uuid),
        }


def inert(comment: str) -> str:
    """A spreadsheet must not take what an assessor wrote for a formula."""
    return f"'{comment}" if comment.startswith(("=", "+", "-", "@", "\t", "\r")) else comment
