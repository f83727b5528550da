"""Import of click logs: the preferences that they imply, not the sessions."""

from collections.abc import Mapping

from django.conf import settings
from django.db import IntegrityError, transaction

from campaigns import store
from campaigns.errors import ActionRefused
from campaigns.models import Campaign, User
from campaigns.queries.collection_files import list_missing_docnos
from campaigns.rules import require_permission
from campaigns.services.events import log_event
from campaigns.services.rows import iter_batches
from poolbench.files.faults import FaultReport
from poolbench.files.streams import read_bytes
from poolbench.preferences.click_log import ClickLogTable, read_click_log
from preferences.models import ClickLog, ClickPreference
from preferences.queries.preference_sets import count_own_lists_by_run


def import_click_log(
    *, actor: User, campaign: Campaign, data: bytes, name: str, report: FaultReport | None = None
) -> ClickLog:
    """Import the preferences of a click log (plain or gzip), all or none.

    Warnings go to ``report``. Raises ``InvalidFile`` with all faults, ``ActionRefused`` for a
    file that is imported already. No judgment is written: preferences are no grades.
    """
    require_permission(actor, "campaigns.manage", campaign)
    report = FaultReport(name) if report is None else report
    data = read_bytes(data, max_bytes=settings.POOLBENCH_MAX_UPLOAD_BYTES, file=name)
    sha256 = store.sha256(data)
    if ClickLog.objects.filter(campaign=campaign, sha256=sha256).exists():
        refuse_known_file()
    table = read_click_log(data, file=name, report=report)
    topics = dict(campaign.topics.values_list("number", "pk"))
    check_click_log(campaign, table, topics, report)
    own_lists = count_own_lists_by_run(campaign, table)
    try:
        with transaction.atomic():
            return _write_click_log(actor, campaign, name, sha256, table, topics, own_lists)
    except IntegrityError:
        refuse_known_file()
        raise


def refuse_known_file() -> None:
    raise ActionRefused(
        "click-log-known",
        "This file is imported already.",
        "Each file counts once; choose another one.",
    )


def check_click_log(
    campaign: Campaign, table: ClickLogTable, topics: Mapping[str, int], report: FaultReport
) -> None:
    """Raise ``InvalidFile`` for topics (EC08) and documents (EC09) that the campaign lacks."""
    for topic, line in table.first_lines.items():
        if topic not in topics:
            fix = "Use topic numbers of the campaign, or remove these sessions."
            report.add("EC08", f"Unknown topic: {topic}.", fix, line=line)
    documents = {docno for (_, docnos) in table.lists for docno in docnos}
    for docno in sorted(list_missing_docnos(campaign, documents)):
        fix = "Use docnos of the collection, or remove these sessions."
        report.add("EC09", f"Unknown docno: {docno}.", fix)
    report.raise_errors()


def _write_click_log(
    actor: User,
    campaign: Campaign,
    name: str,
    sha256: str,
    table: ClickLogTable,
    topics: Mapping[str, int],
    own_lists: Mapping[str, int],
) -> ClickLog:
    log = ClickLog.objects.create(
        campaign=campaign,
        name=name[:120],
        sha256=sha256,
        sessions=table.sessions,
        preferences=table.preferences,
        own_lists=dict(own_lists),
        imported_by=actor,
    )
    rows = [
        ClickPreference(log=log, topic_id=topics[topic], better=better, worse=worse, times=times)
        for (topic, better, worse), times in table.pairs.items()
    ]
    for part in iter_batches(rows):
        ClickPreference.objects.bulk_create(part)
    log_event(
        campaign=campaign,
        actor=actor,
        code="clicks.imported",
        subject=log.name,
        sha256=sha256,
        sessions=table.sessions,
        preferences=table.preferences,
    )
    return log
