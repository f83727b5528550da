"""Imports while their assessors judge: on PostgreSQL both once locked what the other needed."""

from __future__ import annotations

import random
from functools import partial
from uuid import UUID, uuid4

import pytest
from django.db import connection

from campaigns.models import Campaign, Role, User
from judging.models import Judgment, Slot
from judging.services.imports import import_judgments
from judging.services.judgments import claim_next
from judging.services.plans import create_plan
from tests.world.at_once import run_at_once
from tests.world.files import make_pool
from tests.world.judgments import submit_judgment
from tests.world.people import joined

PAIRS = 40


def judging(campaign: Campaign, user: User) -> list[UUID]:
    """Judge in random topics; return the acknowledged."""
    dice, given = random.Random(user.pk), []  # noqa: S311 (the same each time)
    topics = list(campaign.topics.all())
    for _ in range(40):
        place = {"actor": user, "campaign": campaign, "topic": dice.choice(topics)}
        if (slot := claim_next(**place)) is not None:
            given.append(uuid4())
            submit_judgment(**place, docno=slot.item.docno, grade=1, client_uuid=given[-1])
    return given


def importing(campaign: Campaign, user: User) -> list[UUID]:
    dice = random.Random(user.pk)  # noqa: S311 (as above)
    for _ in range(8):
        chosen = dice.sample(range(PAIRS), PAIRS // 2)
        rows = [(str(t), f"d{n}", dice.randrange(2)) for t in (1, 2, 3) for n in chosen]
        actor = campaign.created_by
        import_judgments(actor=actor, campaign=campaign, assessor=user, rows=rows)
    return []


if connection.vendor == "postgresql":  # elsewhere there is one writer at a time anyway

    @pytest.mark.django_db(transaction=True)
    def test_imports_and_judges_wait_for_each_other_and_lose_nothing(campaign):
        users = [joined(campaign, f"a{n}", Role.ASSESSOR) for n in range(4)]
        pool = make_pool(campaign, {t: [f"d{n}" for n in range(PAIRS)] for t in "123"})
        create_plan(
            actor=campaign.created_by, pool=pool, overlap=2, assessors=dict.fromkeys("123", users)
        )
        acts = [partial(act, campaign, user) for act in (judging, importing) for user in users]
        given = [uuid for uuids in run_at_once(lambda act: act(), acts) for uuid in uuids]
        assert Judgment.objects.filter(client_uuid__in=given).count() == len(given) > 0
        assert not Slot.objects.filter(state="judged", judgments=None).exists()
