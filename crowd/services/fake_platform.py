"""The fake platform: it accepts tasks, plays what can go wrong, and records submissions.

Every act goes through the same door and the same services as that of a real worker.
"""

import json
import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from urllib.parse import parse_qsl, quote, urlencode

from django.utils import timezone

from campaigns.errors import ActionRefused
from campaigns.models import User
from campaigns.rules import require_permission
from crowd.models import Payment, Study, WorkUnit
from crowd.queries.fake_platform import ACCEPTED, RETURNED, SUBMITTED, is_platform_open
from crowd.queries.keys import find_crowd_key, hash_under
from crowd.services.doorway import admit_arrival, find_unit, read_link
from crowd.services.keys import make_fake_link, seal_external
from crowd.services.units import complete_unit, end_expired_unit, leave_unit
from crowd.services.webhooks import record_event
from poolbench.crowd.providers.base import ArrivalRefused

LINK_HOURS = 24
MAX_LINKS = 500


@dataclass(frozen=True)
class DoorAnswer:
    """What the study answered to an act of the fake platform; ``link`` opens the worker's page."""

    act: str
    is_admitted: bool
    code: str
    message: str
    link: str = ""


def accept_tasks(
    *, actor: User, study: Study, count: int = 1, worker: str = ""
) -> list[tuple[str, str, str]]:
    """New tasks of the fake platform: worker, unit and link of each.

    All for ``worker``, or each for a new one.
    """
    require_open_platform(actor, study)
    if not 1 <= count <= MAX_LINKS:
        raise ActionRefused("bad-count", f"Make 1 to {MAX_LINKS} links at once.")
    expires = timezone.now() + timedelta(hours=LINK_HOURS)
    tasks = []
    for _number in range(count):
        name = worker or f"fake-{secrets.token_hex(4)}"
        uid = f"task-{secrets.token_hex(6)}"
        link = make_fake_link(study=study, worker=name, unit=uid, expires=expires)
        record_fake_event(study, ACCEPTED, uid, worker=name)
        tasks.append((name, uid, link))
    return tasks


def require_open_platform(actor: User, study: Study) -> None:
    require_permission(actor, "campaigns.manage", study.campaign)
    if not is_platform_open(study):
        raise ActionRefused(
            "no-trials",
            "The fake platform works with drafts, and with studies whose provider it is.",
            "Create a study in draft to try it.",
        )


def record_fake_event(study: Study, kind: str, uid: str, **values: str) -> bool:
    """Record an event of a task once."""
    sealed = seal_external(study.campaign, json.dumps({"unit": uid, **values}))
    return record_event(study, event_id=f"{kind} {uid}", kind=kind, sealed=sealed)


def record_submission(*, study: Study, uid: str, code: str, receipt: str) -> bool:
    """The fake platform gets a submission; only the first of a task counts.

    False for a task that no worker has opened, or one that was submitted before, and when the
    campaign's key is destroyed.
    """
    unit = find_fake_unit(study, uid)
    if unit is None:
        return False
    return record_fake_event(study, SUBMITTED, uid, code=code[:40], receipt=receipt[:64])


def find_fake_unit(study: Study, uid: str) -> WorkUnit | None:
    known = hash_fake_units(study, [uid]).get(uid)
    unit = find_unit(study, known) if known else None
    return unit if unit is not None and unit.worker.provider == "fake" else None


def hash_fake_units(study: Study, uids: Sequence[str]) -> dict[str, str]:
    """External hashes of tasks of the fake platform, by task; none without a key."""
    key = find_crowd_key(study.campaign)
    if key is None:
        return {}
    return dict(zip(uids, hash_under(key, [f"unit fake {uid}" for uid in uids]), strict=True))


def open_link(study: Study, act: str, link: str) -> DoorAnswer:
    """Open ``link`` as a browser would, and report what the study answers."""
    try:
        arrival, trial = read_link(study=study, query=link.partition("?")[2])
        if arrival.preview:
            return DoorAnswer(act, True, "preview", "The task is shown; nothing is claimed.", link)
        unit = admit_arrival(study=study, arrival=arrival, trial=trial)
    except (ArrivalRefused, ActionRefused) as refused:
        return DoorAnswer(act, False, refused.code, refused.message)
    message = f"Admitted {unit.worker.pseudonym}; the unit is {unit.get_state_display()}."
    return DoorAnswer(act, True, "admitted", message, link)


