"""Reports that a job made and kept: shown under a policy of their own, or given away."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Collection
from hashlib import sha256

from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404

from campaigns import store
from campaigns.attachments import attachment_response
from campaigns.models import Campaign, Job
from campaigns.queries import get_campaign_for
from campaigns.views.helpers import SignedInRequest, redirect_to

SHOWN = 10
"""Reports on a page, the newest first."""


def list_stored_reports(campaign: Campaign, kind: str) -> dict[str, object]:
    """The newest reports; and the job that is under way or, if it was the last, has failed."""
    made = campaign.jobs.filter(kind=kind).select_related("created_by")
    under_way = made.filter(state__in=(Job.State.QUEUED, Job.State.RUNNING)).first()
    newest = made.first()
    job = under_way or (newest if newest and newest.state == Job.State.FAILED else None)
    return {
        "job": job,
        "job_url": redirect_to("job", campaign, job.pk) if job else "",
        "reports": list(made.filter(state=Job.State.DONE)[:SHOWN]),
    }


def stored_report_response(
    request: SignedInRequest, slug: str, pk: int, kind: str, fmt: str, fmts: Collection[str]
) -> HttpResponse:
    """The report in one of ``fmts``: ``html`` is shown, or with ``?save`` saved like the others."""
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    made = campaign.jobs.filter(kind=kind, state=Job.State.DONE)
    job = get_object_or_404(made, pk=pk)
    if fmt not in fmts or fmt not in job.result:
        raise Http404(f"no format {fmt}")
    content = store.get_blob(job.result[fmt])
    if fmt != "html" or "save" in request.GET:
        return attachment_response(content, f"{slug}-{kind.rpartition('.')[2]}-{job.pk}.{fmt}")
    answer = HttpResponse(content, content_type="text/html; charset=utf-8")
    answer.headers["Content-Security-Policy"] = report_security_policy(content.decode())
    return answer


def report_security_policy(html: str) -> str:
    """Nothing but the style that the report itself holds."""
    style = html.partition("<style>")[2].partition("</style>")[0]
    digest = b64encode(sha256(style.encode()).digest()).decode()
    return f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
