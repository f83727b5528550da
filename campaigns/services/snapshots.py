"""Reports computed by a job when their inputs change, so that no page waits for them.

One registry for all subjects on which a campaign has a report: stopping, agreement, reusability
and so on. An app registers a subject when it is ready; its report is computed by one function,
stored once, and read by page, verdict, API, files and command. A page calls ``get_report`` and
shows the latest report with the time that it is of; where the inputs have changed since, or there
is none yet, a job is under way. The tick renews what pages have asked for before.
"""

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from datetime import datetime, timedelta
from functools import cached_property
from typing import Any, Generic, NamedTuple, TypeVar

from django.db import transaction
from django.utils import timezone

from campaigns.models import Campaign, Job, Snapshot
from campaigns.models.history import name_snapshot
from campaigns.services import jobs
from poolbench.cache import Cache
from poolbench.plain_data import read_plain, to_plain
from poolbench.shared_reads import share_reads
from poolbench.verdicts import Verdict, VerdictState

log = logging.getLogger(__name__)
SNAPSHOT = "campaigns.snapshot"
"""The kind of the jobs; their argument is the name of the snapshot."""
REST = timedelta(minutes=10)
"""While a campaign is judged its inputs change all the time, and a new report takes seconds."""
COMPUTED_BEHIND = "This happens in the background; leaving does no harm."
FAILED = "The figures of this verdict could not be computed."
R = TypeVar("R")


@dataclass(frozen=True)
class Subject(Generic[R]):
    """``identify`` gives a short string that changes whenever one of the inputs does, within
    milliseconds; ``compute`` gives the report, a frozen dataclass of the class ``report`` that has
    a plain form, or raises ``ActionRefused``. ``decide`` is the rule of the verdict, which answers
    the ``question``; ``page`` is the URL name of the page that shows it. ``is_renewed``: also by
    the tick, not only when a page asks. ``is_of_now``: a report of other inputs is not shown, since
    they are other scores; until the next one it is being computed.
    """

    name: str
    identify: Callable[[Campaign], str]
    compute: Callable[[Campaign], R]
    report: type[R]
    decide: Callable[[R], Verdict] | None = None
    question: str = ""
    page: str = ""
    is_renewed: bool = True
    is_of_now: bool = False

    @property
    def snapshot(self) -> str:
        return name_snapshot(self.name)


@dataclass(frozen=True)
class CurrentReport(Generic[R]):
    """``report`` and ``computed_at`` are None before the first job has ended; ``job`` is under way
    or, where the last one failed for the same inputs, that one.
    """

    subject: Subject[R]
    report: R | None
    computed_at: datetime | None
    is_current: bool
    job: Job | None = None

    @cached_property
    def verdict(self) -> Verdict:
        if self.report is None or self.subject.decide is None:
            return describe_first_job(self.subject.name, self.job)
        return self.subject.decide(self.report)


class StoredVerdict(NamedTuple):
    """``computed_at`` is None while its first figures are being computed."""

    subject: Subject[Any]
    verdict: Verdict
    computed_at: datetime | None


_subjects: dict[str, Subject[Any]] = {}
_verdicts: Cache[tuple[int, datetime, str], Verdict] = Cache(1000)
"""By stored report, as of when it is and its inputs: an overview reads no report twice, which takes
half a second for 40 assessors and 250 topics.
"""


def _count_rows(report: Any) -> float:
    parts = (getattr(report, each.name) for each in fields(report))
    return 1 + sum(len(part) for part in parts if isinstance(part, Mapping | tuple))


_reports: Cache[tuple[int, datetime, str], Any] = Cache(5_000, _count_rows)
"""By the same: pages read no report twice either. A row of its tables, such as a topic with all
coefficients, has some 10 kB.
"""


def add_subject(subject: Subject[Any]) -> None:
    _subjects[subject.snapshot] = subject


def list_verdict_subjects() -> list[Subject[Any]]:
    """Those on which there is a verdict."""
    return [subject for subject in _subjects.values() if subject.decide]


def list_snapshot_names() -> list[str]:
    """The names of the snapshots of all subjects."""
    return list(_subjects)


def describe_first_job(name: str, job: Job | None) -> Verdict:
    """In place of a verdict, before its first figures are there."""
    if job is not None and job.state == Job.State.FAILED:
        return Verdict(name, VerdictState.UNKNOWN, FAILED, job.error)
    since = f"since {job.created_at:%Y-%m-%d %H:%M} UTC" if job else "by a job"
    sentence = f"The first figures of this verdict are not there yet; being computed {since}."
    return Verdict(name, VerdictState.COMPUTING, sentence, COMPUTED_BEHIND)


def get_report(campaign: Campaign, name: str) -> CurrentReport[Any]:
    """The latest report on the subject; if it is out of date, a job is queued once."""
    subject = _subjects[name_snapshot(name)]
    inputs = subject.identify(campaign)
    rows = campaign.snapshots.filter(name=subject.snapshot).defer("data")
    latest, job = rows.first(), None
    if latest is None or latest.inputs != inputs:
        job = _request_job(campaign, subject.snapshot, inputs)
        # Where jobs run in the request, it is there now.
        if job.is_over:
            latest = rows.first()
    is_current = latest is not None and latest.inputs == inputs
    if latest is None or (subject.is_of_now and not is_current):
        return CurrentReport(subject, None, None, is_current=False, job=job)
    return _read_snapshot(latest, subject, is_current=is_current, job=job)


def compute_report(campaign: Campaign, name: str) -> CurrentReport[Any]:
    """The report of now, computed here if the latest one is out of date."""
    subject = _subjects[name_snapshot(name)]
    return _read_snapshot(refresh_snapshot(campaign, subject.snapshot), subject, is_current=True)


