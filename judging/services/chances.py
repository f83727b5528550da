"""Files of chances per grade, imported for an automatic assessor."""

from uuid import UUID

from django.conf import settings

from campaigns import store
from campaigns.models import Campaign, User
from campaigns.rules import require_permission
from judging.models import AutomaticAssessor, Judgment, Purpose
from judging.services.automatic import (
    SubmittedJudgment,
    check_automatic_submission,
    check_takes_judgments,
)
from judging.services.bulk import ImportCounts, ImportRow
from judging.services.imports import append_imported
from poolbench.estimation.chances_file import read_chances
from poolbench.files.faults import FaultReport
from poolbench.files.streams import read_bytes

FORMAT = "chances"
"""Its name among the formats of judgments."""


def import_chances(
    *,
    actor: User,
    campaign: Campaign,
    automatic: AutomaticAssessor,
    data: bytes,
    file: str,
    report: FaultReport | None = None,
) -> ImportCounts:
    """Import a file (plain or gzip) of lines ``topic docno p0 … pG``, all or none; the grade of a
    judgment is the most likely one.

    The same file again changes nothing. Warnings are copied to ``report``. Raises ``InvalidFile``
    with all faults: EH01 to EH06 of the file, EJ01, EJ02, EJ12 and EJ13 of its pairs.
    """
    require_permission(actor, "campaigns.manage", campaign)
    check_takes_judgments(automatic)
    top = max(campaign.grades.values_list("value", flat=True))
    text = read_bytes(data, max_bytes=settings.POOLBENCH_MAX_UPLOAD_BYTES, file=file)
    table = read_chances(text, top, file=file, report=report)
    judgments = [
        SubmittedJudgment(topic, docno, grade, UUID(int=at), chances=tuple(chances))
        for at, (topic, docno, grade, chances) in enumerate(table.iter_rows())
    ]
    topics = dict(campaign.topics.values_list("number", "pk"))
    check_automatic_submission(campaign, automatic, judgments, topics, {}, table.lines)
    rows = [
        ImportRow(topics[each.topic], each.docno, GRADE, each.grade, chances=each.chances)
        for each in judgments
    ]
    details = {"file": file, "sha256": store.sha256(data), "format": FORMAT}
    details["automatic"] = automatic.name
    return append_imported(actor, campaign, {automatic.user: rows}, Purpose.AUTOMATIC, details)


GRADE = Judgment.Kind.GRADE
