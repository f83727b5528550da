"""What the fake platform has recorded: its own list of submissions, apart from our units."""

import json
from typing import Any

from crowd.models import ProviderEvent, Study, WorkUnit
from crowd.queries.keys import find_fernet, read_sealed
from poolbench.crowd.providers.fake import CODES
from poolbench.reports.report import Report, Table, make_columns
from poolbench.reports.writers import make_formats

ACCEPTED, SUBMITTED, RETURNED = "fake.accepted", "fake.submitted", "fake.returned"
STATUSES = {
    CODES["completed"]: "approved",
    CODES["screened"]: "screened out",
    CODES["failed"]: "returned",
}
"""What the platform does with a submission, by the code that was entered."""
RECORD = ("unit", "worker", "status", "code", "receipt", "accepted_at", "ended_at")


def is_platform_open(study: Study) -> bool:
    """Whether the fake platform works for this study: a draft, or one whose provider it is."""
    return study.state == Study.State.DRAFT or study.provider == "fake"


def list_fake_submissions(study: Study) -> list[dict[str, Any]]:
    """The tasks that were accepted on the fake platform under the key in use, in that order.
    ``status`` is the platform's word; times are in ISO form.
    """
    fernet, tasks = find_fernet(study.campaign), dict[str, dict[str, Any]]()
    if fernet is None:
        return []
    for event in ProviderEvent.objects.filter(study=study, kind__startswith="fake."):
        text = read_sealed(fernet, event.body["sealed"])
        if not text:  # sealed under a key that was destroyed
            continue
        entry = json.loads(text)
        uid = entry["unit"]
        at = event.received_at.isoformat()
        if event.kind == ACCEPTED:
            start = (uid, entry["worker"], "active", "", "", at, None)
            tasks[uid] = dict(zip(RECORD, start, strict=True))
        elif uid in tasks and tasks[uid]["ended_at"] is None:
            code = "" if event.kind == RETURNED else entry.get("code", "")
            status = STATUSES.get(code, "awaiting review") if code else "returned"
            receipt = entry.get("receipt", "")
            tasks[uid] |= {"status": status, "code": code, "receipt": receipt, "ended_at": at}
    return list(tasks.values())


def build_submissions_report(study: Study) -> Report:
    """The platform's own list, as a platform would export it."""
    rows = [tuple(task.values()) for task in list_fake_submissions(study)]
    columns = make_columns(*RECORD, undefined="")
    return Report("Submissions", record=Table("submissions", columns, rows))


SUBMISSION_FORMATS = make_formats(build_submissions_report)


def load_task_states(study: Study, hashes: dict[str, str]) -> dict[str, WorkUnit]:
    """The units of tasks, by the task's ID; ``hashes`` are external hashes by that ID."""
    units = WorkUnit.objects.filter(plan=study.plan_id, external_hash__in=hashes.values())
    by_hash = {unit.external_hash: unit for unit in units.select_related("worker__user")}
    return {uid: by_hash[each] for uid, each in hashes.items() if each in by_hash}
