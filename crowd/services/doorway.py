"""The door of a study: who comes in, with which unit, and the signed name of the unit."""

import secrets
from dataclasses import replace
from datetime import timedelta
from functools import partial
from itertools import count
from uuid import UUID

from django.core import signing
from django.db.models import Exists, OuterRef, Q
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from campaigns.errors import ActionRefused
from campaigns.models import User
from campaigns.rules import require_open
from crowd.models import CrowdWorker, Study, WorkUnit
from crowd.queries.keys import find_crowd_key, get_arrival_keys, get_fake_keys, unseal_external
from crowd.queries.unit_pages import has_worked
from crowd.queries.unit_work import list_places
from crowd.services.keys import hash_external, seal_external
from crowd.services.unit_ends import end_unit
from crowd.services.unit_work import lock_unit
from judging.models import Judgment, Purpose
from judging.services.judgment_log import run_with_retries
from poolbench.crowd.providers.base import Arrival, parse_link_query
from poolbench.crowd.providers.fake import FAKE_KID
from poolbench.crowd.providers.registry import PROVIDERS

SALT = "crowd.unit"
TOKEN_DAYS = 7
"""For how long the address of a unit works; the link of the provider gives a new one."""
CLOSE = gettext_lazy("You can close this page. Return the task to the platform without an answer.")
LEFT_OUT = gettext_lazy("Your answers are left out. You are paid for what you did.")
LETTERS = "23456789abcdefghjkmnpqrstuvwxyz"


def read_link(*, study: Study, query: str) -> tuple[Arrival, bool]:
    """Check the query of a link: the arrival, and whether it is a trial of the fake platform.
    Raises ``ArrivalRefused``; writes nothing.

    The fake platform's links open drafts of studies of any provider, as trials. A preview of a
    study that is not open raises ``ActionRefused`` "not-running".
    """
    require_open(study.campaign)
    fields = parse_link_query(query)
    now = timezone.now()
    trial = study.state == Study.State.DRAFT and fields.get("kid") == FAKE_KID
    if trial:
        arrival = PROVIDERS["fake"].read_arrival(fields, get_fake_keys(study), {}, now)
        return arrival, True
    arrival = PROVIDERS[study.provider].read_arrival(
        fields, get_arrival_keys(study), study.provider_settings, now
    )
    if arrival.preview and study.state not in (Study.State.RUNNING, Study.State.PAUSED):
        raise describe_closed_study()
    return arrival, False


def admit_arrival(*, study: Study, arrival: Arrival, trial: bool = False) -> WorkUnit:
    """The unit of the arrival: the same one again, or a new one for a new or known worker.

    Raises ``ActionRefused``: "preview", "unit-moved", "not-running", "worker-excluded",
    "worker-withdrawn", "worker-screened", "unit-open", "worker-limit" or "study-full".
    """
    if arrival.preview:
        raise ActionRefused("preview", _("A preview claims no work."))
    return run_with_retries(partial(admit_once, study, arrival, trial=trial))


def admit_once(study: Study, arrival: Arrival, *, trial: bool) -> WorkUnit:
    provider = "fake" if trial else study.provider
    if find_crowd_key(study.campaign) is None:
        check_study_state(study, trial=trial)  # before a key is made
    worker_hash = hash_external(study.campaign, f"worker {provider} {arrival.worker}")
    if arrival.takes_next:
        study = Study.objects.select_for_update(no_key=True).get(pk=study.pk)
        arrival = replace(arrival, unit=name_next_unit(study, provider, arrival.worker))
    unit_hash = hash_external(study.campaign, f"unit {provider} {arrival.unit}")
    unit = find_unit(study, unit_hash)
    if unit is None:
        # One at a time from here on, so that no limit is exceeded.
        study = Study.objects.select_for_update(no_key=True).get(pk=study.pk)
        unit = find_unit(study, unit_hash)
    if unit is not None:
        if (unit.worker.external_hash, unit.trial) != (worker_hash, trial):
            message = _("This task belongs to another worker.")
            raise ActionRefused("unit-moved", message, _("Open your own task on the platform."))
        return unit
    check_study_state(study, trial=trial)
    worker = get_or_create_worker(study, provider, worker_hash, arrival.worker)
    check_worker(study, worker)
    check_limits(study, worker, trial=trial)
    return WorkUnit.objects.create(
        plan=study.plan,
        worker=worker,
        external_hash=unit_hash,
        external_id=seal_external(study.campaign, arrival.unit),
        trial=trial,
    )


def name_next_unit(study: Study, provider: str, worker: str) -> str:
    """The ID of the worker's unit that is not over, or a new one: the worker's and a number that
    no other link has used.
    """
    worker_hash = hash_external(study.campaign, f"worker {provider} {worker}")
    unit = find_open_unit(study, worker_hash)
    if unit is not None:
        return unseal_external(study.campaign, unit.external_id)
    own = WorkUnit.objects.filter(plan=study.plan_id, worker__external_hash=worker_hash)
    for number in count(own.count() + 1):
        name = f"{worker}/{number}"
        if find_unit(study, hash_external(study.campaign, f"unit {provider} {name}")) is None:
            break
    return name


def find_open_unit(study: Study, worker_hash: str) -> WorkUnit | None:
    states = (WorkUnit.State.OFFERED, WorkUnit.State.STARTED)
    units = WorkUnit.objects.select_related("worker__user", "plan__study__campaign")
    own = units.filter(plan=study.plan_id, worker__external_hash=worker_hash, state__in=states)
    return own.order_by("pk").last()