def find_report(campaign: Campaign, name: str) -> CurrentReport[Any] | None:
    """The latest stored report, however old; None without one. No job is queued."""
    subject = _subjects[name_snapshot(name)]
    latest = campaign.snapshots.filter(name=subject.snapshot).defer("data").first()
    return None if latest is None else _read_snapshot(latest, subject, is_current=False)


def list_stored_verdicts(campaign: Campaign) -> list[StoredVerdict]:
    """Those whose reports are stored, however old unless ``is_of_now``, or being computed for the
    first time, in the order of the apps. Three queries, and one for each report that this process
    has not read yet.
    """
    stored = {row.name: row for row in campaign.snapshots.defer("data")}
    under_way = list_snapshot_jobs(campaign)
    verdicts = []
    for subject in list_verdict_subjects():
        row = stored.get(subject.snapshot)
        if row and subject.is_of_now and row.inputs != subject.identify(campaign):
            current = get_report(campaign, subject.name)
            verdicts.append(StoredVerdict(subject, current.verdict, current.computed_at))
        elif row:
            verdicts.append(StoredVerdict(subject, _decide_once(row, subject), row.computed_at))
        elif job := under_way.get(subject.snapshot):
            verdicts.append(StoredVerdict(subject, describe_first_job(subject.name, job), None))
    return verdicts


def _decide_once(row: Snapshot, subject: Subject[Any]) -> Verdict:
    """The verdict of ``row``, whose ``data`` are read only if it is not known yet."""
    return _verdicts.get_or_compute(
        _identify(row), lambda: _read_snapshot(row, subject, is_current=False).verdict
    )


def _read_snapshot(
    row: Snapshot, subject: Subject[Any], *, is_current: bool, job: Job | None = None
) -> CurrentReport[Any]:
    row, report = _read_report(row, subject.report)
    return CurrentReport(subject, report, row.computed_at, is_current, job)


def _read_report(row: Snapshot, kind: type[R]) -> tuple[Snapshot, R]:
    """The report in ``row``, which is read again with its data if a job may have renewed it."""
    if "data" in row.get_deferred_fields() and _identify(row) not in _reports:
        row = Snapshot.objects.get(pk=row.pk)
    return row, _reports.get_or_compute(_identify(row), lambda: read_plain(kind, row.data))


def _identify(row: Snapshot) -> tuple[int, datetime, str]:
    return row.pk, row.computed_at, row.inputs


def _request_job(campaign: Campaign, name: str, inputs: str) -> Job:
    args = {"name": name, "inputs": inputs}
    failed = campaign.jobs.filter(kind=SNAPSHOT, state=Job.State.FAILED, args=args).first()
    if failed is not None:
        return failed
    with transaction.atomic():
        job = jobs.enqueue_once(campaign=campaign, kind=SNAPSHOT, actor=None, **args)
    job.refresh_from_db()
    return job


def list_snapshot_jobs(campaign: Campaign) -> dict[str, Job]:
    """By name of the snapshot, the job that is under way."""
    states = (Job.State.QUEUED, Job.State.RUNNING)
    under_way = campaign.jobs.filter(kind=SNAPSHOT, state__in=states).order_by("-pk")
    return {job.args["name"]: job for job in under_way}


def compute_snapshot(job: Job) -> None:
    """The handler of ``campaigns.snapshot``: stores the report of the moment. Of the jobs that
    have computed it, only this one is kept: while judging, they come by the minute.
    """
    name = job.args["name"]
    refresh_snapshot(job.campaign, name)
    jobs.finish_job_once(job)
    earlier = job.campaign.jobs.filter(kind=SNAPSHOT, args__name=name, pk__lt=job.pk)
    earlier.filter(state__in=(Job.State.DONE, Job.State.FAILED)).delete()


def refresh_snapshot(campaign: Campaign, name: str) -> Snapshot:
    """Compute and store the report now, unless it is up to date."""
    subject = _subjects[name]
    # Before the report: what changes during the work makes it out of date.
    inputs = subject.identify(campaign)
    latest = campaign.snapshots.filter(name=name).defer("data").first()
    if latest is not None and latest.inputs == inputs:
        return latest
    computed_at = timezone.now()
    # One reading of the log for all parts of the report, while people go on judging.
    data = to_plain(share_reads(subject.compute)(campaign))
    snapshot, _ = Snapshot.objects.update_or_create(
        campaign=campaign,
        name=name,
        defaults={"inputs": inputs, "data": data, "computed_at": computed_at},
    )
    return snapshot


def keep_figures(
    campaign: Campaign, name: str, inputs: str, kind: type[R], compute: Callable[[], R]
) -> R:
    """The stored figures ``name`` of what never changes, such as a frozen pool; computed and
    stored here if they are not of ``inputs``. No job renews them.
    """
    name = name_snapshot(name)
    latest = campaign.snapshots.filter(name=name).defer("data").first()
    if latest is not None and latest.inputs == inputs:
        return _read_report(latest, kind)[1]
    figures = compute()
    values = {"inputs": inputs, "data": to_plain(figures), "computed_at": timezone.now()}
    Snapshot.objects.update_or_create(campaign=campaign, name=name, defaults=values)
    return figures


def request_stale_snapshots() -> int:
    """Queue a job for each snapshot that is out of date; a chore of the tick. One that is younger
    than ``REST`` waits until its page is opened.
    """
    stale = 0
    rested = Snapshot.objects.filter(computed_at__lte=timezone.now() - REST)
    for latest in rested.select_related("campaign").iterator():
        subject = _subjects.get(latest.name)
        if subject is None or not subject.is_renewed:
            continue
        inputs = subject.identify(latest.campaign)
        if inputs != latest.inputs:
            _request_job(latest.campaign, latest.name, inputs)
            stale += 1
    return stale
