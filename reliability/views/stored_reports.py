"""Reports stored by jobs: as sections of a page, as pages under their own security policy, or
downloaded.
"""

from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256

from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404

from campaigns import store
from campaigns.api.attachments import attachment_response
from campaigns.models import Campaign, Job
from campaigns.queries.lists import get_campaign_for
from campaigns.views.helpers import SignedInRequest, campaign_url
from poolbench.reports.report import Report, Section, iter_cells
from poolbench.reports.writers import ENDINGS, LABELS, WRITERS
from reliability.services.stored_reports import REPORT, load_report

MOST_REPORTS = 10
"""Reports on a page, latest first."""
OPEN_ROWS = 12
"""Longer tables are folded."""


@dataclass(frozen=True)
class StoredReports:
    """The latest reports, and the job in progress or, if the latest job failed, that one;
    ``endings`` are the extensions and names of the formats.
    """

    job: Job | None
    job_url: str
    reports: list[Job]
    endings: list[tuple[str, str]]


def list_stored_reports(campaign: Campaign, kind: str) -> StoredReports:
    all_jobs = campaign.jobs.filter(kind=kind).select_related("created_by")
    in_progress = all_jobs.filter(state__in=(Job.State.QUEUED, Job.State.RUNNING)).first()
    latest = all_jobs.first()
    job = in_progress or (latest if latest and latest.state == Job.State.FAILED else None)
    return StoredReports(
        job=job,
        job_url=campaign_url("job", campaign, job.pk) if job else "",
        reports=list(all_jobs.filter(state=Job.State.DONE)[:MOST_REPORTS]),
        endings=list(LABELS.items()),
    )


@dataclass(frozen=True)
class ReportSection:
    """A section of a stored report on a page; ``anchor`` is unique there, ``tables`` have rows."""

    anchor: str
    section: Section
    tables: Sequence[Mapping[str, object]]


def list_report_sections(report: Report) -> list[ReportSection]:
    """Without the verdict, which the page shows first, and without empty sections."""
    return [
        ReportSection(section.name or str(number), section, list(_iter_tables(section)))
        for number, section in enumerate(report.sections)
        if section.title and section.name != "verdict"
    ]


def _iter_tables(section: Section) -> Iterator[Mapping[str, object]]:
    for table in section.tables:
        if rows := [[cell.text for cell in row] for row in iter_cells(table)]:
            yield {
                "caption": table.caption or section.title,
                "heads": [column.title for column in table.columns],
                "rows": rows,
                "notes": table.notes,
                "is_open": not table.detail and len(rows) <= OPEN_ROWS,
            }


def stored_report_response(
    request: SignedInRequest, slug: str, pk: int, kind: str, fmt: str
) -> HttpResponse:
    """The report in the format that the extension stands for: ``html`` is displayed, or with
    ``?save`` downloaded.
    """
    campaign = get_campaign_for(request.user, slug, "campaigns.manage")
    done = campaign.jobs.filter(kind=kind, state=Job.State.DONE)
    job = get_object_or_404(done, pk=pk)
    content = read_stored_report(job, fmt)
    if fmt != "html" or "save" in request.GET:
        return attachment_response(content, f"{slug}-{kind.rpartition('.')[2]}-{job.pk}.{fmt}")
    response = HttpResponse(content, content_type="text/html; charset=utf-8")
    response.headers["Content-Security-Policy"] = report_security_policy(content)
    return response


def read_stored_report(job: Job, fmt: str) -> str:
    """Written now; reports of older versions were stored as files."""
    if fmt in ENDINGS and fmt in job.result:
        return store.get_blob(job.result[fmt]).decode()
    if fmt not in ENDINGS or REPORT not in job.result:
        raise Http404(f"unknown format {fmt}")
    return WRITERS[ENDINGS[fmt]](load_report(job.result[REPORT]))


def report_security_policy(html: str) -> str:
    """Allow nothing but the report's own style sheet."""
    style = html.partition("<style>")[2].partition("</style>")[0]
    digest = b64encode(sha256(style.encode()).digest()).decode()
    return f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