def find_refusing_unit(study: Study, arrival: Arrival, *, trial: bool) -> WorkUnit | None:
    """The unit because of which the arrival was refused as "unit-open"; None if it ended since."""
    provider = "fake" if trial else study.provider
    worker_hash = hash_external(study.campaign, f"worker {provider} {arrival.worker}")
    return find_open_unit(study, worker_hash)


def find_unit(study: Study, unit_hash: str) -> WorkUnit | None:
    units = WorkUnit.objects.select_related("worker__user", "plan__study__campaign")
    return units.filter(plan=study.plan_id, external_hash=unit_hash).first()


def get_or_create_worker(
    study: Study, provider: str, worker_hash: str, external_id: str
) -> CrowdWorker:
    """The worker with this ID; a new one has a pseudonym and an account that cannot sign in."""
    known = CrowdWorker.objects.filter(
        campaign=study.campaign, provider=provider, external_hash=worker_hash
    )
    worker = known.select_related("user").first()
    if worker is not None:
        return worker
    user = User(username=choose_pseudonym(), is_active=False)
    user.set_unusable_password()
    user.save()
    return CrowdWorker.objects.create(
        campaign=study.campaign,
        provider=provider,
        external_hash=worker_hash,
        external_id=seal_external(study.campaign, external_id),
        user=user,
    )


def choose_pseudonym() -> str:
    """A random username, such as worker-7f2k9q, that says nothing of the worker."""
    while True:
        name = "worker-" + "".join(secrets.choice(LETTERS) for _ in range(6))
        if not User.objects.filter(username=name).exists():
            return name


def check_study_state(study: Study, *, trial: bool) -> None:
    if study.state != (Study.State.DRAFT if trial else Study.State.RUNNING):
        raise describe_closed_study()


def describe_closed_study() -> ActionRefused:
    return ActionRefused("not-running", _("This study is not open at the moment."), str(CLOSE))


def check_worker(study: Study, worker: CrowdWorker) -> None:
    """Raise unless the worker may start another unit now; end one that was never started."""
    if worker.state == CrowdWorker.State.EXCLUDED:
        raise ActionRefused("worker-excluded", _("You cannot take part in this study."), str(CLOSE))
    if worker.state == CrowdWorker.State.WITHDRAWN:
        message = _("You have withdrawn your consent, so you cannot take part.")
        raise ActionRefused("worker-withdrawn", message, str(LEFT_OUT))
    if worker.state == CrowdWorker.State.SCREENED_OUT:
        message = _("You did not pass the practice of this study, so you cannot take part.")
        raise ActionRefused("worker-screened", message, str(CLOSE))
    own = WorkUnit.objects.filter(plan=study.plan_id, worker=worker)
    for each in own.filter(state=WorkUnit.State.OFFERED):
        end_unit(lock_unit(each), WorkUnit.State.ABANDONED, "another task was opened")
    if own.filter(state=WorkUnit.State.STARTED).exists():
        message = _("You are still working on another task of this study.")
        raise ActionRefused("unit-open", message, _("Finish that one first."))


def check_limits(study: Study, worker: CrowdWorker, *, trial: bool) -> None:
    """Raise if the worker, or all workers together, have started as many units as allowed.

    A unit that is offered keeps its place for as long as a unit may take.
    """
    if trial:
        return
    places = list_places(study)
    if places.filter(worker=worker).count() >= study.units_per_worker:
        message = _("You have done as many tasks of this study as one person may.")
        raise ActionRefused("worker-limit", message, str(CLOSE))
    full = study.max_units is not None and places.count() >= study.max_units
    if full or (is_screening_full(study) and not has_worked(worker)):
        raise ActionRefused("study-full", _("All tasks of this study are taken."), str(CLOSE))


def is_screening_full(study: Study) -> bool:
    """Whether as many units as may be were, or will be, paid for practice alone: those that have
    practised and lost their place will.
    """
    if study.max_screened is None:
        return False
    units = WorkUnit.objects.filter(plan=study.plan_id, trial=False, started_at=None)
    practised = Exists(Judgment.objects.filter(unit=OuterRef("pk"), purpose=Purpose.TRAINING))
    waiting = Q(practised, ended_at=None) & ~Q(pk__in=list_places(study).values("pk"))
    return units.filter(Q(payment__isnull=False) | waiting).count() >= study.max_screened


def make_unit_token(unit: WorkUnit) -> str:
    """The signed name of the unit in addresses; it works for ``TOKEN_DAYS``."""
    return signing.TimestampSigner(salt=SALT).sign(unit.public_id.hex).replace(":", ".")


def get_unit_by_token(token: str) -> WorkUnit:
    """The unit of a token. Raises ``ActionRefused``: "bad-unit-link", "expired-unit-link"."""
    signer = signing.TimestampSigner(salt=SALT)
    fix = _("Open the task again on the platform.")
    if ":" in token:
        raise unit_link_error()
    try:
        name = signer.unsign(token.replace(".", ":"), max_age=timedelta(days=TOKEN_DAYS))
    except signing.SignatureExpired as error:
        message = _("This address has expired.")
        raise ActionRefused("expired-unit-link", message, fix) from error
    except signing.BadSignature as error:
        raise unit_link_error() from error
    units = WorkUnit.objects.select_related("worker__user", "plan__study__campaign")
    unit = units.filter(public_id=UUID(hex=name), plan__study__isnull=False).first()
    if unit is None or unit.plan.study.campaign.removal_at is not None:
        raise unit_link_error()
    unit.plan.campaign = unit.plan.study.campaign  # the same one, loaded once
    return unit


def unit_link_error() -> ActionRefused:
    fix = _("Open the task again on the platform.")
    return ActionRefused("bad-unit-link", _("This address belongs to no task."), fix)
