"""The same text judged once, by many at once or by a process that dies: nothing doubled or half."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections import Counter
from threading import Barrier
from typing import Any
from uuid import uuid4

import pytest
from django.db import connection, transaction

from campaigns.errors import ActionRefused
from campaigns.models import Campaign
from campaigns.services.duplicates import group_campaign_duplicates, request_duplicates
from judging.models import Judgment, PropagatedPair, Purpose, Slot
from judging.queries.invariants import list_violations
from judging.queries.judgments import latest_judgments
from judging.services import judgments
from judging.services.crowd_plans import PlanOptions
from judging.services.judgments import claim_ahead, undo_judgment
from judging.services.plans import create_plan
from tests.examples import ALL
from tests.house import REPOSITORY
from tests.world.at_once import count_faults, make_installation, run_at_once
from tests.world.files import make_pool
from tests.world.judgments import submit_judgment
from tests.world.people import begin_with_assessors

pytestmark = pytest.mark.django_db(transaction=True)
TEXTS, COPIES, ROUNDS = (12, 3, 6) if ALL else (3, 2, 3)
"""Different texts, duplicates of each, and how often each is changed."""


def test_many_at_once_double_nothing(request):
    found = count_faults(__name__, request)
    assert found.pop("grades propagated") == 2 * TEXTS * COPIES
    assert found == dict.fromkeys(found, 0)


def begin_with_duplicates(assessors: int) -> tuple[Campaign, list[Any]]:
    """All assessors judge the first of each text; its duplicates are on no desk."""
    campaign, users = begin_with_assessors("duplicates", assessors)
    for text in range(TEXTS):
        for copy in range(COPIES + 1):
            docno = f"t{text}-{copy}"
            campaign.documents.create(docno=docno, body=f"Text {text}.", sha256=docno)
    with transaction.atomic():
        job = request_duplicates(campaign)
    group_campaign_duplicates(job)
    docnos = list(campaign.documents.values_list("docno", flat=True))
    scheme = PlanOptions(parameters={"n": assessors}, propagate=True)
    create_plan(
        actor=campaign.created_by, pool=make_pool(campaign, {"1": docnos}),
        assessors={"1": users}, scheme=scheme,
    )  # fmt: skip
    return campaign, users


def contend() -> dict[str, int]:
    campaign, users = begin_with_duplicates(2)
    originals = sorted(set(PropagatedPair.objects.values_list("original", flat=True)))
    for user in users:
        claim_ahead(actor=user, campaign=campaign, topic=None, count=TEXTS)
    meeting = Barrier(4)
    # Two hands each: one changes grades, one undoes and judges the duplicates themselves.
    people = [*users, *users]
    run_at_once(
        lambda user, hand: work(campaign, user, originals, hand, meeting), people, (0, 0, 1, 1)
    )
    for user in users:
        for docno in originals:
            judge(campaign, user, docno, 1)
    return list_faults(campaign)


def work(campaign: Any, user: Any, originals: Any, hand: int, meeting: Barrier) -> None:
    for turn in range(ROUNDS):
        for docno in originals:
            meeting.wait(60)
            if hand == 0:
                uuid = uuid4()
                for _ in range(2):  # every button is pressed twice
                    judge(campaign, user, docno, turn % 2, client_uuid=uuid)
            elif turn == 0:
                judge(campaign, user, docno.replace("-0", "-1"), 0)
            else:
                try:
                    undo_judgment(actor=user, campaign=campaign)
                except ActionRefused as refused:
                    if refused.code != "nothing-to-undo":
                        raise


def judge(campaign: Any, user: Any, docno: str, grade: int, **more: Any) -> Judgment:
    topic = campaign.topics.get()
    pair = {"actor": user, "campaign": campaign, "topic": topic, "docno": docno}
    return submit_judgment(**pair, grade=grade, **more)


def list_faults(campaign: Campaign) -> dict[str, int]:
    rows = campaign.judgments.filter(purpose=Purpose.PROPAGATED)
    current = latest_judgments(rows).filter(kind=Judgment.Kind.GRADE)
    keys = Counter(rows.values_list("docno", "assessor", "revision"))
    return {
        "grades propagated": current.count(),
        "other grades than the originals'": current.exclude(grade=1).count(),
        "revisions doubled": sum(count > 1 for count in keys.values()),
        "revisions left out": len(keys) - sum(rev for _, _, rev in find_last(keys)),
        "slots of duplicates": Slot.objects.filter(item__docno__endswith="-1").count(),
        "invariants violated": sum(count for _, count in list_violations(campaign)),
    }


def find_last(keys: Any) -> list[tuple[str, int, int]]:
    last: dict[tuple[str, int], int] = {}
    for docno, assessor, revision in keys:
        last[docno, assessor] = max(revision, last.get((docno, assessor), 0))
    return [(*key, revision) for key, revision in last.items()]


def test_a_process_that_dies_between_source_and_copies_leaves_neither(request):
    env = make_installation(request)

    def run(code: str) -> subprocess.CompletedProcess[str]:
        begin = f"import django; django.setup(); import {__name__} as at; "
        command = [sys.executable, "-c", begin + code]
        return subprocess.run(
            command, cwd=REPOSITORY, env=env, capture_output=True, text=True, check=False
        )

    died = run("at.judge_and_die()")
    assert died.returncode == -signal.SIGKILL, died.stderr
    assert died.stdout == "1 written"
    after = run("at.judge_after()")
    assert after.stdout == f"0 rows, then {1 + COPIES}; 0 violated", after.stderr


def judge_and_die() -> None:
    campaign, users = begin_with_duplicates(1)
    claim_ahead(actor=users[0], campaign=campaign, topic=None, count=1)

    def die(*_: Any) -> None:
        assert connection.in_atomic_block
        sys.stdout.write(f"{Judgment.objects.count()} written")
        sys.stdout.flush()
        os.kill(os.getpid(), signal.SIGKILL)

    judgments.propagate_judgment = die
    judge(campaign, users[0], Slot.objects.get(state="leased").docno, 1)


def judge_after() -> None:
    """The next process: the document is still out, and its judgment is sent again."""
    campaign, before = Campaign.objects.get(), Judgment.objects.count()
    slot = Slot.objects.get(state="leased")
    judge(campaign, slot.assessor, slot.docno, 1)
    broken = sum(count for _, count in list_violations(campaign))
    sys.stdout.write(f"{before} rows, then {Judgment.objects.count()}; {broken} violated")
