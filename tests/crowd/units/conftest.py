"""A plan for the crowd over three topics, workers, and their units."""

from collections.abc import Callable, Mapping
from copy import copy
from datetime import timedelta
from itertools import count
from uuid import UUID, uuid4

import pytest
from django.db.models import QuerySet
from django.utils import timezone

from campaigns.models import Campaign, User
from crowd.models import CrowdWorker, WorkUnit
from crowd.queries.unit_work import list_unit_slots
from crowd.services.gold import add_gold
from crowd.services.unit_answers import UnitAnswer, submit_unit_answer
from crowd.services.unit_work import UnitRequest, start_unit
from judging.models import Audience, Judgment, Plan, Slot
from judging.queries.invariants import list_violations
from judging.queries.judgments import ANSWERS, SHOWN, latest_judgments
from judging.services.plans import create_plan
from poolbench.judging.training_file import TrainingRow
from tests.examples import ALL
from tests.world.files import make_pool

PAIRS = {"1": [f"p{n}" for n in range(8)], "2": [f"q{n}" for n in range(6)], "3": ["r0", "r1"]}
NUMBERS = count(1)


def make_worker(campaign: Campaign, name: str = "") -> CrowdWorker:
    name = name or f"worker-{next(NUMBERS)}"
    user = User(username=name, is_active=False)
    user.set_unusable_password()
    user.save()
    return CrowdWorker.objects.create(
        campaign=campaign, provider="fake", external_hash=name.rjust(64, "0"), user=user
    )


def make_unit(plan: Plan, worker: CrowdWorker, *, trial: bool = False) -> WorkUnit:
    return WorkUnit.objects.create(plan=plan, worker=worker, external_hash=uuid4().hex, trial=trial)


def begin_unit(
    plan: Plan, worker: CrowdWorker, size: int = 5, *, trial: bool = False, **more: object
) -> WorkUnit:
    unit = make_unit(plan, worker, trial=trial)
    start_unit(unit=unit, request=request_unit(unit, size, **more))
    return unit


def request_unit(unit: WorkUnit, size: int, **more: object) -> UnitRequest:
    until = timezone.now() + timedelta(hours=1)
    options = {"one_topic": False, "gold": 0, "repeats": 0, "until": until, "seed": unit.pk}
    return UnitRequest(size, **options | more)


def end_unit(unit: WorkUnit, state: str = WorkUnit.State.COMPLETE) -> None:
    WorkUnit.objects.filter(pk=unit.pk).update(state=state, ended_at=timezone.now())
    unit.refresh_from_db()


def answer(slot: Slot, grade: int | None = 1, uuid: UUID | None = None, **more: object) -> Judgment:
    said = UnitAnswer(slot.token, uuid or uuid4(), grade, **more)
    return submit_unit_answer(unit=slot.unit, answer=said)


def work_unit(
    plan: Plan, worker: CrowdWorker, size: int = 5, grade: int = 1, **more: object
) -> WorkUnit:
    """A complete unit, everything graded ``grade``: the first by the service, the others
    alike; all by the service with POOLBENCH_TEST_EXAMPLES=all.
    """
    unit = begin_unit(plan, worker, size, **more)
    slots, rows = list(list_unit_slots(unit)), []
    given = [answer(slot, grade) for slot in (slots if ALL else slots[:1])]
    for slot in (others := slots[len(given) :]):
        row = copy(given[0])
        row.pk, row.client_uuid, row.lease = None, uuid4(), slot.token
        row.slot, row.topic, row.docno, row.purpose = slot, slot.topic, slot.docno, slot.purpose
        slot.state, slot.token, slot.leased_at, slot.expires_at = "judged", uuid4(), None, None
        rows.append(row)
    Judgment.objects.bulk_create(rows)
    Slot.objects.bulk_update(others, ["state", "token", "leased_at", "expires_at"])
    end_unit(unit)
    return unit


def add_gold_pairs(campaign: Campaign, grades: Mapping[tuple[str, str], int]) -> None:
    rows = [TrainingRow(topic, docno, grade) for (topic, docno), grade in grades.items()]
    campaign.documents.all().delete()
    add_gold(actor=campaign.created_by, campaign=campaign, rows=rows)


def violations(campaign: Campaign) -> dict[str, int]:
    return {found.name: count for found, count in list_violations(campaign) if count}


@pytest.fixture
def crowd_plan(campaign: Campaign) -> Plan:
    """Overlap 2 over PAIRS, at most 4 judgments per pair."""
    pool = make_pool(campaign, PAIRS)
    return create_plan(
        actor=campaign.created_by, pool=pool, overlap=2, audience=Audience.CROWD, max_overlap=4
    )


@pytest.fixture
def worker(campaign: Campaign) -> CrowdWorker:
    return make_worker(campaign)


@pytest.fixture
def another(campaign: Campaign) -> Callable[[], CrowdWorker]:
    return lambda: make_worker(campaign)


def current_unit_judgments(unit: WorkUnit) -> QuerySet[Judgment]:
    """The worker's current answers of ``unit``, skips included, in the order given; without
    practice.
    """
    log = Judgment.objects.filter(unit=unit, purpose__in=SHOWN)
    return latest_judgments(log).filter(kind__in=ANSWERS).order_by("pk")
