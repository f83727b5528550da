"""A small study, ready to start."""

from collections.abc import Sequence
from datetime import timedelta
from decimal import Decimal

import pytest
from django.utils import timezone

from campaigns.models import Document, User
from crowd.models import Study
from crowd.services.gold import add_gold, add_practice
from crowd.services.keys import rotate_link_key
from crowd.services.studies import create_study
from poolbench.crowd.options import StudyOptions
from poolbench.judging.training_file import TrainingRow
from pooling.models import Pool

OPTIONS = StudyOptions(
    title="Mountains",
    provider="generic",
    contact="study@example.org",
    unit_size=2,
    units_per_worker=2,
    max_units=100,
    max_screened=20,
    gold_per_unit=1,
    practice_pass=1,
    pay_per_unit=Decimal("1.50"),
    screen_out_pay=Decimal("0.20"),
    hourly_minimum=Decimal("12.00"),
    retention_until=timezone.now().date() + timedelta(days=90),
)
GOLD = (("1", "g1", 0), ("1", "g2", 1), ("2", "g3", 2), ("2", "g4", 3))
"""Pairs outside of the pool: topic, docno, grade."""


@pytest.fixture
def pool(restore, campaign) -> Pool:
    return restore("pool")


@pytest.fixture
def study(organizer, pool) -> Study:
    """A draft with two judgments of each document."""
    return create_study(
        actor=organizer, pool=pool, options=OPTIONS, redundancy=2, consent="We pay {pay}."
    )


def add_gold_rows(study: Study, actor: User, pairs: Sequence[tuple[str, str, int]]) -> int:
    campaign = study.campaign
    known = set(campaign.documents.values_list("docno", flat=True))
    Document.objects.bulk_create(
        Document(campaign=campaign, docno=docno, body=f"Text of {docno}.")
        for docno in dict.fromkeys(docno for _, docno, _ in pairs)
        if docno not in known
    )
    rows = [TrainingRow(topic, docno, grade) for topic, docno, grade in pairs]
    return add_gold(actor=actor, campaign=campaign, rows=rows)


def add_practice_rows(study: Study, actor: User, pairs: Sequence[tuple[str, str, int]]) -> int:
    rows = [TrainingRow(topic, docno, grade, "Because.") for topic, docno, grade in pairs]
    return add_practice(actor=actor, campaign=study.campaign, rows=rows)


def make_ready(
    study: Study, actor: User, gold: Sequence[tuple[str, str, int]] = GOLD, **changes: object
) -> Study:
    """Gold, one practice pair; all that the start needs except a trial."""
    if gold:
        add_gold_rows(study, actor, gold)
    add_practice_rows(study, actor, [("1", "d1", 2)])
    for name, value in changes.items():
        setattr(study, name, value)
    study.save()
    rotate_link_key(actor=actor, study=study)
    return study