def play_preview(*, actor: User, study: Study) -> DoorAnswer:
    """Look at the task before accepting it."""
    require_open_platform(actor, study)
    soon = timezone.now() + timedelta(hours=LINK_HOURS)
    link = make_fake_link(study=study, worker="", unit="", expires=soon, preview=True)
    return open_link(study, "preview", link)


def play_replay(*, actor: User, study: Study, worker: str, uid: str) -> DoorAnswer:
    """Open the link of a task again: the same unit, in whatever state it is."""
    require_open_platform(actor, study)
    return open_link(study, "replay", make_task_link(study, worker, uid))


def play_forgery(*, actor: User, study: Study, worker: str, uid: str, forgery: str) -> DoorAnswer:
    """Open a link that was tampered with; ``forgery`` is a name of ``FORGERIES``."""
    require_open_platform(actor, study)
    if forgery not in FORGERIES:
        raise ActionRefused("no-forgery", f"Unknown forgery: {forgery[:40]}.")
    return open_link(study, f"forgery: {forgery}", FORGERIES[forgery](study, worker, uid))


def make_task_link(study: Study, worker: str, uid: str, expires: datetime | None = None) -> str:
    expires = expires or timezone.now() + timedelta(hours=LINK_HOURS)
    return make_fake_link(study=study, worker=worker, unit=uid, expires=expires)


def change_parameter(link: str, name: str, change: Callable[[str], str]) -> str:
    path, _, text = link.partition("?")
    query = {key: change(value) if key == name else value for key, value in parse_qsl(text)}
    return f"{path}?{urlencode(query, quote_via=quote, safe='')}"


FORGERIES: dict[str, Callable[[Study, str, str], str]] = {
    "signature": lambda study, worker, uid: change_parameter(
        make_task_link(study, worker, uid), "sig", lambda text: text[::-1]
    ),
    "worker": lambda study, worker, uid: change_parameter(
        make_task_link(study, worker, uid), "wid", lambda text: text + "x"
    ),
    "expired": lambda study, worker, uid: make_task_link(
        study, worker, uid, timezone.now() - timedelta(hours=1)
    ),
    # Signed properly, but for another worker: as if a platform moved the task.
    "moved": lambda study, worker, uid: make_task_link(study, f"{worker}-other", uid),
}


def play_return(*, actor: User, study: Study, uid: str) -> DoorAnswer:
    """The worker gives the task back: the unit ends, its free documents return."""
    require_open_platform(actor, study)
    unit = leave_unit(unit=get_fake_unit(study, uid))
    record_fake_event(study, RETURNED, uid)
    return DoorAnswer("return", False, unit.state, describe_unit_end(unit))


def play_abandonment(*, actor: User, study: Study, uid: str) -> DoorAnswer:
    """The worker closes the page and does not come back: time passes at once."""
    require_open_platform(actor, study)
    unit = get_fake_unit(study, uid)
    if unit.is_over:
        return DoorAnswer("abandon", False, unit.state, "The unit was over already.")
    ended = end_expired_unit(unit)
    return DoorAnswer("abandon", False, ended.state, describe_unit_end(ended))


def play_double_completion(*, actor: User, study: Study, uid: str) -> DoorAnswer:
    """Complete the unit twice: two requests, one payment."""
    require_open_platform(actor, study)
    unit = get_fake_unit(study, uid)
    answers = []
    for _attempt in range(2):
        try:
            answers.append(complete_unit(unit=unit).get_state_display())
        except ActionRefused as refused:
            answers.append(f"refused ({refused.code})")
    payments = Payment.objects.filter(unit=unit).count()
    message = f"First: {answers[0]}. Second: {answers[1]}. Payments: {payments}."
    return DoorAnswer("complete twice", answers[0] == "complete", "completed-twice", message)


def get_fake_unit(study: Study, uid: str) -> WorkUnit:
    unit = find_fake_unit(study, uid)
    if unit is None:
        fix = "Open the worker's page first."
        raise ActionRefused("no-unit", "No worker has opened this task yet.", fix)
    return unit


def describe_unit_end(unit: WorkUnit) -> str:
    free = unit.plan.slots.filter(state="open").count()
    paid = Payment.objects.filter(unit=unit).count()
    return f"The unit is {unit.get_state_display()}; documents open: {free}; payments: {paid}."
