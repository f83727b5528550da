"""The practice set: training pairs for crowd workers, each with an explanation."""

from __future__ import annotations

from collections.abc import Sequence

from campaigns.core.faults import FaultReport, InvalidFile
from campaigns.models import Campaign, User
from campaigns.rules import require_permission
from judging.core.training_file import TrainingRow, read_training
from judging.models import Audience
from judging.services.training_sets import add_training


def import_practice(*, actor: User, campaign: Campaign, text: str, file: str = "") -> int:
    """Add the pairs of a table (see ``judging.core.training_file``); return the number.

    Raises ``InvalidFile`` with the faults of training tables, and EY05 without an explanation.
    """
    require_permission(actor, "campaigns.manage", campaign)
    rows = read_training(
        text,
        topics=set(campaign.topics.values_list("number", flat=True)),
        scale=set(campaign.grades.values_list("value", flat=True)),
        file=file,
    )
    return add_practice(actor=actor, campaign=campaign, rows=rows, file=file)


def add_practice(
    *, actor: User, campaign: Campaign, rows: Sequence[TrainingRow], file: str = ""
) -> int:
    """Append ``rows`` to the practice set, all or none. Each needs an explanation: it is all that
    a worker learns from a wrong answer.
    """
    report = FaultReport(file)
    for line, row in enumerate(rows, 1):
        if not row.explanation:
            fix = "Say in one sentence why this is the grade; workers read it after their answer."
            excerpt = f"{row.topic} {row.docno}"
            report.add("EY05", "The explanation is empty.", fix, line=line, excerpt=excerpt)
    if report.has_errors:
        raise InvalidFile(report)
    return add_training(
        actor=actor, campaign=campaign, rows=rows, file=file, audience=Audience.CROWD
    )
